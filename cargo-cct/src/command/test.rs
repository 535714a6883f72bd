//! `cargo cct test`: builds, explores, reports.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use cct::claim::Exceptions;
use cct::config::Settings;
use cct::part::Part;
use cct::wire::Counters;

use super::interactive::{Subject, lead};
use super::keeper::Keeper;
use super::known::Known;
use super::ledger::Ledger;
use super::profiled::{check_names, junit, profiled, refuse_typos};
use super::tested::{self, Tested};
use super::{compare, load};
use crate::build::cargo::{Built, Cargo, Executable};
use crate::build::chosen::Chosen;
use crate::build::workspace::Workspace;
use crate::cli::{HarnessArgs, ManyArgs, TestArgs};
use crate::exit::Exit;
use crate::failure::{Record, Store};
use crate::report::{Failed, GitHub, Human, JUnit, Json, Many, Report, Reporter, Summary, crates};
use crate::results::Origin;
use crate::run::{
    Account, Allotment, Campaign, Explorer, Job, Keep, Launch, Lead, NoneFirst, Notice, Outcome,
    Plan, Repeats, RunSeed, Scratch, Shard, Stop, TestName, TestRun, run_all,
};

/// Does it.
#[expect(clippy::too_many_lines, reason = "one step after the other")]
pub(super) fn run(args: &TestArgs) -> anyhow::Result<Exit> {
    let harness = HarnessArgs::parse(args.filter.as_deref(), &args.rest)?;
    let width = width(args, &harness)?;
    let shard = args
        .many
        .shard
        .map(|shard| shard.resolve(|name| std::env::var(name).ok()));
    let shard = shard.transpose()?;
    let folder = folder_of_results(&args.many, shard)?;
    let (args, tested) = &tested_by(args, &folder)?;
    let (workspace, built) = (&tested.workspace, &tested.built);
    tell_of_crates(args, workspace, &tested.chosen, built)?;
    if args.no_run {
        return tell_of_executables(args, &built.executables);
    }
    let mut plan = Plan::make(&built.executables, &harness)?;
    if harness.list {
        list(&plan, &built.executables);
        return Ok(Exit::Success);
    }

    check_resume(args, &plan)?;
    let scratch = Scratch::create(&workspace.target)
        .with_context(|| format!("cannot write to `{}`", workspace.target.display()))?;
    let stop = Stop::at_signals().context("cannot listen for signals")?;
    let is_kept = is_kept(&args.many, shard);
    let seed = seed(args, tested, is_kept.then_some(&*folder), shard)?;
    let mut overrides = tested.typed.clone();
    overrides.seed = None;
    let mut ledger = None;
    if is_kept {
        let opened = open_ledger(args, &harness, tested, (&folder, shard), (seed, &overrides))?;
        let before = plan.jobs.len();
        let names: Vec<_> = plan
            .jobs
            .iter()
            .map(|job| name_of(job, &built.executables))
            .collect();
        let mut names = names.iter();
        plan.jobs.retain(|job| {
            let name = names.next().expect("one each");
            // Tests that are not explored are the same in all shards.
            let is_own = job.test().is_some() || shard.is_none_or(|shard| shard.number == 0);
            is_own && !opened.has_ended(name)
        });
        if before > 0 && plan.jobs.is_empty() {
            anstream::eprintln!(
                "nothing is left to do: all results are in `{}`",
                folder.display()
            );
        }
        ledger = Some(opened);
    }
    let part = is_kept.then(|| Part {
        number: shard.map_or(0, |shard| shard.number),
        of: shard.map_or(1, |shard| shard.of),
        from: Some(1),
    });
    let failures = if is_kept {
        folder.join("failures")
    } else {
        workspace.failures()
    };
    let store = Store::new(failures);
    let mut known = known(args, workspace, store.clone(), &scratch, &stop);
    // Results are those of the exploration: a shard that is begun again comes to the same.
    let has_errors = !is_kept && has_errors(&known.add_kept(&built.executables, &workspace.root));
    known.order(&mut plan, &built.executables);
    let is_plain = !args.explore.person && !args.explore.compare_strategies && !is_kept;
    let explorer = Explorer {
        seed,
        overrides,
        part,
        scratch: &scratch,
        stop: stop.clone(),
        first: if is_plain { &known } else { &NoneFirst },
    };
    let keeper = Keeper {
        workspace,
        toolchain: &tested.toolchain,
        executables: &built.executables,
        selection: tested.selection.clone(),
        chosen: &tested.chosen,
        store,
        run_seed: seed.number(),
    };
    if args.explore.person {
        return lead_one(args, &plan, &explorer, &keeper);
    }
    if args.explore.compare_strategies {
        return compare::run(args, plan, &built.executables, &explorer, &keeper, width);
    }
    let mut session = Session {
        plan: &plan,
        keeper,
        reporter: reporter(args, &harness, workspace, &plan, &built.executables)?,
        summary: Summary {
            seed: seed.number(),
            left_out: plan.left_out,
            not_run: plan.jobs.len(),
            ..Summary::default()
        },
        failures: BTreeMap::new(),
        ledger,
        last: BTreeMap::new(),
    };
    let began = Instant::now();
    if !plan.jobs.is_empty() {
        session.reporter.begin(plan.jobs.len(), seed)?;
    }
    let words = &harness.words;
    if args.many.campaign.is_some() {
        let campaign = Campaign {
            plan: &plan,
            executables: &built.executables,
            explorer: &explorer,
            words,
            width,
            time: session.time_left(args),
        };
        campaign.run(session.allotment(&built.executables), &mut session)?;
        session.tell_slices()?;
    } else {
        run_all(
            &plan,
            &built.executables,
            &explorer,
            words,
            width,
            args.fail_fast,
            |notice| session.hear(notice),
        )?;
    }
    if let Some(cargo) = tested.cargo(args.output)
        && shard.is_none_or(|shard| shard.number == 0)
        && session.wants_doctests(args, built, &stop)
    {
        session.run_doctests(&cargo, args, words)?;
    }
    session.summary.elapsed = began.elapsed();
    if session.summary.ran() > 0 || stop.is_set() || session.ledger.is_some() {
        session.reporter.end(&session.summary)?;
    } else {
        anstream::eprintln!("{}: no test matches", crate::report::error_word());
    }
    if let Some(ledger) = &mut session.ledger {
        ledger.close(!stop.is_set())?;
        if ledger.has_failed() && !stop.is_set() {
            return Ok(Exit::Failed);
        }
    }
    Ok(exit(
        &session.summary,
        &stop,
        has_errors,
        session.ledger.is_some(),
    ))
}

/// The subject of the run, and the arguments with all that its profile adds.
fn tested_by(args: &TestArgs, folder: &Path) -> anyhow::Result<(TestArgs, Tested)> {
    if let Some(archive) = &args.many.archive {
        refuse_typos()?;
        anyhow::ensure!(
            args.cargo.selection().is_empty() && !args.cargo.doc,
            "the packages and targets of an archive were chosen when it was made: name tests instead"
        );
        let tested = Tested::unpack(archive, folder, &args.explore.settings)?;
        return Ok((args.clone(), tested));
    }
    let (toolchain, mut workspace) = load(&args.cargo)?;
    let args = profiled(args, &mut workspace)?;
    let settings = &args.explore.settings;
    let tested = Tested::build((toolchain, workspace), &args.cargo, settings, args.output)?;
    // There may have been no lock file before.
    check_names(&args, &tested.workspace)?;
    Ok((args, tested))
}

/// Where results go, if they are kept, and where what is found in an archive goes.
fn folder_of_results(many: &ManyArgs, shard: Option<Shard>) -> anyhow::Result<PathBuf> {
    let folder = many.campaign.as_ref().or(many.results.as_ref());
    let folder = folder.map_or(Path::new(tested::RESULTS), PathBuf::as_path);
    let folder = std::path::absolute(folder)?;
    Ok(match shard {
        Some(shard) => folder.join(shard.folder()),
        None => folder,
    })
}

/// True if results are kept.
fn is_kept(many: &ManyArgs, shard: Option<Shard>) -> bool {
    many.campaign.is_some() || many.results.is_some() || shard.is_some()
}

/// The run's seed: that of the results that are there, unless another one is typed; shards agree on one.
fn seed(
    args: &TestArgs,
    tested: &Tested,
    results: Option<&Path>,
    shard: Option<Shard>,
) -> anyhow::Result<RunSeed> {
    let typed = args.explore.settings.seed;
    let before = results.map(Ledger::seed_in).transpose()?.flatten();
    let common = tested
        .workspace
        .config
        .seed
        .or(tested.seed.filter(|_| shard.is_some()));
    anyhow::ensure!(
        shard.is_none() || typed.or(before).or(common).is_some(),
        "shards need a common seed: `--seed 1`, or an archive, which has one"
    );
    Ok(RunSeed::choose(typed, before.or(common)))
}

/// The results that this run goes on with, or begins.
fn open_ledger(
    args: &TestArgs,
    harness: &HarnessArgs,
    tested: &Tested,
    (folder, shard): (&Path, Option<Shard>),
    (seed, overrides): (RunSeed, &Settings),
) -> anyhow::Result<Ledger> {
    anyhow::ensure!(
        !args.explore.person && !args.explore.compare_strategies,
        "neither `--strategy interactive` nor `--compare-strategies` has results to keep"
    );
    anyhow::ensure!(
        overrides.resume.is_none(),
        "`--resume` keeps one search, and results are kept of whole runs: `--campaign` resumes all tests"
    );
    let is_campaign = args.many.campaign.is_some();
    let mut overrides = overrides.clone();
    if is_campaign {
        // A campaign may be given more time.
        overrides.time = None;
    }
    // A seed that is typed counts more than those of attributes.
    let seed_typed = args.explore.settings.seed.is_some();
    let tests = harness.words.join(" ");
    let origin = Origin {
        tool: tested::tool(),
        executables: tested.digest()?,
        seed: seed.number(),
        settings: format!("{overrides}seed_typed={seed_typed}\ntests={tests}\n"),
        shards: shard.map_or(1, |shard| shard.of),
        is_campaign,
    };
    Ok(Ledger::open(
        folder,
        shard.map_or(0, |shard| shard.number),
        origin,
    )?)
}

/// The name of a job's test.
fn name_of(job: &Job, executables: &[Executable]) -> TestName {
    TestName {
        binary: executables[job.executable].label.clone(),
        test: job.test().unwrap_or_default().to_owned(),
    }
}

/// Tells what is wrong with kept schedules; the tests are run all the same.
fn has_errors(errors: &[anyhow::Error]) -> bool {
    for error in errors {
        anstream::eprintln!("{}: {error:#}", crate::report::error_word());
    }
    !errors.is_empty()
}

/// A file that a search goes on from is of one test.
fn check_resume(args: &TestArgs, plan: &Plan) -> anyhow::Result<()> {
    if args.explore.settings.resume.is_some() {
        let count = plan.jobs.len();
        anyhow::ensure!(
            count <= 1,
            "`--resume` takes one test, and {count} are selected: name it, with `--exact`"
        );
    }
    Ok(())
}

/// The failures that are to be tried first.
fn known<'a>(
    args: &'a TestArgs,
    workspace: &'a Workspace,
    store: Store,
    scratch: &'a Scratch,
    stop: &'a Stop,
) -> Known<'a> {
    let settings = &args.explore.settings;
    let configured = settings.clone().over(workspace.config.clone());
    // A search that is resumed goes on behind the failures that it has found.
    let are_tried = configured.known() && settings.resume.is_none();
    Known::new((store, &workspace.root), are_tried, settings, scratch, stop)
}

/// All who are told of the run.
fn reporter(
    args: &TestArgs,
    harness: &HarnessArgs,
    workspace: &Workspace,
    plan: &Plan,
    executables: &[Executable],
) -> anyhow::Result<Many> {
    let mut all: Vec<Box<dyn Reporter>> = vec![if args.output.json {
        Box::new(Json)
    } else {
        Box::new(Human::new(args.output.verbose > 0, harness.show_output))
    }];
    if let Some(path) = &junit(args, workspace) {
        let tests = plan.jobs.iter().map(|job| TestName {
            binary: executables[job.executable].label.clone(),
            test: job.test().unwrap_or_default().to_owned(),
        });
        let junit = JUnit::new(path, tests);
        all.push(Box::new(
            junit.with_context(|| format!("cannot write `{}`", path.display()))?,
        ));
    }
    let var = |name: &str| std::env::var(name).ok();
    let asked = args.servers.annotations;
    let annotations = asked.unwrap_or(workspace.profile.annotations);
    if annotations.is_for_github(var) {
        all.push(Box::new(GitHub::new(&workspace.root, var)));
    }
    Ok(Many(all))
}

/// With `--no-run`, programs may want to know what was built.
fn tell_of_executables(args: &TestArgs, executables: &[Executable]) -> anyhow::Result<Exit> {
    if args.output.json {
        Json::executables(executables)?;
    }
    Ok(Exit::Success)
}

/// Tells how crates were built: what is out of sight, and with `-v` all.
fn tell_of_crates(
    args: &TestArgs,
    workspace: &Workspace,
    chosen: &Chosen,
    built: &Built,
) -> anyhow::Result<()> {
    for line in crates::warnings(&built.crates, chosen) {
        anstream::eprintln!("{}: {line}", crate::report::warning_word());
    }
    if args.output.verbose == 0 {
        return Ok(());
    }
    let settings = args.explore.settings.clone();
    let settings = settings.over(workspace.config.clone());
    if args.output.json {
        for built in &built.crates {
            Json::line("crate", crates::json(built, &settings))?;
        }
    } else {
        anstream::eprint!("{}", crates::table(&built.crates));
        let grains = crates::grains(&built.crates, &settings);
        anstream::eprint!("{grains}");
    }
    Ok(())
}

/// Has the only test that is selected led by a person.
fn lead_one(
    args: &TestArgs,
    plan: &Plan,
    explorer: &Explorer<'_>,
    keeper: &Keeper<'_>,
) -> anyhow::Result<Exit> {
    anyhow::ensure!(
        !args.output.json && !args.explore.compare_strategies,
        "`--strategy interactive` goes with neither `--json` nor `--compare-strategies`"
    );
    let tests: Vec<_> = plan
        .jobs
        .iter()
        .filter_map(|job| Some((job.executable, job.test()?)))
        .collect();
    let &[(index, test)] = &tests[..] else {
        anyhow::bail!(
            "`--strategy interactive` needs exactly one test, but {} selected",
            match tests.len() {
                0 => "none is".to_owned(),
                n => format!("{n} are"),
            }
        );
    };
    let executable = &keeper.executables[index];
    let name = TestName {
        binary: executable.label.clone(),
        test: test.to_owned(),
    };
    let (overrides, defaults) = explorer.settings_of(executable, &name, None);
    lead(&Subject {
        launch: Launch::exploring(executable, test, (&overrides, &defaults)),
        name,
        executable: index,
        lead: Lead::Fresh,
        hang_timeout: explorer.hang_timeout_of(executable, test),
        scratch: explorer.scratch,
        stop: &explorer.stop,
        keeper,
    })
}

fn exit(summary: &Summary, stop: &Stop, has_errors: bool, has_results: bool) -> Exit {
    if stop.is_set() {
        Exit::Interrupted
    } else if summary.failed + summary.flaky + summary.unfinished > 0 {
        // Before what could not be done: that must not hide what was found.
        Exit::Failed
    } else if summary.refused > 0 || has_errors {
        Exit::Setup
    } else if summary.ran() == 0 && !has_results {
        Exit::NoTests
    } else {
        Exit::Success
    }
}

/// How many tests run at a time.
fn width(args: &TestArgs, harness: &HarnessArgs) -> anyhow::Result<usize> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    if let Some(threads) = harness.threads {
        return Ok(threads);
    }
    let Some(jobs) = &args.cargo.jobs else {
        return Ok(cores);
    };
    if jobs == "default" {
        return Ok(cores);
    }
    let jobs: isize = jobs
        .parse()
        .with_context(|| format!("`-j {jobs}` is no number"))?;
    // As cargo has it, a negative number leaves that many cores alone.
    Ok(if jobs > 0 {
        jobs.unsigned_abs()
    } else {
        cores.saturating_sub(jobs.unsigned_abs()).max(1)
    })
}

fn list(plan: &Plan, executables: &[Executable]) {
    for job in &plan.jobs {
        let binary = executables[job.executable].label.clone();
        let test = job.test().unwrap_or_default().to_owned();
        anstream::println!("{}", TestName { binary, test });
    }
}

/// A run under way: what it is about, who hears of it, what came of it so far.
struct Session<'a> {
    plan: &'a Plan,
    keeper: Keeper<'a>,
    reporter: Many,
    summary: Summary,
    failures: BTreeMap<TestName, (Record, Report)>,
    /// The results, if they are kept.
    ledger: Option<Ledger>,
    /// The last slice of each job of a campaign.
    last: BTreeMap<usize, TestRun>,
}

impl Keep for Session<'_> {
    fn hear(&mut self, notice: Notice) -> std::io::Result<()> {
        Session::hear(self, notice)
    }

    fn next(&self, job: usize) -> u64 {
        let saved = self
            .ledger
            .as_ref()
            .and_then(|ledger| ledger.saved(&self.name(job)));
        saved.map_or(1, |saved| saved.next)
    }

    fn slice(&mut self, job: usize, run: TestRun) -> std::io::Result<(usize, bool)> {
        if matches!(run.outcome, Outcome::Stopped) {
            // It was ended from outside: it is as if it had not been, and comes again.
            return Ok((0, false));
        }
        let result = self.record(&run)?;
        self.last.insert(job, run);
        Ok(result)
    }

    fn note(&mut self, job: usize, account: &Account) {
        let name = self.name(job);
        if let Some(ledger) = &mut self.ledger {
            ledger.note(&name, account);
        }
    }
}

impl Session<'_> {
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
    fn record(&mut self, run: &TestRun) -> std::io::Result<(usize, bool)> {
        let failure = self.failures.get(&run.name);
        let failure = failure.map(|(record, _)| record.id.clone());
        let Some(ledger) = &mut self.ledger else {
            return Ok((0, false));
        };
        if matches!(run.outcome, Outcome::Stopped) {
            ledger.lack();
            return Ok((0, false));
        }
        let fresh = ledger.add(run, failure).map_err(std::io::Error::other)?;
        Ok((fresh, ledger.has_ended(&run.name)))
    }

    /// Tells of each test what came of all its slices.
    fn tell_slices(&mut self) -> std::io::Result<()> {
        for (_, run) in std::mem::take(&mut self.last) {
            let run = match &self.ledger {
                Some(ledger) => ledger.whole(run),
                None => run,
            };
            self.tell_ended(None, &run)?;
        }
        Ok(())
    }

    fn wants_doctests(&self, args: &TestArgs, built: &Built, stop: &Stop) -> bool {
        let failed = self.summary.failed + self.summary.flaky + self.summary.unfinished > 0;
        let wanted = args.cargo.wants_doctests() && built.has_doctests;
        wanted && !stop.is_set() && !(failed && args.fail_fast)
    }

    fn run_doctests(
        &mut self,
        cargo: &Cargo<'_>,
        args: &TestArgs,
        words: &[String],
    ) -> anyhow::Result<()> {
        let began = Instant::now();
        let doctests = cargo.run_doctests(&args.cargo, words)?;
        if doctests.count == 0 && doctests.status.success() {
            return Ok(());
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
            linked: Exceptions::NONE,
            uncontrolled: Vec::new(),
            printed: doctests.printed,
            seen: None,
            silence: None,
            outcome: if doctests.status.success() {
                Outcome::Passed
            } else {
                Outcome::FailedNatively(doctests.status.to_string())
            },
        };
        self.summary.not_run += 1;
        let reason = crate::report::count(doctests.count, "documentation test");
        Ok(self.ended(Some(&reason), &run)?)
    }

    fn hear(&mut self, notice: Notice) -> std::io::Result<()> {
        match notice {
            Notice::Begun(name) => self.reporter.begun(&name),
            Notice::Progress(name, counters) => self.reporter.progress(&name, &counters),
            Notice::Shrinks(name, executions) => self.reporter.shrinks(&name, executions),
            Notice::Found { job, name, finding } => {
                let before = self.failures.get(&name).map(|(record, _)| record);
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

    fn ended(&mut self, native: Option<&str>, run: &TestRun) -> std::io::Result<()> {
        self.keeper.mark_all_gone(run);
        self.record(run)?;
        self.tell_ended(native, run)
    }

    fn tell_ended(&mut self, native: Option<&str>, run: &TestRun) -> std::io::Result<()> {
        if let Some((name, failure)) = self.failures.remove_entry(&run.name) {
            self.failures.insert(name, self.keeper.told(failure));
        }
        let failure = self.failures.get(&run.name);
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
            Outcome::Failed(finding) if matches!(finding.repeats, Repeats::No(_)) => {
                summary.flaky += 1;
            }
            Outcome::Failed(_) | Outcome::FailedNatively(_) => summary.failed += 1,
            Outcome::Refused(_) => summary.refused += 1,
            Outcome::Stopped => {}
        }
        if !matches!(run.outcome, Outcome::Passed | Outcome::Stopped) {
            summary.failures.push(Failed {
                status: crate::report::status_label(run),
                name: run.name.clone(),
                id: failure.map(|(record, _)| record.id.to_string()),
            });
        }
        let failure = failure.map(|(record, report)| (record, report));
        self.reporter.ended(run, native, failure)
    }
}
