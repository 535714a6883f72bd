//! The expansion of `#[cct::benign_race]`: a guard at the beginning of the function's body.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::parse::{Parse, ParseStream};
use syn::{LitStr, Path, Token};

use crate::beginning::with_beginning;
use crate::fallback;

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
    let why_not =
        |word: &str| format!("races of a function that is {word} cannot be told to be meant");
    with_beginning(
        item,
        args.library.as_ref(),
        why_not,
        |_, library| quote_spanned!(Span::call_site()=> let __benign_races = #library::BenignRaces::begin();),
    )
}
