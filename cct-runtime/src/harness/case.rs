//! A test, as its attributes describe it.

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
    pub(super) fn test_name(&self) -> &'static str {
        self.name
            .split_once("::")
            .map_or(self.name, |(_, rest)| rest)
    }
}
