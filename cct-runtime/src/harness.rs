//! Where a test's body meets the engine. (interface; bodies follow)
/// std's own attribute: the expansion of ours must not meet the one that stands in for it.
#[doc(hidden)]
pub use core::prelude::v1::test as real_test;
use std::process::Termination;

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

/// Runs a test's body as the environment asks: natively once, exploring, or replaying.
///
/// Exploring and replaying do not return: the process ends with the last event.
pub fn run_test<T: Termination>(case: &'static TestCase, body: impl Fn() -> T) -> T {
    let _ = case;
    body()
}
