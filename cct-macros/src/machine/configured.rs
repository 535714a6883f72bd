//! Methods that are compiled in some configurations only: `#[cfg(…)]`, which no macro can decide.
//!
//! The block is written twice, with such methods where that holds and without them where it does not, each
//! for the attribute to be expanded again. The compiler drops one of the two before it does.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, ImplItem, ItemImpl, Meta};

use super::input::Input;

/// The block for the first of such configurations, and for all others; none if there are no such methods.
pub(super) fn expand(
    args: &TokenStream,
    block: &ItemImpl,
    has_states: bool,
) -> Option<TokenStream> {
    let mut attributes = block.items.iter().flat_map(attributes_of);
    let condition = attributes.find_map(condition)?;
    let is_meant = |attribute: &Attribute| is(attribute, &condition);
    let (mut with, mut without) = (block.clone(), block.clone());
    for item in &mut with.items {
        if let ImplItem::Fn(method) = item {
            method.attrs.retain(|attribute| !is_meant(attribute));
        }
    }
    (without.items).retain(|item| !attributes_of(item).iter().any(is_meant));
    let library = Input::read(args.clone(), block.clone(), has_states, &mut Vec::new()).library;
    let attribute = if has_states {
        quote!(#library::machine(#args))
    } else {
        quote!(#library::actor(#args))
    };
    Some(quote! {
        #[cfg(#condition)]
        #[#attribute]
        #with
        #[cfg(not(#condition))]
        #[#attribute]
        #without
    })
}

fn attributes_of(item: &ImplItem) -> &[Attribute] {
    match item {
        ImplItem::Fn(method) => &method.attrs,
        _ => &[],
    }
}

/// The inside of `cfg(…)`.
fn condition(attribute: &Attribute) -> Option<TokenStream> {
    match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => Some(list.tokens.clone()),
        _ => None,
    }
}

fn is(attribute: &Attribute, condition: &TokenStream) -> bool {
    self::condition(attribute).is_some_and(|other| other.to_string() == condition.to_string())
}
