//! Libraries of tests that write a file beside the source when a test fails.
//!
//! The next schedule would read it, and the failure would not repeat: proptest tries the inputs in its file
//! first. Under control they are told not to, unless the user says how they are to go about it.

/// A variable by which a library does not write.
#[derive(Clone, Copy, Debug)]
pub struct FailureFile {
    /// The variable; one that is set by the user stays.
    pub variable: &'static str,
    /// Its value.
    pub value: &'static str,
}

/// All of them.
pub const FAILURE_FILES: &[FailureFile] = &[
    // `proptest-regressions/*.txt`, which is not read either.
    FailureFile {
        variable: "PROPTEST_DISABLE_FAILURE_PERSISTENCE",
        value: "true",
    },
    // `*.snap.new`.
    FailureFile {
        variable: "INSTA_UPDATE",
        value: "no",
    },
];
