//! The test attributes of cargo-cct. (draft)
use proc_macro::TokenStream;
/// `#[cct::test]`.
#[proc_macro_attribute]
pub fn test(_args: TokenStream, item: TokenStream) -> TokenStream { item }
/// std's `#[test]`.
#[proc_macro_attribute]
pub fn std_test(_args: TokenStream, item: TokenStream) -> TokenStream { item }
