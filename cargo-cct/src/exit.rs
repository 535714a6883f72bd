//! The exit codes of the tool; those that nextest has too mean the same there.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::run;

/// Set when the machine stood in the way of something that the command was to do.
static IS_SHORT: AtomicBool = AtomicBool::new(false);

/// How the whole command ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Nothing was found; a replayed failure passes now.
    Success = 0,
    /// There was no test to run.
    NoTests = 4,
    /// Nothing was found, but results lack, of shards or of tests.
    Incomplete = 5,
    /// The request makes no sense, or the machine cannot serve it.
    Setup = 96,
    /// A failure was found, or replayed.
    Failed = 100,
    /// The build failed; cargo said why.
    BuildFailed = 101,
    /// A replay left its schedule.
    Diverged = 106,
    /// The user stopped it: 128 and the number of the signal, which is that of ctrl-C here.
    Interrupted = 130,
}

impl Exit {
    /// Notes that the command goes on, and falls short of what it was to do.
    pub(crate) fn note_shortage() {
        IS_SHORT.store(true, Relaxed);
    }

    /// The code of a command that ended like this, by what was noted: what it says was told is told, but
    /// cannot be relied on to be there.
    pub(crate) fn of_all(self) -> Exit {
        match self {
            Exit::BuildFailed => self,
            _ if IS_SHORT.load(Relaxed) => Exit::Setup,
            _ => self,
        }
    }

    /// Each code with its meaning, for help and documentation.
    const TABLE: [(Exit, &str); 8] = [
        (
            Exit::Success,
            "nothing was found; for `replay`: it passes, or stopped as told; `shrink`: it came to an end",
        ),
        (Exit::NoTests, "there was no test to run"),
        (
            Exit::Incomplete,
            "nothing was found, but results lack: of shards, or of tests ended from outside",
        ),
        (
            Exit::Setup,
            "wrong request or settings, an unfit machine or toolchain, no space, or tests that were refused",
        ),
        (
            Exit::Failed,
            "a failure was found or replayed, or no schedule of a test came to an end",
        ),
        (
            Exit::BuildFailed,
            "the build failed, and cargo said why, or was killed",
        ),
        (
            Exit::Diverged,
            "a replay left its schedule, failed in another way, or was cut off",
        ),
        (
            Exit::Interrupted,
            "stopped by ctrl-C, or nobody read on and nothing was found; 143 by SIGTERM, 129 by SIGHUP",
        ),
    ];

    /// The table as help has it.
    pub(crate) fn help() -> String {
        let mut text = String::from("Exit codes:");
        for (exit, meaning) in Exit::TABLE {
            write!(text, "\n  {:>3}  {meaning}", exit as u8).expect("text takes text");
        }
        text
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            // As a shell says it of a process that a signal has ended.
            Exit::Interrupted => ExitCode::from(128 + run::stopped_by()),
            other => ExitCode::from(other as u8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_the_table() {
        let mut table = String::from("| exit code | means |\n|---|---|\n");
        for (exit, meaning) in Exit::TABLE {
            writeln!(table, "| {} | {meaning} |", exit as u8).expect("text takes text");
        }
        let page = include_str!("../../docs/ci.md");
        assert!(
            page.contains(&table),
            "docs/ci.md is to have this:\n{table}"
        );
    }
}
