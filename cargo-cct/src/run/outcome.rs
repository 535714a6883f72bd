//! A test that was run, and how it ended.

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use cct::claim::Exceptions;
use cct::covered::Coverage;
use cct::verdict::{Bug, too_much_memory};
use cct::wire::{Counters, Divergence, Fingerprints, Started};

use super::finding::{Finding, Repeats};
use super::first::Tried;
use super::isolation::Leak;
use super::name::TestName;
use super::watch::End;
use crate::build::cargo::Executable;

/// A test that was run.
#[derive(Debug)]
pub(crate) struct TestRun {
    /// The test.
    pub name: TestName,
    /// Whether it was explored: what the engine said when it was up.
    pub started: Option<Started>,
    /// How long it took.
    pub elapsed: Duration,
    /// The schedules that were tried before it was explored.
    pub tried: Vec<Tried>,
    /// The counters.
    pub counters: Counters,
    /// Set when its first schedule did not repeat.
    pub diverged: Option<Divergence>,
    /// Why each of its schedules had a process of its own, unless somebody wanted that.
    pub leak: Option<Leak>,
    /// The files that its schedules have both changed and depended on, as far as they were seen.
    pub shared_files: BTreeSet<String>,
    /// The facts of the crates that it is made of: what no run can see.
    pub linked: Exceptions,
    /// The uncontrolled things that it uses.
    pub uncontrolled: Vec<String>,
    /// The output of its last schedule.
    pub printed: String,
    /// The fingerprints of a shard's schedules.
    pub seen: Option<Fingerprints>,
    /// The coverage of its machines.
    pub covered: Coverage,
    /// How it ended.
    pub outcome: Outcome,
    /// Set when the machine stood in the way of finding out more.
    pub trouble: Option<io::Error>,
    /// Set when a schedule went on without a sign of life, and nobody knows whether it would have ended.
    pub silence: Option<Bug>,
}

/// How far a test is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Progress<'a> {
    /// It is explored: the counts of its schedules.
    Explores(&'a Counters),
    /// Its failure is shrunk: there is a shorter schedule after so many executions, or none yet after 0.
    Shrinks(u64),
}

/// How a test ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Nothing was found.
    Passed,
    /// Nothing was found, and no schedule came to an end, or one went on in silence: nothing is known of what
    /// comes after that.
    Unfinished,
    /// A bug was found.
    Failed(Box<Finding>),
    /// It ran natively and failed.
    FailedNatively(String),
    /// It would not begin.
    Refused(String),
    /// The user wanted everything to end.
    Stopped,
}

impl TestRun {
    /// True if nothing was found, and a schedule came to an end: of all its slices, whose counters these are.
    pub(crate) fn has_passed(&self, all: &Counters) -> bool {
        match self.outcome {
            Outcome::Passed => true,
            Outcome::Unfinished => self.silence.is_none() && all.ended() > 0,
            _ => false,
        }
    }
}

impl Outcome {
    /// True for a bug that did not repeat.
    pub(crate) fn is_flaky(&self) -> bool {
        match self {
            Outcome::Failed(finding) => matches!(finding.repeats, Repeats::No(_)),
            _ => false,
        }
    }
}

impl TestRun {
    /// That of a test of which nothing is known yet.
    pub(crate) fn new(name: TestName, executable: &Executable) -> TestRun {
        TestRun {
            name,
            started: None,
            elapsed: Duration::ZERO,
            tried: Vec::new(),
            counters: Counters::default(),
            diverged: None,
            leak: None,
            shared_files: BTreeSet::new(),
            linked: executable.linked.left_out,
            uncontrolled: Vec::new(),
            printed: String::new(),
            covered: Coverage::default(),
            outcome: Outcome::Passed,
            seen: None,
            trouble: None,
            silence: None,
        }
    }

    /// True if it was under control.
    pub(crate) fn is_controlled(&self) -> bool {
        self.started.is_some() || self.tried.iter().any(|tried| tried.finding().is_some())
    }
}

/// A process in which no engine came up has run the test as it is, once. Its failure says nothing if there is
/// no room for files.
pub(super) fn native_outcome(end: &End, lack: impl FnOnce() -> Option<io::Error>) -> Outcome {
    let outcome = outcome_of(end);
    match &outcome {
        Outcome::FailedNatively(how) => match lack() {
            Some(lack) => Outcome::Refused(format!("{lack}; it ended with {how}")),
            None => outcome,
        },
        _ => outcome,
    }
}

fn outcome_of(end: &End) -> Outcome {
    match end {
        End::Exited(status) if status.success() => Outcome::Passed,
        End::Exited(status) => Outcome::FailedNatively(status.to_string()),
        End::Hung => Outcome::FailedNatively("it was silent for too long".to_owned()),
        End::Halted => Outcome::FailedNatively("a signal stopped it".to_owned()),
        End::TooLarge(limit) => Outcome::FailedNatively(too_much_memory(*limit)),
        End::Blocked(call) => Outcome::FailedNatively(format!("it waited in {call}")),
        End::Stopped => Outcome::Stopped,
    }
}
