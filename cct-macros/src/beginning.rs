//! A function with statements before those of its body.

use proc_macro2::{Group, Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::{Ident, Path};

use crate::fallback;
use crate::test_fn::TestFn;

/// The item with statements at its beginning, which are made of its name and of the library's path. If it is
/// no function for that, an error says `why_not`: "a function that is `async` …".
pub(crate) fn with_beginning(
    item: &TokenStream,
    library: Option<&Path>,
    why_not: fn(&str) -> String,
    statements: impl FnOnce(&Ident, TokenStream) -> TokenStream,
) -> TokenStream {
    let function = match syn::parse2::<TestFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => return fallback::with_errors(&[error], item),
    };
    let TestFn {
        attributes,
        visibility,
        signature,
        body,
    } = &function;
    let refused = [
        signature.asyncness.map(|token| (token.span, "`async`")),
        signature.constness.map(|token| (token.span, "`const`")),
    ];
    if let Some((span, word)) = refused.into_iter().flatten().next() {
        return fallback::with_errors(&[syn::Error::new(span, why_not(word))], item);
    }
    let span = Span::call_site();
    let library = library.map_or_else(|| quote_spanned!(span=> ::cct), Path::to_token_stream);
    let statements = statements(&signature.ident, library);
    let written = body.stream();
    let mut whole = Group::new(
        body.delimiter(),
        quote_spanned!(span=> #statements #written),
    );
    whole.set_span(body.span());
    quote_spanned!(span=> #(#attributes)* #visibility #signature #whole)
}
