//! The meaning of `#[should_panic]` on a test.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, MetaNameValue};

/// The expected end of the test.
pub(crate) enum ShouldPanic {
    /// The attribute is absent.
    No,
    /// Any panic will do.
    Yes,
    /// The message must contain this.
    With(LitStr),
}

impl ShouldPanic {
    /// Reads the attribute where it is present. A form that libtest does not know counts as any
    /// panic, and libtest's own attribute complains about it.
    pub(crate) fn of(attributes: &[Attribute]) -> ShouldPanic {
        let Some(attribute) = attributes
            .iter()
            .find(|attribute| attribute.path().is_ident("should_panic"))
        else {
            return ShouldPanic::No;
        };
        let message = match &attribute.meta {
            Meta::Path(_) => None,
            Meta::NameValue(pair) => literal(pair),
            Meta::List(list) => list
                .parse_args::<MetaNameValue>()
                .ok()
                .filter(|pair| pair.path.is_ident("expected"))
                .and_then(|pair| literal(&pair)),
        };
        message.map_or(ShouldPanic::Yes, ShouldPanic::With)
    }

    /// The value as an expression; `harness` is the path of its type's module.
    pub(crate) fn expression(&self, harness: &TokenStream, span: Span) -> TokenStream {
        match self {
            ShouldPanic::No => quote_spanned!(span=> #harness::ShouldPanic::No),
            ShouldPanic::Yes => quote_spanned!(span=> #harness::ShouldPanic::Yes),
            ShouldPanic::With(text) => quote_spanned!(span=> #harness::ShouldPanic::With(#text)),
        }
    }
}

fn literal(pair: &MetaNameValue) -> Option<LitStr> {
    match &pair.value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.clone()),
        _ => None,
    }
}
