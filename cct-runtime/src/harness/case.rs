//! A test, as its attributes describe it.

/// A test, as its attributes describe it.
#[derive(Clone, Copy, Debug)]
pub struct TestCase {
    /// `module_path!()` and the function's name.
    pub name: &'static str,
    /// Whether the body is expected to panic.
    pub should_panic: ShouldPanic,
    /// Settings of `#[cct::test(…)]` as `key=value` lines, checked at compile time.
    pub settings: &'static str,
}

/// The expectation of `#[should_panic]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShouldPanic {
    /// The attribute is absent.
    No,
    /// Any panic passes the test.
    Yes,
    /// A panic passes whose message contains this text.
    With(&'static str),
}

impl TestCase {
    /// Returns the name as libtest shows it, without the crate.
    pub(super) fn test_name(&self) -> &'static str {
        self.name
            .split_once("::")
            .map_or(self.name, |(_, rest)| rest)
    }
}
