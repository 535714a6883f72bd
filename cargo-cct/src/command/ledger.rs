//! The results of a run as they are kept while it goes on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::failure::Id;
use crate::results::{Ending, Joined, Origin, Results, ResultsError, Saved};
use crate::run::{Account, Outcome, TestName, TestRun};

/// Results are written again after each test, unless that takes more than one part in so many of the time.
const SHARE: u32 = 20;

/// The results of one shard.
#[derive(Debug)]
pub(super) struct Ledger {
    folder: PathBuf,
    shard: u32,
    results: Results,
    began: Instant,
    before: f64,
    due: Instant,
    /// A test has to be run again.
    lacks: bool,
    /// No test matches the user's words.
    is_empty: bool,
}

impl Ledger {
    /// The seed of the run that a folder has results of.
    pub(super) fn seed_in(folder: &Path) -> Result<Option<u64>, ResultsError> {
        let results = Results::read(folder)?;
        Ok(results.map(|results| results.origin.seed))
    }

    /// Goes on with the results in a folder, or begins them; they are written at once, so that a folder that
    /// cannot be written to is known before anything is explored.
    pub(super) fn open(folder: &Path, shard: u32, origin: Origin) -> Result<Ledger, ResultsError> {
        let mut results = match Results::read(folder)? {
            Some(results) => match results.origin.difference(&origin) {
                Some(difference) => {
                    return Err(ResultsError::Other(Results::path(folder), difference));
                }
                None => results,
            },
            None => Results::new(origin),
        };
        results.shards.entry(shard).or_default();
        results.complete.remove(&shard);
        let ledger = Ledger {
            before: results.elapsed.get(&shard).copied().unwrap_or_default(),
            folder: folder.to_owned(),
            shard,
            results,
            began: Instant::now(),
            due: Instant::now(),
            lacks: false,
            is_empty: false,
        };
        ledger.results.write(folder)?;
        Ok(ledger)
    }

    /// How long earlier processes worked on it.
    pub(super) fn before(&self) -> Duration {
        Duration::try_from_secs_f64(self.before).unwrap_or_default()
    }

    /// A test's results so far.
    pub(super) fn saved(&self, name: &TestName) -> Option<&Saved> {
        self.results.shards.get(&self.shard)?.get(name)
    }

    /// True if there is nothing more to do for a test.
    pub(super) fn has_ended(&self, name: &TestName) -> bool {
        self.saved(name)
            .is_some_and(|saved| saved.ending != Ending::Open)
    }

    /// True if a test has failed or is unfinished.
    pub(super) fn has_failed(&self) -> bool {
        let failed = [Ending::Failed, Ending::Flaky, Ending::Unfinished];
        let mut tests = self.results.shards.get(&self.shard).into_iter().flatten();
        tests.any(|(_, saved)| failed.contains(&saved.ending))
    }

    /// A test's account of the time that it had.
    pub(super) fn account(&self, name: &TestName) -> Account {
        let saved = self.saved(name);
        saved.map_or_else(Account::default, |saved| Account {
            slices: saved.slices,
            total: saved.seconds,
            yielded: saved.yielded,
            spent: saved.spent,
            is_closed: saved.ending != Ending::Open,
            ..Account::default()
        })
    }

    /// Takes in a test that ended, or a slice of it. Returns how many behaviours were new.
    pub(super) fn add(
        &mut self,
        run: &TestRun,
        failure: Option<Id>,
    ) -> Result<usize, ResultsError> {
        let tests = self.results.shards.entry(self.shard).or_default();
        let saved = tests.entry(run.name.clone()).or_default();
        let seen = self.results.seen.entry(run.name.clone()).or_default();
        let fresh = saved.add(run, failure, seen, &self.results.origin);
        if Instant::now() >= self.due {
            self.write()?;
        }
        Ok(fresh)
    }

    /// Notes a test's account.
    pub(super) fn note(&mut self, name: &TestName, account: &Account) {
        let tests = self.results.shards.entry(self.shard).or_default();
        if let Some(saved) = tests.get_mut(name) {
            (saved.yielded, saved.spent) = (account.yielded, account.spent);
        }
    }

    /// All tests of this shard, each over all its slices.
    pub(super) fn tests(&self) -> BTreeMap<TestName, Joined> {
        self.results.tests_of(self.shard)
    }

    /// A test over all its slices.
    pub(super) fn whole(&self, run: TestRun) -> TestRun {
        match self.results.test_of(self.shard, &run.name) {
            Some(joined) => TestRun {
                elapsed: Duration::try_from_secs_f64(joined.seconds).unwrap_or_default(),
                outcome: if run.has_passed(&joined.counters) {
                    Outcome::Passed
                } else {
                    run.outcome
                },
                counters: joined.counters,
                ..run
            },
            None => run,
        }
    }

    /// Notes that no test matches the user's words.
    pub(super) fn match_none(&mut self) {
        self.is_empty = true;
    }

    /// True if none does.
    pub(super) fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Notes that a test was ended from outside.
    pub(super) fn lack(&mut self) {
        self.lacks = true;
    }

    /// True if a test was ended from outside, and has to be run again.
    pub(super) fn lacks(&self) -> bool {
        self.lacks
    }

    /// Writes all; `is_complete` if there is no more to do.
    pub(super) fn close(&mut self, is_complete: bool) -> Result<(), ResultsError> {
        if is_complete && !self.lacks {
            self.results.complete.insert(self.shard);
        }
        self.write()
    }

    fn write(&mut self) -> Result<(), ResultsError> {
        let elapsed = self.before + self.began.elapsed().as_secs_f64();
        self.results.elapsed.insert(self.shard, elapsed);
        let began = Instant::now();
        self.results.write(&self.folder)?;
        self.due = Instant::now() + began.elapsed() * SHARE;
        Ok(())
    }
}
