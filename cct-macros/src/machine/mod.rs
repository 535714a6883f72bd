//! `#[cct::machine]` and `#[cct::actor]`: an `impl` block whose methods are handlers.
//!
//! ```text
//! impl Server { as written, without attributes }
//! enum ServerEvent { Ping(Ping), … }     enum ServerState { Idle(Idle), … }
//! impl Machine for Server { const PLAN; handle(): a call for each handler }
//! impl Accepts<Ping> for Server …        impl HasState<Idle> for Server …
//! ```
//!
//! `configured` leaves out the methods that are not compiled, `input` reads what was written, `model` finds
//! out what is handled where, `output` writes the rest.

mod configured;
mod input;
mod model;
mod output;

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemImpl;

use input::Input;
use model::Model;

/// Expands either attribute; only a machine has states.
pub(crate) fn expand(args: TokenStream, item: &TokenStream, has_states: bool) -> TokenStream {
    let Ok(block) = syn::parse2::<ItemImpl>(item.clone()) else {
        let message = "this attribute stands at an `impl` block without a trait";
        let error = syn::Error::new_spanned(item, message).to_compile_error();
        return quote!(#error #item);
    };
    if let Some(expanded) = configured::expand(&args, &block, has_states) {
        return expanded;
    }
    let mut errors = Vec::new();
    let input = Input::read(args, block, has_states, &mut errors);
    let model = Model::of(&input, &mut errors);
    let block = &input.block;
    // The rest is there beside errors, too: the type is a machine for whoever uses it.
    let rest = input.is_of_type.then(|| output::write(&input, &model));
    let errors = errors.iter().map(syn::Error::to_compile_error);
    quote!(#block #rest #(#errors)*)
}
