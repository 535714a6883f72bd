//! `cargo cct test`: builds, explores, reports.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::time::Instant;

use anyhow::Context as _;
use cct::claim::Exceptions;
use cct::wire::Counters;

use super::interactive::{Subject, lead};
use super::keep::Keeper;
use super::{cargo, compare, load, sysroot};
use crate::build::cargo::{Built, Cargo, Executable};
use crate::build::chosen::Chosen;
use crate::build::workspace::Workspace;
use crate::cli::{HarnessArgs, TestArgs};
use crate::exit::Exit;
use crate::failure::{Record, Store};
use crate::report::{Failed, Human, Json, Report, Reporter, Summary, crates};
use crate::run::{
    Explorer, Launch, Mode, Notice, Outcome, Plan, Repeats, RunSeed, Scratch, Stop, TestName,
    TestRun, run_all,
};

/// Does it.
pub(super) fn run(args: &TestArgs) -> anyhow::Result<Exit> {
    let harness = HarnessArgs::parse(args.filter.as_deref(), &args.rest)?;
    let width = width(args, &harness)?;
    let (toolchain, workspace) = load(&args.cargo)?;
    let sysroot = sysroot(&toolchain, args.output)?;
    let chosen = Chosen::new(&args.explore.settings, &workspace);
    let cargo = cargo(&toolchain, &sysroot, &workspace, &chosen, args.output);
    let built = if args.cargo.doc {
        Built {
            has_doctests: true,
            ..Built::default()
        }
    } else {
        cargo.build(&args.cargo)?
    };
    tell_of_crates(args, &workspace, &chosen, &built)?;
    if args.no_run {
        return tell_of_executables(args, &built.executables);
    }
    let plan = Plan::make(&built.executables, &harness)?;
    if harness.list {
        list(&plan, &built.executables);
        return Ok(Exit::Success);
    }

    if args.explore.settings.resume.is_some() {
        let count = plan.jobs.len();
        anyhow::ensure!(
            count <= 1,
            "`--resume` takes one test, and {count} are selected: name it, with `--exact`"
        );
    }
    let scratch = Scratch::create(&workspace.target)
        .with_context(|| format!("cannot write to `{}`", workspace.target.display()))?;
    let stop = Stop::at_signals().context("cannot listen for signals")?;
    let seed = RunSeed::choose(args.explore.settings.seed, workspace.config.seed);
    let mut overrides = args.explore.settings.clone();
    overrides.seed = None;
    let explorer = Explorer {
        seed,
        overrides,
        scratch: &scratch,
        stop: stop.clone(),
    };
    let keeper = Keeper {
        workspace: &workspace,
        toolchain: &toolchain,
        executables: &built.executables,
        selection: args.cargo.selection(),
        chosen: &chosen,
        store: Store::new(workspace.failures()),
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
        reporter: if args.output.json {
            Box::new(Json)
        } else {
            Box::new(Human::new(args.output.verbose > 0, harness.show_output))
        },
        summary: Summary {
            seed: seed.number(),
            left_out: plan.left_out,
            not_run: plan.jobs.len(),
            ..Summary::default()
        },
        failures: BTreeMap::new(),
    };
    let began = Instant::now();
    if !plan.jobs.is_empty() {
        session.reporter.begin(plan.jobs.len(), seed)?;
    }
    let words = &harness.words;
    run_all(
        &plan,
        &built.executables,
        &explorer,
        words,
        width,
        args.fail_fast,
        |notice| session.hear(notice),
    )?;
    if session.wants_doctests(args, &built, &stop) {
        session.run_doctests(&cargo, args, words)?;
    }
    session.summary.elapsed = began.elapsed();
    if session.summary.ran() > 0 || stop.is_set() {
        session.reporter.end(&session.summary)?;
    } else {
        anstream::eprintln!("{}: no test matches", crate::report::error_word());
    }
    Ok(exit(&session.summary, &stop))
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
        launch: Launch {
            executable,
            test,
            mode: Mode::Explore,
            overrides: &overrides,
            defaults: &defaults,
            part: None,
            answers: None,
        },
        name,
        executable: index,
        guide: None,
        hang_timeout: explorer.hang_timeout_of(executable),
        scratch: explorer.scratch,
        stop: &explorer.stop,
        keeper,
    })
}

fn exit(summary: &Summary, stop: &Stop) -> Exit {
    if stop.is_set() {
        Exit::Interrupted
    } else if summary.failed + summary.flaky + summary.unfinished > 0 {
        // Before what could not be done: that must not hide what was found.
        Exit::Failed
    } else if summary.refused > 0 {
        Exit::Setup
    } else if summary.ran() == 0 {
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
    reporter: Box<dyn Reporter>,
    summary: Summary,
    failures: BTreeMap<TestName, (Record, Report)>,
}

impl Session<'_> {
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
            counters: Counters::default(),
            diverged: None,
            linked: Exceptions::NONE,
            uncontrolled: Vec::new(),
            printed: doctests.printed,
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
