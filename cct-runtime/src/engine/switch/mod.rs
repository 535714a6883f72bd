//! Stacks, and switching from one to another. Nothing here knows of workers: who runs next is up to a
//! function that the caller of a switch names.

mod fiber;
mod stack;

pub(crate) use fiber::{Context, on_stack, prepare, switch};
pub(crate) use stack::{MAX_WORKERS, Stack, Stacks};
