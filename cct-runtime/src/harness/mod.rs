//! Where a test's body meets the engine.
//!
//! A test attribute's expansion calls [`run_test`]. In a process that cargo-cct started it explores or
//! replays, and ends the process; anywhere else the body runs once, as it would without us.

mod channel;
mod crash;
mod distinct;
mod early_end;
mod explore;
mod interactive;
mod judge;
mod process;
mod replay;
mod resume;
mod share;
mod signals;
mod surroundings;
mod timeouts;

use std::process::Termination;

/// The attribute that `#[cct::test]` ends up as: std's own, wherever it is expanded.
#[doc(hidden)]
pub use core::prelude::v1::test as real_test;

pub use explore::{Exploration, Explorer, Seen, explore};
pub use process::report_uncontrolled;
pub use signals::{is_handled_by_programs, take_signals_back};

pub use crate::memory::output::note_output;

use crate::engine::is_controlled;
use crate::wire::ENV_MODE;

/// What the test attribute says about a test.
#[derive(Clone, Copy, Debug)]
pub struct TestCase {
    /// `module_path!()` and the function's name.
    pub name: &'static str,
    /// What `#[should_panic]` says.
    pub should_panic: ShouldPanic,
    /// Settings of `#[cct::test(…)]` as `key=value` lines, checked at compile time.
    pub settings: &'static str,
}

/// What `#[should_panic]` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShouldPanic {
    /// The attribute is absent.
    No,
    /// Any panic will do.
    Yes,
    /// The message must contain this.
    With(&'static str),
}

impl TestCase {
    /// The name as libtest shows it: without the crate.
    fn test_name(&self) -> &'static str {
        self.name
            .split_once("::")
            .map_or(self.name, |(_, rest)| rest)
    }
}

/// Runs a test's body as the environment asks: natively once, exploring, or replaying.
///
/// Exploring and replaying do not return: the process ends with the last event.
pub fn run_test<T: Termination>(case: &'static TestCase, body: impl Fn() -> T) -> T {
    if is_controlled() {
        return body();
    }
    match std::env::var(ENV_MODE) {
        Ok(mode) => {
            let judged = || judge::judge(case.should_panic, &body);
            process::run(case, &mode, &judged)
        }
        Err(_) => body(),
    }
}
