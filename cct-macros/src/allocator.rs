//! The expansion of a global allocator.
//!
//! ```text
//! static NAME: Type = as written;
//! const _: () = {
//!     #[real_global_allocator]
//!     static __CCT_ALLOCATOR: Allocator<Type> = Allocator::new(&NAME);
//! };
//! ```
//!
//! The program's static stays what it is, and is asked by the one that takes its place.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::{ItemStatic, StaticMutability};

use crate::fallback;

/// Expands `#[global_allocator]` of the facade.
pub(crate) fn std_global_allocator(args: &TokenStream, item: &TokenStream) -> TokenStream {
    let span = Span::call_site();
    let support = quote_spanned!(span=> ::core::__cct);
    let real = quote_spanned!(span=> #support::real_global_allocator);
    let program = syn::parse2::<ItemStatic>(item.clone())
        .ok()
        .filter(|program| args.is_empty() && matches!(program.mutability, StaticMutability::None));
    let Some(ItemStatic { ident, ty, .. }) = program else {
        return fallback::pass_through(&real, args, item);
    };
    quote_spanned! {span=>
        #item
        const _: () = {
            #[#real]
            static __CCT_ALLOCATOR: #support::Allocator<#ty> = #support::Allocator::new(&#ident);
        };
    }
}
