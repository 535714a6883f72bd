//! Where a test's body meets the engine.
//!
//! A test attribute's expansion calls [`run_test`]. In a process that cargo-cct started it explores or
//! replays, and ends the process; anywhere else the body runs once, as it would without us.
//!
//! Only this folder ends a process: the engine returns how an iteration ended, or calls a function that it
//! was given. Imports go one way, from the files below to those above them.

mod case;
mod judge;

mod channel;
mod listener;
mod signals;

mod board;
mod request;

mod seeds;
mod surroundings;
mod timeouts;

mod head;
mod runner;

mod interactive;
mod replay;

mod distinct;
mod portfolio;
mod resume;
mod share;
mod tally;

mod maker;

mod early_end;
mod repeat;
mod search;

mod crash;
mod explorer;
mod process;

/// The attribute that `#[cct::test]` ends up as: std's own, wherever it is expanded.
#[doc(hidden)]
pub use core::prelude::v1::test as real_test;

pub use case::{ShouldPanic, TestCase};
pub use explorer::{Exploration, Explorer, explore};
pub use listener::report_uncontrolled;
pub use maker::Seen;
pub use process::run_test;
pub use signals::{is_handled_by_programs, take_signals_back};

pub use crate::memory::output::note_output;
