//! The expansion of `#[cct::thread_unsafe]`: a call that is told at the beginning of the function's body.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Ident, LitStr, Path, Token};

use crate::beginning::with_beginning;
use crate::fallback;

/// The arguments: the group, whether the function changes what the group shares, which thing that is, and
/// where the library is.
struct Args {
    group: LitStr,
    writes: bool,
    key: Option<Expr>,
    library: Option<Path>,
}

impl Parse for Args {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let group: LitStr = input.parse()?;
        if group.value().trim().is_empty() {
            return Err(syn::Error::new(group.span(), "a group has a name"));
        }
        input.parse::<Token![,]>()?;
        let access: Ident = input.parse()?;
        let writes = match access.to_string().as_str() {
            "writes" => true,
            "reads" => false,
            _ => {
                return Err(syn::Error::new(access.span(), "it is `reads` or `writes`"));
            }
        };
        let (mut key, mut library) = (None, None);
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            if input.peek(Token![crate]) {
                input.parse::<Token![crate]>()?;
                input.parse::<Token![=]>()?;
                library = Some(input.call(Path::parse_mod_style)?);
            } else {
                let name: Ident = input.parse()?;
                if name != "key" {
                    return Err(syn::Error::new(name.span(), "it is `key` or `crate`"));
                }
                input.parse::<Token![=]>()?;
                key = Some(input.parse()?);
            }
        }
        Ok(Args {
            group,
            writes,
            key,
            library,
        })
    }
}

/// Expands `#[cct::thread_unsafe]`.
pub(crate) fn thread_unsafe(args: TokenStream, item: &TokenStream) -> TokenStream {
    let Args {
        group,
        writes,
        key,
        library,
    } = match syn::parse2(args) {
        Ok(args) => args,
        Err(error) => {
            let message = format!(
                "{error}: say which functions may not be called at a time, and whether this one changes \
                 what they share, as in `#[cct::thread_unsafe(\"sqlite\", writes)]`, with `key = self` \
                 if each thing is by itself"
            );
            return fallback::with_errors(&[syn::Error::new(error.span(), message)], item);
        }
    };
    let span = Span::call_site();
    let none = || quote_spanned!(span=> ::core::option::Option::None::<&()>);
    let key = key.map_or_else(
        none,
        |key| quote_spanned!(span=> ::core::option::Option::Some(#key)),
    );
    let why_not = |word: &str| format!("calls of a function that is {word} cannot be told");
    with_beginning(item, library.as_ref(), why_not, |name, library| {
        quote_spanned! {span=>
            {
                static __CALL: #library::ThreadUnsafe =
                    #library::ThreadUnsafe::new(#group, ::core::stringify!(#name), #writes);
                __CALL.call(#key);
            }
        }
    })
}
