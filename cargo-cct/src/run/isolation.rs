//! Which tests leave something behind from one schedule to the next, so that each has a process of its own.
//!
//! Seen in one run, it is remembered for the next, in our part of the target folder.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::{fs, io};

use cct::claim::Exception;
use cct::config::Isolation;
use cct::verdict::BugKind;
use cct::wire::Divergence;

use super::name::TestName;
use super::outcome::{Outcome, TestRun};
use super::scratch::Scratch;
use crate::{plain_file, room};

/// How it was seen that a test's schedules depend on what earlier ones have left behind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Leak {
    /// The first schedule did not repeat in the same process.
    Diverged(Divergence),
    /// The failure of this iteration, with this message, did not repeat in another process.
    Failed(u64, String),
    /// Some schedule has changed what is not put back.
    LeftBehind,
    /// By an earlier run.
    Remembered,
}

impl Leak {
    /// The one that there may be in the process of this run, if nobody has said how its schedules are made.
    pub(super) fn suspected_in(run: &TestRun) -> Option<Leak> {
        let started = run.started.as_ref()?;
        if started.isolation != Isolation::Auto.name() {
            return None;
        }
        if let Some(divergence) = &run.diverged {
            return Some(Leak::Diverged(divergence.clone()));
        }
        match &run.outcome {
            Outcome::Failed(finding) if run.outcome.is_flaky() => {
                let bug = finding.bug.as_ref()?;
                // A process without last words was killed by somebody else.
                let was_killed = bug.kind == BugKind::Signal && bug.worker.is_none();
                (!was_killed).then(|| Leak::Failed(finding.iteration, bug.message.clone()))
            }
            Outcome::Passed => {
                let counters = &run.counters;
                let is_left = counters.left_out.has(Exception::StateLeftBehind);
                (is_left && counters.schedules > 1).then_some(Leak::LeftBehind)
            }
            _ => None,
        }
    }
}

/// The tests that are remembered.
#[derive(Debug)]
pub(super) struct Leaks {
    file: PathBuf,
}

impl Leaks {
    /// The ones of the workspace whose files these are.
    pub(super) fn of(scratch: &Scratch) -> Leaks {
        Leaks {
            file: scratch.beside("isolated.json"),
        }
    }

    /// True if a run has seen that of this test.
    pub(super) fn has(&self, name: &TestName) -> bool {
        self.read().contains(name)
    }

    /// Remembers a test.
    pub(super) fn add(&self, name: &TestName) -> io::Result<()> {
        self.change(|names| names.insert(name.clone()))
    }

    /// Forgets a test.
    pub(super) fn remove(&self, name: &TestName) -> io::Result<()> {
        self.change(|names| names.remove(name))
    }

    /// One thread at a time changes them.
    fn change(&self, change: impl FnOnce(&mut BTreeSet<TestName>) -> bool) -> io::Result<()> {
        static ONE: Mutex<()> = Mutex::new(());
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut names = self.read();
        if change(&mut names) {
            self.write(&names)?;
        }
        Ok(())
    }

    fn write(&self, names: &BTreeSet<TestName>) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(names)?;
        let written = plain_file::put(&self.file, |path| fs::write(path, text));
        written.map_err(|error| room::at(&self.file, error))
    }

    /// A file that is not there, or damaged, remembers nothing: it is seen again.
    fn read(&self) -> BTreeSet<TestName> {
        let bytes = plain_file::read(&self.file).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}
