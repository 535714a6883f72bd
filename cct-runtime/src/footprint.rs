//! The footprint of a test: what it uses of all that the tests of a process share.

use crate::codec::wire_struct;

/// The footprint of a test, as it was in one schedule.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// The test.
    pub test: String,
    /// The things that it uses, each once.
    pub uses: Vec<Use>,
    /// How it failed, if it did; the schedule may have been cut off as well.
    pub failed: Option<String>,
}

/// A thing that a test uses.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Use {
    /// The kind of the thing, as people call it: `variable`, `file`, `static`, ….
    pub kind: String,
    /// Its name among those of its kind; empty if it is the only one, `*` for all of them.
    pub name: String,
    /// The test may have changed it.
    pub changes: bool,
}

/// The kind of statics of the program.
pub const STATIC: &str = "static";

wire_struct!(Footprint { test, uses, failed });
wire_struct!(Use {
    kind,
    name,
    changes
});
