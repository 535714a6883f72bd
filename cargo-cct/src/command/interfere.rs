//! `cargo cct interfere`: finds tests that disturb each other, by running two at a time in one process.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use cct::config::Settings;
use cct::footprint::Footprint;
use cct::verdict::Verdict;

use super::keeper::Keeper;
use super::load;
use super::tested::Tested;
use crate::build::cargo::Executable;
use crate::cli::{HarnessArgs, InterfereArgs};
use crate::exit::Exit;
use crate::failure::{Moves, Record, Store, guide};
use crate::interference::{Pair, pairs};
use crate::report::{Disturbance, Interferences, Profiled, Report};
use crate::run::{
    Explorer, Finding, Launch, NoneFirst, Outcome, Plan, Repeated, Repeats, RunSeed, Scratch, Stop,
    TestName, follow, profile, same_end, together,
};

/// How many schedules of a pair are made, and for how long, if nothing else is asked for.
const SCHEDULES: u64 = 100;
const TIME: Duration = Duration::from_secs(5);
/// A test is tried alone in so many times as many schedules as led to a failure beside another one, and in so
/// many at least.
const MORE: u64 = 4;
const LEAST: u64 = 200;
/// A test that has failed beside so many others fails beside more of them for the same reason, as a rule.
const ALIKE: u32 = 3;

/// Does it.
pub(super) fn run(args: &InterfereArgs) -> anyhow::Result<Exit> {
    let stop = Stop::at_signals().context("cannot listen for signals")?;
    let harness = HarnessArgs::parse(args.filter.as_deref(), &args.rest)?;
    let subject = load(&args.cargo)?;
    let typed = args.settings();
    let tested = Tested::build(subject, &args.cargo, &typed, args.output)?;
    let (workspace, executables) = (&tested.workspace, &tested.built.executables);
    let plan = Plan::make(executables, &harness)?;
    let scratch = Scratch::create(&workspace.target)
        .with_context(|| format!("cannot write to `{}`", workspace.target.display()))?;
    let seed = RunSeed::choose(typed.seed, workspace.config.seed);
    let explorer = Explorer {
        seed,
        overrides: Settings {
            seed: None,
            iterations: typed.iterations.or(Some(SCHEDULES)),
            time: typed.time.or(Some(TIME)),
            ..typed.clone()
        },
        part: None,
        scratch: &scratch,
        stop: stop.clone(),
        first: &NoneFirst,
    };
    let keeper = Keeper {
        workspace,
        toolchain: &tested.toolchain,
        executables,
        selection: tested.selection.clone(),
        chosen: &tested.chosen,
        store: Store::new(workspace.failures()),
        run_seed: seed.number(),
    };
    let mut session = Session {
        args,
        explorer,
        keeper,
        report: Interferences::new(args.output.json),
        alone: BTreeMap::new(),
        failed: BTreeMap::new(),
        has_refused: false,
    };
    let mut any = false;
    for (index, executable) in executables.iter().enumerate() {
        let jobs = plan.jobs.iter().filter(|job| job.executable == index);
        let tests: Vec<String> = jobs
            .filter_map(|job| Some(job.test()?.to_owned()))
            .collect();
        any |= !tests.is_empty();
        if tests.len() > 1 && !stop.is_set() {
            session.run(index, executable, &tests)?;
        }
    }
    if !any {
        crate::report::remark_line!("{}: no test matches", crate::report::error_word());
        return Ok(Exit::NoTests);
    }
    let has_found = session.report.end(stop.is_set())?;
    Ok(match (stop.is_set(), has_found) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Failed,
        (false, false) if session.has_refused => Exit::Setup,
        (false, false) => Exit::Success,
    })
}

/// The end of a test that is run by itself.
enum Alone {
    /// So many schedules pass.
    Passes(u64),
    Fails,
    Unfinished,
    /// It was refused, or the user wanted an end.
    NotRun,
}

/// Runs under way.
struct Session<'a> {
    args: &'a InterfereArgs,
    explorer: Explorer<'a>,
    keeper: Keeper<'a>,
    report: Interferences,
    /// Of each test that was tried alone since it failed beside another one: how many schedules passed, or
    /// none if one failed.
    alone: BTreeMap<TestName, Option<u64>>,
    /// How often each test has failed beside another one.
    failed: BTreeMap<TestName, u32>,
    /// Some run was refused.
    has_refused: bool,
}

impl Session<'_> {
    /// Looks at the tests of an executable.
    fn run(
        &mut self,
        index: usize,
        executable: &Executable,
        tests: &[String],
    ) -> anyhow::Result<()> {
        let began = Instant::now();
        let name = name_of(executable, "");
        let (overrides, defaults) = self.explorer.settings_of(executable, &name, None);
        let silence = self.explorer.hang_timeout_of(executable, "");
        let (scratch, stop) = (self.explorer.scratch, &self.explorer.stop);
        let settings = (&overrides, &defaults);
        let footprints = profile(executable, tests, settings, silence, (scratch, stop))?;
        let (failing, sound): (Vec<Footprint>, Vec<Footprint>) =
            footprints.into_iter().partition(|it| it.failed.is_some());
        let all = pairs(&sound);
        self.report.profiled(&Profiled {
            binary: &executable.label,
            tests: sound.len(),
            failing: &failing,
            pairs: all.len(),
            elapsed: began.elapsed(),
        })?;
        for (number, pair) in all.iter().enumerate() {
            if self.explorer.stop.is_set() {
                break;
            }
            if number >= self.args.pairs {
                self.report.left_out(all.len() - number);
                break;
            }
            self.look_at(index, executable, pair)?;
        }
        Ok(())
    }

    /// Runs two tests at a time.
    fn look_at(
        &mut self,
        index: usize,
        executable: &Executable,
        pair: &Pair,
    ) -> anyhow::Result<()> {
        let names = pair.tests.each_ref().map(|test| name_of(executable, test));
        if names
            .iter()
            .any(|name| matches!(self.alone.get(name), Some(None)))
        {
            self.report.spared();
            return Ok(());
        }
        let is_known = |name: &TestName| self.failed.get(name).is_some_and(|&times| times >= ALIKE);
        if names.iter().any(is_known) {
            self.report.alike();
            return Ok(());
        }
        let both = together(&pair.tests);
        let run = self
            .explorer
            .explore(executable, &both, None, 1, &|_| {}, &|_| {})?;
        let schedules = run.counters.schedules;
        if let Outcome::Refused(reason) = run.outcome {
            let [one, other] = &pair.tests;
            self.refuse(
                &format!("`{one}` and `{other}` cannot be run together"),
                &reason,
            );
            return Ok(());
        }
        let Outcome::Failed(finding) = run.outcome else {
            let is_whole = matches!(run.outcome, Outcome::Passed);
            return Ok(self
                .report
                .passed(&executable.label, pair, schedules, is_whole)?);
        };
        if finding.repeats != Repeats::Yes {
            return Ok(self
                .report
                .passed(&executable.label, pair, schedules, false)?);
        }
        let disturbed = disturbed(&finding);
        for (test, name) in names.iter().enumerate() {
            let fails = disturbed.is_none_or(|disturbed| disturbed == test);
            if fails && self.fails_without(executable, &finding, &both, &pair.tests[1 - test])? {
                self.alone.insert(name.clone(), None);
                self.report.spared();
                return Ok(());
            }
        }
        let mut alone = u64::MAX;
        for name in names.clone() {
            match self.alone(executable, name, finding.iteration)? {
                Alone::Passes(schedules) => alone = alone.min(schedules),
                Alone::Fails => {
                    self.report.spared();
                    return Ok(());
                }
                Alone::Unfinished => {
                    return Ok(self
                        .report
                        .passed(&executable.label, pair, schedules, false)?);
                }
                Alone::NotRun => return Ok(()),
            }
        }
        for (test, name) in names.into_iter().enumerate() {
            if disturbed.is_none_or(|disturbed| disturbed == test) {
                *self.failed.entry(name).or_default() += 1;
            }
        }
        let (record, report) = self.keep(name_of(executable, &both), index, &finding)?;
        Ok(self.report.disturbed(&Disturbance {
            binary: &executable.label,
            pair,
            disturbed,
            alone,
            record: &record,
            report: &report,
        })?)
    }

    /// True if the failing schedule of both tests leads to the failure also where this one of them does
    /// nothing.
    fn fails_without(
        &self,
        executable: &Executable,
        finding: &Finding,
        both: &str,
        partner: &str,
    ) -> anyhow::Result<bool> {
        let Some(trace) = &finding.trace else {
            return Ok(false);
        };
        let guide = guide(trace, &finding.schedule, &Moves::default());
        let launch = Launch {
            muted: Some(partner),
            ..Launch::exploring(executable, both, (&finding.overrides, &finding.defaults))
        };
        let timeout = self.explorer.hang_timeout_of(executable, both);
        let (scratch, stop) = (self.explorer.scratch, &self.explorer.stop);
        let bug = match follow(&launch, &guide, timeout, scratch, stop)? {
            Repeated::Ended { replayed, .. } => match replayed.verdict {
                Verdict::Failed(bug) => Some(*bug),
                Verdict::Passed | Verdict::CutOff => None,
            },
            Repeated::Died { bug, .. } => Some(bug),
            Repeated::Refused(_) | Repeated::Stopped => None,
        };
        Ok(same_end(finding.bug.as_ref(), bug.as_ref()))
    }

    /// Runs the test by itself, unless its end is known.
    fn alone(
        &mut self,
        executable: &Executable,
        name: TestName,
        found_at: u64,
    ) -> anyhow::Result<Alone> {
        let wanted = (found_at * MORE).max(LEAST);
        let enough = |known: &&Option<u64>| known.is_none_or(|schedules| schedules >= wanted);
        if let Some(known) = self.alone.get(&name).filter(enough) {
            return Ok(known.map_or(Alone::Fails, Alone::Passes));
        }
        let explorer = Explorer {
            overrides: Settings {
                iterations: Some(wanted),
                time: self.explorer.overrides.time.map(|time| time * 2),
                shrink: Some(Duration::ZERO),
                ..self.explorer.overrides.clone()
            },
            stop: self.explorer.stop.clone(),
            ..self.explorer
        };
        let run = explorer.explore(executable, &name.test, None, 1, &|_| {}, &|_| {})?;
        let schedules = run.counters.schedules;
        let alone = match run.outcome {
            Outcome::Passed => Alone::Passes(schedules),
            Outcome::Failed(_) | Outcome::FailedNatively(_) => Alone::Fails,
            Outcome::Unfinished => return Ok(Alone::Unfinished),
            Outcome::Refused(reason) => {
                self.refuse(&format!("`{}` cannot be run alone", name.test), &reason);
                return Ok(Alone::NotRun);
            }
            Outcome::Stopped => return Ok(Alone::NotRun),
        };
        let passes = matches!(alone, Alone::Passes(_));
        self.alone.insert(name, passes.then_some(schedules));
        Ok(alone)
    }

    /// Tells that a run was refused; others may be made.
    fn refuse(&mut self, what: &str, reason: &str) {
        crate::report::remark_line!("{}: {what}: {reason}", crate::report::error_word());
        self.has_refused = true;
    }

    fn keep(
        &self,
        name: TestName,
        index: usize,
        finding: &Finding,
    ) -> anyhow::Result<(Record, Report)> {
        let kept = self.keeper.keep(name, index, finding, None)?;
        Ok(self.keeper.told(kept))
    }
}

fn name_of(executable: &Executable, test: &str) -> TestName {
    TestName {
        binary: executable.label.clone(),
        test: test.to_owned(),
    }
}

/// The test that failed, by its number; none if both are part of the failure. The workers of the two tests
/// are the first that are made.
fn disturbed(finding: &Finding) -> Option<usize> {
    let bug = finding.bug.as_ref().filter(|bug| bug.race.is_none())?;
    // Where a panic of one came to the other, the other fails: the panic may be as it should.
    let worker = bug.led_to.as_ref().map(|led_to| led_to.worker);
    let worker = usize::try_from(worker.or(bug.worker)?).ok()?;
    worker.checked_sub(1).filter(|&test| test < 2)
}
