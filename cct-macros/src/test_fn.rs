//! A function as far as it has to be understood: everything but its body.

use proc_macro2::{Delimiter, Group};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned as _;
use syn::{Attribute, FnArg, GenericParam, Signature, Type, Visibility};

/// A function; the body is kept as it was written, whatever is in it.
pub(crate) struct TestFn {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    pub(crate) body: Group,
}

impl Parse for TestFn {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let signature = input.parse()?;
        let body: Group = input.parse()?;
        if body.delimiter() != Delimiter::Brace || !input.is_empty() {
            return Err(syn::Error::new(
                body.span(),
                "expected a function with a body",
            ));
        }
        Ok(TestFn {
            attributes,
            visibility,
            signature,
            body,
        })
    }
}

impl TestFn {
    /// True if it takes one argument, which is the runtime of actors for `#[cct::test]`.
    pub(crate) fn takes_runtime(&self) -> bool {
        let inputs = &self.signature.inputs;
        let is_reference = |input: &FnArg| match input {
            FnArg::Typed(input) => matches!(*input.ty, Type::Reference(_)),
            FnArg::Receiver(_) => false,
        };
        inputs.len() == 1 && inputs.iter().all(is_reference)
    }

    /// Why the function cannot be called again and again, if it cannot: it has no arguments, or the one that
    /// `#[cct::test]` [gives](TestFn::takes_runtime).
    pub(crate) fn objections(&self, may_take_runtime: bool) -> Vec<syn::Error> {
        let signature = &self.signature;
        // The compiler allows lifetimes on a test.
        let mut generics = signature.generics.params.iter();
        let generic = generics.find(|param| !matches!(param, GenericParam::Lifetime(_)));
        let found = [
            signature.constness.map(|token| (token.span, "`const`")),
            signature.asyncness.map(|token| (token.span, "`async`")),
            signature.unsafety.map(|token| (token.span, "`unsafe`")),
            generic.map(|param| (param.span(), "generic")),
        ];
        let mut errors: Vec<_> = found
            .into_iter()
            .flatten()
            .map(|(span, what)| syn::Error::new(span, format!("a test function cannot be {what}")))
            .collect();
        if !(signature.inputs.is_empty() || may_take_runtime && self.takes_runtime()) {
            let message = if may_take_runtime {
                "a test function has no arguments, or one: the `&cct::actor::Runtime` of its actors"
            } else {
                "a test function cannot have arguments"
            };
            errors.push(syn::Error::new(signature.inputs.span(), message));
        }
        errors
    }

    /// Another attribute that makes a test, or takes a test over.
    pub(crate) fn other_test_attribute(&self) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| {
            let name = attribute
                .path()
                .segments
                .last()
                .map(|segment| &segment.ident);
            name.is_some_and(|name| name == "test" || name == "bench")
        })
    }

    /// The attributes of the function that the test harness sees, and those of the function
    /// inside.
    ///
    /// Outside is what the compiler and libtest want to find on a test. Anything else may be a
    /// macro that changes the body, and has to do so within each schedule.
    pub(crate) fn split_attributes(&self) -> (Vec<&Attribute>, Vec<&Attribute>) {
        self.attributes.iter().partition(|attribute| {
            let name = attribute
                .path()
                .segments
                .first()
                .map(|segment| &segment.ident);
            name.is_some_and(|name| OUTSIDE.iter().any(|outside| name == outside))
        })
    }
}

const OUTSIDE: &[&str] = &[
    "allow",
    "cfg",
    "cfg_attr",
    "clippy",
    "cold",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "export_name",
    "forbid",
    "ignore",
    "inline",
    "link_section",
    "must_use",
    "no_mangle",
    "rustfmt",
    "should_panic",
    "unsafe",
    "warn",
];
