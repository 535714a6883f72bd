//! The harness: a test's body meets the engine here.
//!
//! A test attribute's expansion calls [`run_test`]. In a process that cargo-cct started it explores or
//! replays, and ends the process; anywhere else the body runs once, natively.
//!
//! A *request* from the environment becomes a *search*, a *replay*, a session that a person leads, the
//! shrinking of a schedule, or the question from where on its failure is certain. A search asks a *maker*
//! for schedules: each turn belongs to a member of the *portfolio*, whose schedule begins with a *head*; a
//! *runner* puts the *surroundings* back and has the engine run the iteration; a *tally* counts it. The
//! *listener* hears of everything, and the process ends with its last event.
//!
//! No other part of the runtime ends a process: the engine returns how an iteration ended, or calls a
//! function that it was given. A file imports only from files that are named before it here.

mod case;
mod judge;
mod together;

mod channel;
mod listener;
mod signals;

mod board;
mod request;

mod bystander;
mod memory;
mod seeds;
mod surroundings;
mod timeouts;

mod head;
mod ring;
mod runner;

mod fault;

mod crash;

mod copies;

mod apart;

#[cfg(test)]
mod small;

mod certain;
mod guided;
mod interactive;
mod replay;
mod shrink;

mod distinct;
mod portfolio;
mod resume;
mod share;
mod tally;

mod maker;

mod early_end;
mod repeat;
mod search;

mod profile;

mod explorer;
mod process;

/// The attribute that `#[cct::test]` expands to: std's own.
#[doc(hidden)]
pub use core::prelude::v1::test as real_test;

pub use case::{ShouldPanic, TestCase};
pub use channel::is_own_descriptor;
pub use crash::{default_action, is_default_handler};
pub use explorer::{Exploration, Explorer, explore};
pub use listener::{report_uncontrolled, report_unwritten};
pub use maker::Seen;
pub use process::run_test;
pub use signals::{have_to_wait, is_handled_by_programs, take_signals_back, with_own_mask};

pub(crate) use listener::{open as begin_to_tell, refuse, send as tell};
pub(crate) use request::forget as forget_request;

pub use crate::memory::output::note_output;
