//! `cargo cct test`: builds, explores, reports.

mod covered;
mod results;
mod session;
mod told;
mod traps;
mod width;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;

use self::results::Results;
pub(super) use self::results::results_of;
use self::session::Session;
use self::width::width;
use super::interactive::{Subject, lead};
use super::keeper::Keeper;
use super::known::Known;
use super::profiled::{check_names, profiled, refuse_typos};
use super::tested::Tested;
use super::{compare, explain, fall_short, load};
use crate::build::cargo::Executable;
use crate::build::workspace::Workspace;
use crate::cli::{HarnessArgs, TestArgs};
use crate::exit::Exit;
use crate::failure::{Id, Kept, Store};
use crate::run::{
    ALL, Explorer, Job, Launch, Lead, NoneFirst, Plan, Scratch, Stop, TestName, shared_by,
    without_code,
};

/// Does it.
pub(super) fn run(args: &TestArgs) -> anyhow::Result<Exit> {
    let stop = Stop::at_signals().context("cannot listen for signals")?;
    let harness = HarnessArgs::parse(args.filter.as_deref(), &args.rest)?;
    let width = width(args, &harness)?;
    shared_by(width);
    let results = Results::of(&args.many)?;
    let is_of_archive = args.many.archive.is_some();
    if results.are_kept || is_of_archive {
        results.check(is_of_archive)?;
    }
    let (args, tested) = &tested_by(args, &results.folder)?;
    let (workspace, built) = (&tested.workspace, &tested.built);
    told::crates_of(args, tested)?;
    if args.no_run {
        return told::executables(args, &built.executables);
    }
    let scratch = Scratch::create(&workspace.target)
        .with_context(|| format!("cannot write to `{}`", workspace.target.display()))?;
    let mut plan = Plan::make(&built.executables, &harness)?;
    if harness.list {
        told::tests(&plan, &built.executables)?;
        return Ok(Exit::Success);
    }
    check_code(args, tested)?;
    if let Some(path) = &args.traps {
        traps::check(path, &built.executables)?;
    }
    check_resume(args, &plan)?;
    let seed = results.seed(args, tested)?;
    let mut overrides = tested.typed.clone();
    overrides.seed = None;
    let ledger = results.open(args, &harness, tested, (seed, &overrides), &mut plan)?;
    // Failures of results are a part of them.
    if args.many.archive.is_none() {
        trim_failures(workspace, args.output.quiet);
    }
    let store = Store::new(results.failures(workspace));
    let mut known = known(args, tested, store.clone(), &scratch, &stop);
    // Results are those of the exploration: a shard that is begun again comes to the same.
    let are_kept = results.are_kept;
    let has_errors = !are_kept && has_errors(&known.add_kept(&built.executables, workspace));
    known.order(&mut plan, &built.executables);
    let is_plain = !args.explore.person && !args.explore.compare_strategies && !are_kept;
    let explorer = Explorer {
        seed,
        overrides,
        part: results.part(),
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
    let reporter = told::reporter(args, &harness, workspace, &plan, &built.executables)?;
    let mut session = Session::new(&plan, keeper, reporter, ledger, seed);
    let began = Instant::now();
    if let Err(error) = session.explore(args, &explorer, &harness.words, width) {
        // The failures that were found before are told.
        fall_short(error.as_ref());
        stop.set();
    }
    let mut documented = Ok(());
    if let Some(cargo) = tested.cargo(args.output)
        && results.has_native_tests()
        && session.wants_doctests(args, built, &stop)
    {
        documented = session.run_doctests(&cargo, args, &harness.words);
    }
    match documented {
        Err(error) if !session.has_tests() => Err(error),
        documented => {
            let ended = session.end(began.elapsed(), has_errors, &stop)?;
            counted_most(ended, documented)
        }
    }
}

/// Failures count more than that the tests of the documentation could not be built.
fn counted_most(ended: Exit, documented: anyhow::Result<()>) -> anyhow::Result<Exit> {
    match documented {
        Err(error) if matches!(ended, Exit::Failed | Exit::Interrupted) => {
            explain(error.as_ref());
            Ok(ended)
        }
        documented => documented.map(|()| ended),
    }
}

/// The subject of the run, and the arguments with all that its profile adds.
fn tested_by(args: &TestArgs, folder: &Path) -> anyhow::Result<(TestArgs, Tested)> {
    let mut args = args.clone();
    if let Some(path) = &args.traps {
        traps::aim(&mut args.explore.settings, path)?;
    }
    if let Some(archive) = &args.many.archive {
        refuse_typos()?;
        anyhow::ensure!(
            args.cargo.selection().is_empty() && !args.cargo.doc,
            "the packages and targets of an archive were chosen when it was made: name tests instead"
        );
        let tested = Tested::unpack(archive, folder, &args.explore.settings)?;
        return Ok((args, tested));
    }
    let (toolchain, mut workspace) = load(&args.cargo)?;
    let args = profiled(&args, &mut workspace)?;
    let settings = &args.explore.settings;
    let tested = Tested::build((toolchain, workspace), &args.cargo, settings, args.output)?;
    // There may have been no lock file before.
    check_names(&args, &tested.workspace)?;
    Ok((args, tested))
}

/// Removes failures that nobody has seen for long, but for those that are kept in a package.
fn trim_failures(workspace: &Workspace, is_quiet: bool) {
    let members = workspace.packages.values();
    let folders = members.filter_map(|member| member.package.manifest_path.parent());
    let kept = folders.flat_map(|folder| Kept::all(folder.as_std_path()));
    let ids: BTreeSet<Id> = kept.filter_map(|(_, kept)| Some(kept.ok()?.id)).collect();
    let folder = workspace.failures();
    // The next run can try again.
    let removed = Store::new(folder.clone()).trim(&ids).unwrap_or(0);
    if removed > 0 && !is_quiet {
        crate::report::remark_line!("{}", crate::report::trimmed(removed, &folder));
    }
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
        crate::report::remark_line!("{}: {error:#}", crate::report::error_word());
    }
    !errors.is_empty()
}

/// Code that settings name is there.
fn check_code(args: &TestArgs, tested: &Tested) -> anyhow::Result<()> {
    let settings = args.explore.settings.clone();
    let settings = settings.over(tested.workspace.config.clone());
    let executables = &tested.built.executables;
    let points = settings.points.iter().flatten();
    // Lines of a trap file may have moved since.
    let of_traps = args.traps.as_deref().map(traps::points).transpose()?;
    let is_typed = |point: &&String| {
        of_traps
            .as_ref()
            .is_none_or(|traps| !traps.contains(*point))
    };
    let typed = points.filter(|point| *point != ALL).filter(is_typed);
    let points = without_code(executables, typed);
    anyhow::ensure!(
        points.is_empty(),
        "no code of these tests is at {}: `points` takes lines, `src/cache.rs:40-60`, functions by their \
         whole paths, `my_crate::pool::*`, or `all`",
        in_quotes(&points)
    );
    let benign = without_code(executables, settings.benign_races.iter().flatten());
    if !benign.is_empty() {
        crate::report::remark_line!(
            "{}: no function of these tests is called {}, in which races would be benign",
            crate::report::warning_word(),
            in_quotes(&benign)
        );
    }
    Ok(())
}

fn in_quotes(words: &[&String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
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
    tested: &'a Tested,
    store: Store,
    scratch: &'a Scratch,
    stop: &'a Stop,
) -> Known<'a> {
    let (settings, workspace) = (&args.explore.settings, &tested.workspace);
    let configured = settings.clone().over(workspace.config.clone());
    // A search that is resumed goes on behind the failures that it has found.
    let are_tried = configured.known() && settings.resume.is_none();
    let subject = (store, &*workspace.root, &*tested.selection);
    Known::new(subject, are_tried, settings, scratch, stop)
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
