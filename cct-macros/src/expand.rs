//! The expansion of a test.
//!
//! ```text
//! #[real_test] #[should_panic] fn name() -> Returned {
//!     fn name() -> Returned { as written }
//!     run_test(&TestCase { name: "path::name", should_panic: …, settings: "…" }, name)
//! }
//! ```
//!
//! The inner function has the outer one's name, so that a test which calls itself, or prints where
//! it is, does what it did. Nothing else is named in between: names in the body mean what they
//! meant. All paths are absolute and resolved at the call site, where they work in every edition.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::spanned::Spanned as _;

use crate::fallback;
use crate::settings::Settings;
use crate::should_panic::ShouldPanic;
use crate::test_fn::TestFn;

/// Expands `#[test]` of the facade.
pub(crate) fn std_test(args: &TokenStream, item: &TokenStream) -> TokenStream {
    let span = Span::call_site();
    let support = quote_spanned!(span=> ::core::__cct);
    let test = syn::parse2::<TestFn>(item.clone()).ok().filter(|test| {
        args.is_empty()
            && test.objections(false).is_empty()
            && test.other_test_attribute().is_none()
    });
    let Some(test) = test else {
        let real = quote_spanned!(span=> #support::real_test);
        return fallback::pass_through(&real, args, item);
    };
    wrap(&test, &support, "", &TokenStream::new(), None)
}

/// Expands `#[cct::test]`.
pub(crate) fn cct_test(args: TokenStream, item: &TokenStream) -> TokenStream {
    let (settings, mut errors) = Settings::read(args);
    let span = Span::call_site();
    let library = settings
        .library()
        .map_or_else(|| quote_spanned!(span=> ::cct), syn::Path::to_token_stream);
    let support = quote_spanned!(span=> #library::harness);
    let test = match syn::parse2::<TestFn>(item.clone()) {
        Ok(test) => test,
        Err(error) => {
            errors.push(error);
            return fallback::with_errors(&errors, item);
        }
    };
    errors.extend(test.objections(true));
    if let Some(attribute) = test.other_test_attribute() {
        let message = "`#[cct::test]` makes a test by itself: remove the other attribute";
        errors.push(syn::Error::new_spanned(attribute, message));
    }
    if !errors.is_empty() {
        return fallback::with_errors(&errors, item);
    }
    let runtime = test
        .takes_runtime()
        .then(|| quote_spanned!(span=> #library::actor::tested));
    wrap(
        &test,
        &support,
        &settings.text,
        &settings.checks(&library),
        runtime.as_ref(),
    )
}

/// `support` is the path of what the expansion names, and `runtime` a function that gives the test a runtime.
fn wrap(
    test: &TestFn,
    support: &TokenStream,
    settings: &str,
    checks: &TokenStream,
    runtime: Option<&TokenStream>,
) -> TokenStream {
    let TestFn {
        visibility,
        signature,
        body,
        ..
    } = test;
    let (outside, inside) = test.split_attributes();
    let name = &signature.ident;
    let path = format!("::{name}");
    let span = Span::call_site();
    let mut outer = signature.clone();
    outer.inputs.clear();
    let called = match runtime {
        None => name.to_token_stream(),
        Some(runtime) => quote_spanned!(span=> || #runtime(#name)),
    };
    let should_panic = ShouldPanic::of(&test.attributes).expression(support, span);
    // A result that is none is complained about where it is written.
    let span = span.located_at(signature.output.span());
    quote_spanned! {span=>
        #[#support::real_test]
        #(#outside)*
        #visibility #outer {
            #checks
            #(#inside)*
            #signature #body
            #support::run_test(
                &#support::TestCase {
                    name: ::core::concat!(::core::module_path!(), #path),
                    should_panic: #should_panic,
                    settings: #settings,
                },
                #called,
            )
        }
    }
}
