//! A program of the benchmark: its body, and what is known of it.

use cct_shims::std::process;

/// A program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    /// The suite that it belongs to, as the published tables name it.
    pub(crate) suite: &'static str,
    /// Its name within the suite.
    pub(crate) name: &'static str,
    /// The body of the main thread.
    pub(crate) body: fn(),
    /// The expected result of a search for bugs.
    pub(crate) expects: Expectation,
    /// Its line in `published/schedules.csv`, if that is not `suite/name`.
    pub(crate) published_as: Option<&'static str>,
    /// How many schedules a trial has, unless the command line says otherwise.
    pub(crate) schedules: u64,
    /// True if, as for ThreadFuzzer's tables, the share of schedules with a bug is measured as well.
    pub(crate) counts_share: bool,
}

/// The expected results of a search for bugs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expectation {
    /// The program has a bug.
    Bug,
    /// The program has none: a verdict is a false alarm.
    Clean,
}

impl Program {
    /// A program with a bug.
    pub(crate) const fn buggy(suite: &'static str, name: &'static str, body: fn()) -> Program {
        Program {
            suite,
            name,
            body,
            expects: Expectation::Bug,
            published_as: None,
            schedules: 10_000,
            counts_share: false,
        }
    }

    /// A control: a program without a bug.
    pub(crate) const fn clean(suite: &'static str, name: &'static str, body: fn()) -> Program {
        Program {
            expects: Expectation::Clean,
            ..Program::buggy(suite, name, body)
        }
    }

    /// The same under another line of the published tables.
    pub(crate) const fn published_as(self, line: &'static str) -> Program {
        Program {
            published_as: Some(line),
            ..self
        }
    }

    /// The same with another number of schedules a trial.
    pub(crate) const fn schedules(self, schedules: u64) -> Program {
        Program { schedules, ..self }
    }

    /// The same, with the share of schedules with a bug measured as well.
    pub(crate) const fn with_share(self) -> Program {
        Program {
            counts_share: true,
            ..self
        }
    }

    /// Suite and name: `CS/reorder_3`.
    pub(crate) fn id(&self) -> String {
        format!("{}/{}", self.suite, self.name)
    }

    /// Its line in `published/schedules.csv`.
    pub(crate) fn published_line(&self) -> String {
        self.published_as.map_or_else(|| self.id(), str::to_owned)
    }

    /// True if this is a name of the program, or of its suite.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        name == self.suite || name == self.name || name == self.id()
    }

    /// True for a program without a bug.
    pub(crate) fn is_control(&self) -> bool {
        self.expects == Expectation::Clean
    }
}

/// C's `assert`: if it does not hold, the program ends at once, whichever thread says so.
///
/// A panic would unwind, poison locks and let other threads fail first.
#[track_caller]
pub(crate) fn require(holds: bool) {
    if !holds {
        process::abort();
    }
}
