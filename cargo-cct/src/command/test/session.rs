//! A run of tests under way: it hears what happens, counts it, and has it told.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::{Duration, Instant};

use cct::claim::Exceptions;
use cct::covered::Coverage;
use cct::wire::Counters;

use super::{covered, name_of};
use crate::build::cargo::{BuildError, Built, Cargo, Executable};
use crate::cli::TestArgs;
use crate::command::fall_short;
use crate::command::keeper::Keeper;
use crate::command::ledger::Ledger;
use crate::exit::Exit;
use crate::failure::Record;
use crate::report::{Failed, Many, Report, Reporter, Summary, nobody_reads};
use crate::results::Joined;
use crate::room;
use crate::run::{
    Account, Allotment, Campaign, Explorer, Keep, Notice, Outcome, Plan, RunSeed, Stop, TestName,
    TestRun, run_all, stop,
};

/// A run under way: what it is about, who hears of it, what came of it so far.
pub(super) struct Session<'a> {
    plan: &'a Plan,
    keeper: Keeper<'a>,
    reporter: Many,
    summary: Summary,
    failures: BTreeMap<TestName, (Record, Report)>,
    /// The results, if they are kept.
    ledger: Option<Ledger>,
    /// The tests of earlier commands that this one has not run.
    earlier: BTreeMap<TestName, Joined>,
    /// The last slice of each job of a campaign.
    last: BTreeMap<usize, TestRun>,
    /// The jobs of a campaign of which the last slice was ended from outside.
    ended_outside: BTreeSet<usize>,
    /// The beginning, which is to be told.
    begins: Option<RunSeed>,
}

impl Keep for Session<'_> {
    fn hear(&mut self, notice: Notice) -> io::Result<()> {
        Session::hear(self, notice)
    }

    fn next(&self, job: usize) -> u64 {
        let saved = self
            .ledger
            .as_ref()
            .and_then(|ledger| ledger.saved(&self.name(job)));
        saved.map_or(1, |saved| saved.next)
    }

    fn slice(&mut self, job: usize, run: TestRun) -> io::Result<(usize, bool)> {
        if matches!(run.outcome, Outcome::Stopped) {
            // It was ended from outside: it is as if it had not been, and comes again.
            self.ended_outside.insert(job);
            return Ok((0, false));
        }
        self.ended_outside.remove(&job);
        let (fresh, has_ended) = self.record(&run)?;
        if has_ended {
            // There is no more to come of it, and a failure is told at once.
            self.last.remove(&job);
            let run = self.whole(run);
            self.tell_ended(None, &run)?;
        } else {
            self.last.insert(job, run);
        }
        Ok((fresh, has_ended))
    }

    fn note(&mut self, job: usize, account: &Account) {
        let name = self.name(job);
        if let Some(ledger) = &mut self.ledger {
            ledger.note(&name, account);
        }
    }
}

impl<'a> Session<'a> {
    /// One of which nothing is known yet.
    pub(super) fn new(
        plan: &'a Plan,
        keeper: Keeper<'a>,
        reporter: Many,
        ledger: Option<Ledger>,
        seed: RunSeed,
    ) -> Session<'a> {
        Session {
            plan,
            summary: Summary {
                seed: keeper.run_seed,
                left_out: plan.left_out,
                not_run: plan.jobs.len(),
                ..Summary::default()
            },
            keeper,
            reporter,
            failures: BTreeMap::new(),
            ledger,
            earlier: BTreeMap::new(),
            last: BTreeMap::new(),
            ended_outside: BTreeSet::new(),
            begins: Some(seed),
        }
    }

    /// Explores all tests: each to its end, or in slices.
    pub(super) fn explore(
        &mut self,
        args: &TestArgs,
        explorer: &Explorer<'_>,
        words: &[String],
        width: usize,
    ) -> anyhow::Result<()> {
        let (plan, executables) = (self.plan, self.keeper.executables);
        let has_results = |ledger: &Ledger| !ledger.is_empty();
        if !plan.jobs.is_empty() || self.ledger.as_ref().is_some_and(has_results) {
            self.begin()?;
        }
        self.tell_earlier()?;
        if args.many.campaign.is_none() {
            let mut is_well = true;
            let hear = |notice: io::Result<Notice>| {
                let has_found = !matches!(notice, Ok(Notice::Begun(_)));
                let heard = notice.and_then(|notice| self.hear(notice));
                if let Err(error) = heard {
                    // Other findings are told all the same.
                    if std::mem::take(&mut is_well) {
                        fall_short(&error);
                    }
                    explorer.stop.set();
                }
                // A test that has only begun has the time to find what is told first.
                if has_found && nobody_reads() {
                    explorer.stop.set();
                }
                Ok(())
            };
            run_all(
                plan,
                executables,
                explorer,
                words,
                width,
                args.fail_fast,
                hear,
            )?;
            return Ok(());
        }
        let campaign = Campaign {
            plan,
            executables,
            explorer,
            words,
            width,
            time: self.time_left(args),
        };
        let ran = campaign.run(self.allotment(executables), self);
        if let Some(ledger) = &mut self.ledger
            && !self.ended_outside.is_empty()
        {
            ledger.lack();
        }
        self.tell_slices()?;
        Ok(ran?)
    }

    /// Tells the beginning, once.
    fn begin(&mut self) -> io::Result<()> {
        match self.begins.take() {
            Some(seed) => self.reporter.begin(self.plan.jobs.len(), seed),
            None => Ok(()),
        }
    }

    /// Tells the end, and closes the results.
    pub(super) fn end(
        mut self,
        elapsed: Duration,
        has_errors: bool,
        stop: &Stop,
    ) -> anyhow::Result<Exit> {
        self.summary.elapsed = elapsed;
        match covered::write(&self.summary.machines, self.keeper.workspace) {
            Ok(pictures) => self.summary.pictures = pictures,
            Err(error) => fall_short(error.as_ref()),
        }
        self.add_earlier();
        let has_tests = self.has_tests();
        let mut told = Ok(());
        if stop.is_set() || has_tests {
            told = self.begin();
            told = told.and_then(|()| self.reporter.end(&self.summary));
        } else {
            crate::report::remark_line!("{}: no test matches", crate::report::error_word());
        }
        if let Some(ledger) = &mut self.ledger {
            ledger.close(!stop.is_set() && self.summary.not_run == 0)?;
            if ledger.has_failed() && !stop.is_set() {
                return told.map(|()| Exit::Failed).map_err(Into::into);
            }
        }
        told?;
        let lacks = self.ledger.as_ref().is_some_and(Ledger::lacks);
        Ok(match exit(&self.summary, stop, has_errors, has_tests) {
            Exit::Success if lacks => Exit::Incomplete,
            exit => exit,
        })
    }

    /// Tells what is known of tests before any of them is run.
    fn tell_earlier(&mut self) -> io::Result<()> {
        let Some(ledger) = &self.ledger else {
            return Ok(());
        };
        self.earlier = ledger.tests();
        if !self.earlier.is_empty() {
            self.begin()?;
        }
        for (name, test) in &self.earlier {
            let failure = test.failures.first();
            let failure = failure.and_then(|(id, _)| self.keeper.on_record(id));
            let failure = failure.as_ref().map(|(record, report)| (record, report));
            self.reporter.earlier(name, test, failure)?;
        }
        Ok(())
    }

    /// Counts the tests that an earlier command has run, and this one has not.
    fn add_earlier(&mut self) {
        let planned = (0..self.plan.jobs.len()).map(|job| self.name(job));
        let planned = planned.filter(|name| self.earlier.contains_key(name));
        let planned = planned.count();
        self.summary.not_run -= planned;
        for (name, test) in &self.earlier {
            self.summary.add_earlier(name, test);
        }
    }

    fn name(&self, job: usize) -> TestName {
        name_of(&self.plan.jobs[job], self.keeper.executables)
    }

    /// How much of a campaign's time is left.
    fn time_left(&self, args: &TestArgs) -> Duration {
        let before = self.ledger.as_ref().map(Ledger::before).unwrap_or_default();
        let all = args.explore.settings.time;
        all.map_or(Duration::MAX, |all| all.saturating_sub(before))
    }

    /// The accounts of all jobs.
    fn allotment(&self, executables: &[Executable]) -> Allotment {
        let account = |job| {
            self.ledger
                .as_ref()
                .map(|ledger| ledger.account(&name_of(job, executables)))
        };
        let accounts = self
            .plan
            .jobs
            .iter()
            .map(|job| account(job).unwrap_or_default());
        Allotment::new(accounts.collect())
    }

    /// Adds a test, or a slice of it, to the results.
    fn record(&mut self, run: &TestRun) -> io::Result<(usize, bool)> {
        self.summary.machines.add(run);
        let failure = self.failures.get(&run.name);
        let failure = failure.map(|(record, _)| record.id.clone());
        let Some(ledger) = &mut self.ledger else {
            return Ok((0, false));
        };
        if matches!(run.outcome, Outcome::Stopped) {
            ledger.lack();
            return Ok((0, false));
        }
        let fresh = ledger.add(run, failure).map_err(io::Error::other)?;
        Ok((fresh, ledger.has_ended(&run.name)))
    }

    /// Tells of each test that has not ended what came of all its slices.
    fn tell_slices(&mut self) -> io::Result<()> {
        for (_, run) in std::mem::take(&mut self.last) {
            let run = self.whole(run);
            self.tell_ended(None, &run)?;
        }
        Ok(())
    }

    /// A test over all its slices.
    fn whole(&self, run: TestRun) -> TestRun {
        let covered = self.summary.machines.of(&run.name);
        let run = TestRun {
            covered: covered.cloned().unwrap_or_default(),
            ..run
        };
        match &self.ledger {
            Some(ledger) => ledger.whole(run),
            None => run,
        }
    }

    /// True if the tests of the documentation are to be run.
    pub(super) fn wants_doctests(&self, args: &TestArgs, built: &Built, stop: &Stop) -> bool {
        let failed = self.summary.failed + self.summary.flaky + self.summary.unfinished > 0;
        let wanted = args.cargo.wants_doctests() && built.has_doctests;
        wanted && !stop.is_set() && !(failed && args.fail_fast)
    }

    /// True if a test was run. Results may have all that is to be done, or another shard.
    pub(super) fn has_tests(&self) -> bool {
        let has_results = |ledger: &Ledger| !ledger.is_empty();
        self.summary.ran() > 0 || self.ledger.as_ref().is_some_and(has_results)
    }

    /// Runs them, natively.
    pub(super) fn run_doctests(
        &mut self,
        cargo: &Cargo<'_>,
        args: &TestArgs,
        words: &[String],
    ) -> anyhow::Result<()> {
        let began = Instant::now();
        let doctests = match cargo.run_doctests(&args.cargo, words) {
            // They are told as not run.
            Err(_) if stop::is_interrupted() => return Ok(()),
            doctests => doctests?,
        };
        let count = doctests.count;
        if count == 0 && doctests.status.success() {
            return Ok(());
        }
        let lack = || room::lacks_for_files(&self.keeper.workspace.target);
        let is_built = doctests.status.success() || doctests.failed;
        if !is_built && lack().is_none() {
            if let Some(ledger) = &mut self.ledger {
                ledger.lack();
            }
            return Err(BuildError::Failed.into());
        }
        let run = TestRun {
            name: TestName {
                binary: "doc-tests".to_owned(),
                test: String::new(),
            },
            started: None,
            elapsed: began.elapsed(),
            tried: Vec::new(),
            counters: Counters::default(),
            diverged: None,
            leak: None,
            shared_files: BTreeSet::new(),
            linked: Exceptions::NONE,
            uncontrolled: Vec::new(),
            printed: doctests.printed,
            seen: None,
            trouble: None,
            covered: Coverage::default(),
            silence: None,
            outcome: if doctests.status.success() {
                Outcome::Passed
            } else if let Some(lack) = lack() {
                Outcome::Refused(format!("{lack}; cargo ended with {}", doctests.status))
            } else {
                Outcome::FailedNatively(doctests.status.to_string())
            },
        };
        self.begin()?;
        self.summary.not_run += 1;
        let reason = crate::report::count(count, "documentation test");
        Ok(self.ended(Some(&reason), &run)?)
    }

    fn hear(&mut self, notice: Notice) -> io::Result<()> {
        match notice {
            Notice::Begun(name) => self.reporter.begun(&name),
            Notice::Progress(name, counters) => self.reporter.progress(&name, &counters),
            Notice::Shrinks(name, executions) => self.reporter.shrinks(&name, executions),
            Notice::Found { job, name, finding } => {
                let before = self.failures.get(&name).map(|(record, _)| record);
                let before = before.filter(|before| before.is_of_search_of(&finding));
                let executable = self.plan.jobs[job].executable;
                let kept = self
                    .keeper
                    .keep(name.clone(), executable, &finding, before)?;
                self.failures.insert(name, kept);
                Ok(())
            }
            Notice::Ended { native, run, .. } => self.ended(native, &run),
        }
    }

    fn ended(&mut self, native: Option<&str>, run: &TestRun) -> io::Result<()> {
        self.keeper.mark_all_gone(run);
        let recorded = self.record(run);
        self.tell_ended(native, run)?;
        recorded.map(drop)
    }

    fn tell_ended(&mut self, native: Option<&str>, run: &TestRun) -> io::Result<()> {
        if let Some((name, failure)) = self.failures.remove_entry(&run.name) {
            self.failures.insert(name, self.keeper.told(failure));
        }
        let failure = self.failures.get(&run.name);
        self.earlier.remove(&run.name);
        let summary = &mut self.summary;
        summary.add(run);
        let stopped = matches!(run.outcome, Outcome::Stopped);
        summary.not_run -= usize::from(!stopped);
        if run.started.is_none() && matches!(run.outcome, Outcome::Passed) {
            summary.native += 1;
        }
        match &run.outcome {
            Outcome::Passed => summary.passed += 1,
            Outcome::Unfinished => summary.unfinished += 1,
            outcome if outcome.is_flaky() => summary.flaky += 1,
            Outcome::Failed(_) | Outcome::FailedNatively(_) => summary.failed += 1,
            Outcome::Refused(_) => summary.refused += 1,
            Outcome::Stopped => {}
        }
        if !matches!(run.outcome, Outcome::Passed | Outcome::Stopped) {
            summary.failures.push(Failed {
                status: crate::report::status_label(run).to_owned(),
                name: run.name.clone(),
                id: failure.map(|(record, _)| record.id.to_string()),
            });
        }
        let has_failed = matches!(run.outcome, Outcome::Failed(_));
        let failure = failure.filter(|_| has_failed);
        let failure = failure.map(|(record, report)| (record, report));
        self.reporter.ended(run, native, failure)?;
        if let Some(trouble) = &run.trouble {
            fall_short(trouble);
        }
        Ok(())
    }
}

fn exit(summary: &Summary, stop: &Stop, has_errors: bool, has_tests: bool) -> Exit {
    // A run that nobody reads is stopped by itself, and was found to fail or not before that.
    let is_whole = summary.not_run == 0;
    if stop::is_interrupted() || (stop.is_set() && !nobody_reads()) {
        Exit::Interrupted
    } else if summary.failed + summary.flaky + summary.unfinished > 0 {
        // Before what could not be done: that must not hide what was found.
        Exit::Failed
    } else if stop.is_set() && !is_whole {
        Exit::Interrupted
    } else if summary.refused > 0 || has_errors {
        Exit::Setup
    } else if !has_tests {
        Exit::NoTests
    } else {
        Exit::Success
    }
}
