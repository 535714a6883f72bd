//! Stacks, and switching from one to another. Nothing here knows of workers: who runs next is up to a
//! function that the caller of a switch names.

mod fiber;
mod float_control;
mod frames;
mod signal_mask;
mod stack;
mod stand_in;

pub(crate) use fiber::{Context, on_stack, prepare, switch};
pub(crate) use float_control::FloatControl;
pub(crate) use frames::{call_at, call_under};
pub use signal_mask::{SignalMask, set_of, signals_of};
pub(crate) use signal_mask::{bit, held, hold, pending};
pub(crate) use stack::{MAX_WORKERS, Stack, Stacks};
pub(crate) use stand_in::{StandIn, name_this_thread, stand_ins};
