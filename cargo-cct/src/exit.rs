//! The exit codes of the tool; those that nextest has too mean the same there.

use std::process::ExitCode;

/// How the whole command ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Nothing was found; a replayed failure passes now.
    Success = 0,
    /// There was no test to run.
    NoTests = 4,
    /// The request makes no sense, or the machine cannot serve it.
    Setup = 96,
    /// A failure was found, or replayed.
    Failed = 100,
    /// The build failed; cargo said why.
    BuildFailed = 101,
    /// A replay left its schedule.
    Diverged = 106,
    /// The user stopped it.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}
