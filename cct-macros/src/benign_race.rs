//! The expansion of `#[cct::benign_race]`: a guard at the beginning of the function's body.

use proc_macro2::{Group, Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Path, Token};

use crate::fallback;
use crate::test_fn::TestFn;

/// The arguments: why, and where the library is.
struct Args {
    reason: LitStr,
    library: Option<Path>,
}

impl Parse for Args {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let reason = input.parse()?;
        let library = if input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            Some(input.call(Path::parse_mod_style)?)
        } else {
            None
        };
        Ok(Args { reason, library })
    }
}

/// Expands `#[cct::benign_race]`.
pub(crate) fn benign_race(args: TokenStream, item: &TokenStream) -> TokenStream {
    let args = match syn::parse2::<Args>(args) {
        Ok(args) if !args.reason.value().trim().is_empty() => args,
        _ => {
            let message = "say why the races of this function are meant: \
                           `#[cct::benign_race(\"a lost update of the statistics does no harm\")]`";
            return fallback::with_errors(&[syn::Error::new(Span::call_site(), message)], item);
        }
    };
    let function = match syn::parse2::<TestFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => return fallback::with_errors(&[error], item),
    };
    let signature = &function.signature;
    let refused = [
        signature.asyncness.map(|token| (token.span, "`async`")),
        signature.constness.map(|token| (token.span, "`const`")),
    ];
    if let Some((span, word)) = refused.into_iter().flatten().next() {
        let message = format!("races of a function that is {word} cannot be told to be meant");
        return fallback::with_errors(&[syn::Error::new(span, message)], item);
    }
    let TestFn {
        attributes,
        visibility,
        signature,
        body,
    } = &function;
    let span = Span::call_site();
    let library = args.library.as_ref();
    let library = library.map_or_else(|| quote_spanned!(span=> ::cct), Path::to_token_stream);
    let written = body.stream();
    let guarded = quote_spanned! {span=>
        let __benign_races = #library::BenignRaces::begin();
        #written
    };
    let mut body = Group::new(body.delimiter(), guarded);
    body.set_span(function.body.span());
    quote_spanned!(span=> #(#attributes)* #visibility #signature #body)
}
