//! How a test is called.

use std::fmt;

/// A test by its executable and its path in there.
#[derive(
    Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
)]
pub(crate) struct TestName {
    /// The executable: `package`, `package::test`, `package::bin/name`.
    pub binary: String,
    /// The test's path in it; empty when the executable is run as a whole.
    pub test: String,
}

impl fmt::Display for TestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.binary)?;
        if self.test.is_empty() {
            Ok(())
        } else {
            write!(f, " {}", self.test)
        }
    }
}
