//! `cargo cct tsvd`: runs the tests natively, all of an executable at a time, and holds threads where
//! accesses of an object may be made at a time.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use cct::config::Settings;
use cct::tsvd::told::Place;
use cct::wire::Event;

use super::load;
use super::tested::Tested;
use crate::build::cargo::Executable;
use crate::build::chosen::Chosen;
use crate::build::code::Code;
use crate::cli::{HarnessArgs, TsvdArgs};
use crate::exit::Exit;
use crate::report::{InjectedRun, Injections};
use crate::run::{Injected, Injection, Plan, Scratch, Stop, Task};
use crate::tsvd::{Locator, TrapFile, Violations};

/// Does it.
pub(super) fn run(args: &TsvdArgs) -> anyhow::Result<Exit> {
    let stop = Stop::at_signals().context("cannot listen for signals")?;
    let harness = HarnessArgs::parse(args.filter.as_deref(), &args.rest)?;
    let (toolchain, workspace) = load(&args.cargo)?;
    let typed = Settings::default();
    let chosen = Chosen {
        code: args.memory.then_some(Code::All),
        ..Chosen::new(&typed, &workspace)
    };
    let subject = (toolchain, workspace);
    let tested = Tested::build_chosen(subject, chosen, &args.cargo, &typed, args.output)?;
    let (workspace, executables) = (&tested.workspace, &tested.built.executables);
    let path = args.traps.clone();
    let path = path.unwrap_or_else(|| workspace.target.join("traps.json"));
    let mut traps = TrapFile::read(&path)?;
    for other in &args.merge {
        anyhow::ensure!(
            other.exists(),
            "there is no trap file `{}`",
            other.display()
        );
        traps.merge(TrapFile::read(other)?);
    }
    let plan = Plan::make(executables, &harness)?;
    let scratch = Scratch::create(&workspace.target)
        .with_context(|| format!("cannot write to `{}`", workspace.target.display()))?;
    let violations = Violations::default();
    let mut session = Session {
        args,
        words: &harness.words,
        scratch: &scratch,
        stop: &stop,
        traps,
        hunts_again: args.again,
        violations,
        found: Vec::new(),
        report: Injections::new(args.output.json, workspace.violations()),
        has_failed: false,
    };
    let subjects = subjects(&plan, executables);
    if subjects.is_empty() {
        crate::report::remark_line!("{}: no test matches", crate::report::error_word());
        return Ok(Exit::NoTests);
    }
    let began = Instant::now();
    session
        .report
        .begin(subjects.len(), args.runs, &args.inject.parameters)?;
    for run in 1..=args.runs {
        for &executable in &subjects {
            session.run(executable, run)?;
        }
        session.hunts_again = false;
    }
    for (binary, [one, other]) in &session.found {
        session.traps.found(binary, [one, other]);
    }
    session.traps.write()?;
    let all = session.violations.all();
    session.report.end(all, began.elapsed(), stop.is_set())?;
    Ok(if stop.is_set() {
        Exit::Interrupted
    } else if session.violations.all().is_empty() && !session.has_failed {
        Exit::Success
    } else {
        Exit::Failed
    })
}

/// How often the trap file is written while a test process runs.
const MOMENT: Duration = Duration::from_millis(100);

/// The executables of which tests are selected, and whose threads can be held.
fn subjects<'a>(plan: &Plan, executables: &'a [Executable]) -> Vec<&'a Executable> {
    let has_tests = |index: usize| {
        let jobs = plan.jobs.iter();
        jobs.filter(|job| job.executable == index)
            .any(|job| matches!(job.task, Task::Explore(_)))
    };
    let numbered = executables.iter().enumerate();
    let chosen = numbered.filter(|(index, _)| has_tests(*index));
    chosen.map(|(_, executable)| executable).collect()
}

/// Runs under way.
struct Session<'a> {
    args: &'a TsvdArgs,
    words: &'a [String],
    scratch: &'a Scratch,
    stop: &'a Stop,
    traps: TrapFile,
    /// Pairs that an earlier command has found or given up are dangerous again.
    hunts_again: bool,
    violations: Violations,
    /// The executables and the places of all of them.
    found: Vec<(String, [Place; 2])>,
    report: Injections,
    has_failed: bool,
}

impl Session<'_> {
    /// Runs an executable once.
    fn run(&mut self, executable: &Executable, run: u32) -> anyhow::Result<()> {
        if self.stop.is_set() {
            return Ok(());
        }
        let digest = executable
            .hash()
            .with_context(|| format!("cannot read `{}`", executable.path.display()))?;
        let pairs = self.write_pairs(executable, digest)?;
        let injection = Injection {
            executable,
            words: self.words,
            parameters: self.args.inject.parameters,
            pairs: pairs.as_deref(),
            patience: self.args.patience,
        };
        let mut locator = Locator::of(executable);
        let mut wrote = Instant::now();
        let (mut figures, mut refused, mut errors) = (None, None, Vec::<anyhow::Error>::new());
        let (traps, violations, report) = (&mut self.traps, &mut self.violations, &mut self.report);
        let found = &mut self.found;
        let Injected {
            status,
            stood_still,
            elapsed,
            printed,
        } = injection
            .run(self.scratch, self.stop, |event| match event {
                Event::Pair(pair) => {
                    traps.note(&executable.label, digest, &pair, &mut locator);
                    // No more than the pairs of a moment are lost when this tool is killed.
                    if wrote.elapsed() > MOMENT {
                        errors.extend(traps.write().err().map(Into::into));
                        wrote = Instant::now();
                    }
                }
                Event::Violation(violation) => {
                    let label = &executable.label;
                    let places = [&violation.held, &violation.came].map(|side| side.place.clone());
                    found.push((label.clone(), places));
                    if let Some(news) = violations.add(label, run, violation, &mut locator) {
                        errors.extend(report.violation(news).err().map(Into::into));
                    }
                }
                Event::Figures(told) => figures = Some(told),
                Event::Refused(reason) => refused = Some(reason),
                _ => {}
            })
            .with_context(|| format!("cannot run `{}`", executable.path.display()))?;
        self.traps.write()?;
        if let Some(error) = errors.into_iter().next() {
            return Err(error);
        }
        if let Some(reason) = refused {
            anyhow::bail!("`{}` refuses to run: {reason}", executable.label);
        }
        let failed = match status {
            None if !stood_still => Some("it was stopped".to_owned()),
            _ if stood_still => Some("it stood still after a violation, and was ended".to_owned()),
            Some(status) if !status.success() => Some(status.to_string()),
            _ => None,
        };
        if let Some(lack) = failed.as_ref().and_then(|_| self.scratch.lack()) {
            return Err(lack).with_context(|| format!("`{}` failed", executable.label));
        }
        self.has_failed |= failed.is_some() && !self.stop.is_set();
        Ok(self.report.ran(&InjectedRun {
            binary: &executable.label,
            run,
            elapsed,
            figures,
            failed: failed.as_deref().map(|how| (how, printed.as_str())),
        })?)
    }

    /// The file with the pairs that are known of an executable.
    fn write_pairs(&self, executable: &Executable, digest: &str) -> io::Result<Option<PathBuf>> {
        let pairs = self
            .traps
            .pairs_of(&executable.label, digest, self.hunts_again);
        if pairs.is_empty() {
            return Ok(None);
        }
        self.scratch.write("pairs", pairs.as_bytes()).map(Some)
    }
}
