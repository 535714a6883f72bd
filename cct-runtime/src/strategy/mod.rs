//! Strategies: the rules that pick the next worker.
mod spec;

pub use spec::{InvalidSpec, Member, Spec};
