//! The expansion of an attribute that cannot do its work: no errors that follow from ours.

use proc_macro2::TokenStream;
use quote::quote;

/// The item under std's own attribute, as if ours had not been there.
///
/// `real` is the path of that attribute.
pub(crate) fn pass_through(
    real: &TokenStream,
    args: &TokenStream,
    item: &TokenStream,
) -> TokenStream {
    if args.is_empty() {
        quote!(#[#real] #item)
    } else {
        quote!(#[#real(#args)] #item)
    }
}

/// All errors at once, before what can still be compiled.
pub(crate) fn with_errors(errors: &[syn::Error], item: &TokenStream) -> TokenStream {
    let errors = errors.iter().map(syn::Error::to_compile_error);
    quote!(#(#errors)* #item)
}
