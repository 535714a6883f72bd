//! Explores one test: its process, what it finds, and the proof that the finding repeats.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use cct::config::{Isolation, Settings};
use cct::part::Part;
use cct::strategy::Spec;
use cct::verdict::BugKind;

use super::confirm::{Repeated, repeat};
use super::finding::{Finding, Repeats};
use super::first::{First, Tried, TriedEnd};
use super::isolation::{Leak, Leaks};
use super::length::Length;
use super::memory;
use super::name::TestName;
use super::outcome::{Outcome, Progress, TestRun, native_outcome};
use super::process::{Launch, Mode};
use super::scratch::Scratch;
use super::seed::RunSeed;
use super::shrink::{Shortened, Shrinker, Shrinking, WhyNot, reason_not_to};
use super::spread::{Explored, spread};
use super::stop::Stop;
use super::watch::{ATTEMPTS, End, watch};
use crate::build::cargo::Executable;

/// The facts that all tests of a run have in common.
#[derive(Debug)]
pub(crate) struct Explorer<'a> {
    /// The run's seed.
    pub seed: RunSeed,
    /// Settings above the tests' attributes.
    pub overrides: Settings,
    /// The part of each search that is made, if not all.
    pub part: Option<Part>,
    /// Where files go.
    pub scratch: &'a Scratch,
    /// Set when everything is to end.
    pub stop: Stop,
    /// The schedules that are tried before a test is explored.
    pub first: &'a dyn First,
}

/// How often it is tried whether schedules depend on each other.
const TRIALS: u32 = 3;

/// How long a test may be silent at most while it is shrunk.
const SILENCE: Duration = Duration::from_secs(2);

/// Hears how far a test is.
type Told<'a> = &'a dyn Fn(Progress<'_>);

impl Explorer<'_> {
    /// Runs one test, by this strategy if there is one, in so many processes; `on_progress` hears how far
    /// it is, `on_finding` of a bug as soon as it is known and again when it was repeated. It is explored if
    /// no schedule fails that is tried first.
    pub(crate) fn explore(
        &self,
        executable: &Executable,
        test: &str,
        strategy: Option<&Spec>,
        processes: u32,
        on_progress: &dyn Fn(Progress<'_>),
        on_finding: &dyn Fn(&Finding),
    ) -> io::Result<TestRun> {
        let began = Instant::now();
        let name = TestName {
            binary: executable.label.clone(),
            test: test.to_owned(),
        };
        let mut tried = self.first.run(executable, &name)?;
        let failing = tried.last_mut();
        let failing =
            failing.map(|last| self.confirm_tried(executable, test, last, on_progress, on_finding));
        let mut attempts = 0;
        let mut run = match failing.transpose()?.flatten() {
            Some(finding) => TestRun {
                outcome: Outcome::Failed(Box::new(finding)),
                ..TestRun::new(name.clone(), executable)
            },
            None => loop {
                let run = self.search(
                    executable,
                    &name,
                    strategy,
                    processes,
                    on_progress,
                    on_finding,
                )?;
                attempts += 1;
                let is_to_be_redone =
                    matches!(run.outcome, Outcome::Stopped) && !self.stop.is_set();
                if !is_to_be_redone || attempts == ATTEMPTS {
                    break run;
                }
            },
        };
        (run.tried, run.elapsed) = (tried, began.elapsed());
        Ok(run)
    }

    /// The finding of a schedule that was tried first, shrunk if it never was. A failure that does not repeat
    /// is none.
    fn confirm_tried(
        &self,
        executable: &Executable,
        test: &str,
        tried: &mut Tried,
        on_progress: &dyn Fn(Progress<'_>),
        on_finding: &dyn Fn(&Finding),
    ) -> io::Result<Option<Finding>> {
        let Some(found) = tried.finding() else {
            return Ok(None);
        };
        let settings = (&found.overrides, &found.defaults);
        let launch = Launch::exploring(executable, test, settings);
        let (mut finding, timeout) = (found.clone(), self.hang_timeout_of(executable, test));
        let began = Instant::now();
        if finding.repeats == Repeats::Unknown {
            let schedule = finding.schedule.clone();
            let repeated = repeat(&launch, &schedule, timeout, self.scratch, &self.stop)?;
            refuse(&repeated)?;
            finding.judge(repeated);
        }
        let once = began.elapsed();
        // One that could not be repeated, since everything was to end, is told as such.
        if !matches!(finding.repeats, Repeats::Yes | Repeats::Unknown) {
            tried.end = TriedEnd::Leaves("it failed in another way, and only once".to_owned());
            return Ok(None);
        }
        on_finding(&finding);
        if let Some(known) = self.vary(&launch, &finding, (timeout, once), on_progress)? {
            finding = known;
            on_finding(&finding);
        }
        Ok(Some(finding))
    }

    /// Explores one test. If its schedules turn out to depend on what earlier ones have left behind in their
    /// process, it is explored again with a process for each, unless settings say otherwise.
    fn search(
        &self,
        executable: &Executable,
        name: &TestName,
        strategy: Option<&Spec>,
        processes: u32,
        on_progress: &dyn Fn(Progress<'_>),
        on_finding: &dyn Fn(&Finding),
    ) -> io::Result<TestRun> {
        let (overrides, mut defaults) = self.settings_of(executable, name, strategy);
        let leaks = Leaks::of(self.scratch);
        let is_remembered = overrides.isolation.or(defaults.isolation).is_none() && leaks.has(name);
        if is_remembered {
            defaults.isolation = Some(Isolation::Process);
        }
        let search = |isolation: Option<Isolation>| {
            let overrides = Settings {
                isolation: isolation.or(overrides.isolation),
                ..overrides.clone()
            };
            let settings = (&overrides, &defaults);
            let name = name.clone();
            self.search_by(
                executable,
                name,
                settings,
                processes,
                on_progress,
                on_finding,
            )
        };
        let mut run = search(None)?;
        let is_isolated = |run: &TestRun| {
            let started = run.started.as_ref();
            started.is_some_and(|started| started.isolation == Isolation::Process.name())
        };
        if is_remembered && is_isolated(&run) {
            if run.diverged.is_some() {
                // It is something else then.
                leaks.remove(name)?;
            } else {
                run.leak = Some(Leak::Remembered);
            }
        }
        let leak = Leak::suspected_in(&run);
        // A resumed search does not make again what is made.
        let is_resumed = overrides
            .resume
            .as_ref()
            .or(defaults.resume.as_ref())
            .is_some();
        let is_reason = |leak: &Leak| *leak != Leak::LeftBehind || !is_resumed;
        let Some(leak) = leak.filter(|leak| is_reason(leak) && !self.stop.is_set()) else {
            return Ok(run);
        };
        let again = |isolation, iterations| {
            let settings = (&overrides, &defaults);
            self.explored_again(executable, &name.test, settings, (isolation, iterations))
        };
        // Files are the same for all processes.
        if !run.shared_files.is_empty() || !is_confirmed(&leak, again)? {
            return match leak {
                Leak::Diverged(_) => {
                    let mut shared = search(Some(Isolation::None))?;
                    shared.diverged = shared.diverged.or(run.diverged);
                    shared.shared_files.extend(run.shared_files);
                    Ok(shared)
                }
                _ => Ok(run),
            };
        }
        let mut apart = search(Some(Isolation::Process))?;
        let has_failed = matches!(run.outcome, Outcome::Failed(_));
        let stays = match apart.outcome {
            // A failure is not lost to a search that cannot be made.
            Outcome::Refused(_) => has_failed,
            // Where results are kept the test comes again.
            Outcome::Stopped => has_failed && self.part.is_none(),
            _ => apart.outcome.is_flaky() && run.outcome.is_flaky(),
        };
        if stays {
            return Ok(run);
        }
        if apart.diverged.is_none() {
            leaks.add(name)?;
            apart.leak = Some(leak);
        }
        Ok(apart)
    }

    /// Explores the test once more, so many schedules of it, in one process or with one for each.
    fn explored_again(
        &self,
        executable: &Executable,
        test: &str,
        (overrides, defaults): (&Settings, &Settings),
        (isolation, iterations): (Isolation, u64),
    ) -> io::Result<Explored> {
        let overrides = Settings {
            isolation: Some(isolation),
            iterations: Some(iterations),
            ..overrides.clone()
        };
        let launch = Launch::exploring(executable, test, (&overrides, defaults));
        let timeout = self.hang_timeout_of(executable, test);
        spread(&launch, 1, timeout, self.scratch, &self.stop, |_| {})
    }

    /// Explores one test by these settings.
    fn search_by(
        &self,
        executable: &Executable,
        name: TestName,
        (overrides, defaults): (&Settings, &Settings),
        processes: u32,
        on_progress: &dyn Fn(Progress<'_>),
        on_finding: &dyn Fn(&Finding),
    ) -> io::Result<TestRun> {
        let test = &*name.test.clone();
        let processes = match overrides.resume.as_ref().or(defaults.resume.as_ref()) {
            // The file is read and written by one process.
            Some(_) => 1,
            // More cores are for more shards.
            None if self.part.is_some() => 1,
            None => processes,
        };
        let launch = Launch {
            part: self.part,
            ..Launch::exploring(executable, test, (overrides, defaults))
        };
        let timeout = self.hang_timeout_of(executable, test);
        let (scratch, stop) = (self.scratch, &self.stop);
        let explored = spread(&launch, processes, timeout, scratch, stop, |counters| {
            on_progress(Progress::Explores(counters));
        })?;
        let end = explored.end.unwrap_or(End::Stopped);
        let mut run = TestRun {
            started: explored.started,
            counters: explored.counters,
            diverged: explored.diverged,
            shared_files: explored.shared_files,
            uncontrolled: explored.uncontrolled,
            printed: explored.printed,
            seen: explored.seen,
            covered: explored.covered,
            ..TestRun::new(name, executable)
        };
        let found = match (explored.refused, explored.found, explored.finished) {
            (Some(reason), ..) => {
                run.outcome = Outcome::Refused(reason);
                None
            }
            (_, Some(found), _) if found.bug.kind == BugKind::Silence => {
                run.outcome = Outcome::Unfinished;
                run.silence = Some(found.bug);
                None
            }
            (_, Some(found), _) => Some(found),
            (_, _, true) => {
                // A shard may have no part in a test.
                let has_part = self.part.is_none() || run.counters.schedules > 0;
                if has_part && run.counters.ended() == 0 {
                    run.outcome = Outcome::Unfinished;
                }
                None
            }
            _ if self.stop.is_set() => {
                run.outcome = Outcome::Stopped;
                None
            }
            _ if !run.uncontrolled.is_empty() => {
                // The engine has given up on it: what cannot be controlled can still be run.
                self.run_as_it_is(&launch, &mut run)?;
                None
            }
            _ if self.part.is_some() && end.was_killed() => {
                run.outcome = Outcome::Stopped;
                None
            }
            _ => {
                run.outcome = native_outcome(&end, || self.scratch.lack());
                None
            }
        };
        let Some(found) = found else {
            return Ok(run);
        };
        if let Some(lack) = self.scratch.lack() {
            // It may be what the test has met; nothing could be repeated or kept either.
            let message = found.bug.message.lines().next().unwrap_or_default();
            run.outcome = Outcome::Refused(format!("{lack}; it ended with: {message}"));
            return Ok(run);
        }
        let mut settings = (overrides.clone(), defaults.clone());
        if found.bug.kind == BugKind::OutOfMemory {
            // On record: elsewhere the limit of a test may be another one, and it would fail at another step.
            settings.1.max_memory.get_or_insert_with(memory::share);
        }
        let mut finding = Finding::new(found, run.printed.clone(), settings);
        finding.shared_files.clone_from(&run.shared_files);
        let was_killed = self.part.is_some() && end.was_killed();
        if processes == 1 && !was_killed {
            on_finding(&finding);
        }
        let proof = self.prove(&launch, &mut finding, timeout, (on_progress, on_finding));
        if let Err(error) = proof {
            run.trouble = Some(error);
        }
        if was_killed && finding.repeats != Repeats::Yes {
            run.outcome = Outcome::Stopped;
            return Ok(run);
        }
        if processes > 1 && matches!(finding.repeats, Repeats::No(_)) {
            // Processes of one test may be in each other's way, by a file for example.
            let settings = (overrides, defaults);
            return self.search_by(executable, run.name, settings, 1, on_progress, on_finding);
        }
        if finding.repeats != Repeats::Yes {
            on_finding(&finding);
        }
        run.outcome = Outcome::Failed(Box::new(finding));
        Ok(run)
    }

    /// Repeats what was found, and finds out more about it; after an error it is what is known so far.
    fn prove(
        &self,
        launch: &Launch<'_>,
        finding: &mut Finding,
        timeout: Duration,
        (on_progress, on_finding): (Told<'_>, &dyn Fn(&Finding)),
    ) -> io::Result<()> {
        let (schedule, began) = (finding.schedule.clone(), Instant::now());
        let repeated = repeat(launch, &schedule, timeout, self.scratch, &self.stop)?;
        let once = began.elapsed();
        refuse(&repeated)?;
        finding.judge(repeated);
        if let Repeats::No(_) = finding.repeats
            && let Some(lack) = self.scratch.lack()
        {
            finding.repeats = Repeats::Unknown;
            return Err(lack);
        }
        if finding.repeats != Repeats::Yes {
            return Ok(());
        }
        on_finding(finding);
        if let Some(known) = self.vary(launch, finding, (timeout, once), on_progress)? {
            *finding = known;
            on_finding(finding);
        }
        if let Some(mut leads_to) = self.leads_to(launch, finding, timeout)? {
            if let Some(then) = leads_to.finding.take() {
                let launch = then.launch(launch);
                let known = self.vary(&launch, &then, (timeout, once), on_progress)?;
                leads_to.finding = known.or_else(|| Some(then.clone()));
            }
            finding.leads_to = Some(Box::new(leads_to));
            on_finding(finding);
        }
        Ok(())
    }

    /// The failure as others like its schedule tell it, if there is time for these, given how long one
    /// execution takes: by a shorter schedule unless that was looked for before, and with the step from which
    /// on it is certain. None if nothing was tried.
    fn vary(
        &self,
        launch: &Launch<'_>,
        found: &Finding,
        (hang_timeout, once): (Duration, Duration),
        on_progress: &dyn Fn(Progress<'_>),
    ) -> io::Result<Option<Finding>> {
        // As this run wants it, also where the settings are another run's.
        let settings = self
            .overrides
            .clone()
            .over(launch.executable.config.clone());
        let (time, kind) = (settings.shrink(), found.bug.as_ref().map(|bug| bug.kind));
        let Some(before) = found.trace.as_ref().map(Length::of) else {
            return Ok(None);
        };
        let is_varied = kind.is_some_and(|kind| reason_not_to(kind).is_none());
        if time.is_zero() || !is_varied || found.repeats != Repeats::Yes || self.stop.is_set() {
            return Ok(None);
        }
        // The first attempt and the last one are made in any case.
        let not_shrunk = |why| Finding {
            shrinking: Some(Shrinking::none(before, why)),
            ..found.clone()
        };
        if once * 2 > time {
            return Ok(Some(not_shrunk(WhyNot::TakesTooLong)));
        }
        on_progress(Progress::Shrinks(0));
        let shrinker = Shrinker {
            time,
            // After an attempt that hangs each has a process of its own, and is not waited for that long.
            hang_timeout: hang_timeout.min(SILENCE),
            scratch: self.scratch,
            stop: &self.stop,
            on_shorter: &|executions| on_progress(Progress::Shrinks(executions)),
        };
        let mut known = None;
        if !found.is_shrunk() {
            known = match shrinker.shorten(launch, found, before)? {
                Shortened::To(shorter, _) => Some(*shorter),
                Shortened::Not(_) if self.stop.is_set() => None,
                Shortened::Not(why) => Some(not_shrunk(why)),
            };
        }
        let last = known.as_ref().unwrap_or(found);
        if last.certain.is_none()
            && let Some(certain) = shrinker.certain(launch, last)?
        {
            known.get_or_insert_with(|| found.clone()).certain = Some(certain);
        }
        Ok(known)
    }

    /// A test's settings above and below its attribute, with its own seed.
    pub(crate) fn settings_of(
        &self,
        executable: &Executable,
        name: &TestName,
        strategy: Option<&Spec>,
    ) -> (Settings, Settings) {
        let mut overrides = self.overrides.clone();
        overrides.strategy = strategy.cloned().or(overrides.strategy);
        let mut defaults = executable.config_of(&name.test);
        let own_seed = (defaults.seed != executable.config.seed).then_some(defaults.seed);
        self.seed.apply(name, &mut overrides, &mut defaults);
        // A seed for this test alone is taken as it is, as an attribute's is.
        defaults.seed = own_seed.flatten().or(defaults.seed);
        (overrides, defaults)
    }

    /// How long a test may be silent.
    pub(crate) fn hang_timeout_of(&self, executable: &Executable, test: &str) -> Duration {
        let settings = self.overrides.clone().over(executable.config_of(test));
        settings.hang_timeout()
    }

    /// Runs the test once, natively.
    fn run_as_it_is(&self, launch: &Launch<'_>, run: &mut TestRun) -> io::Result<()> {
        let launch = Launch {
            mode: Mode::Native,
            ..launch.clone()
        };
        let board = self.scratch.board()?;
        let output = self.scratch.path("output");
        let end = watch(&launch, &board, &output, Duration::MAX, &self.stop, |_| {})?;
        run.printed = String::from_utf8_lossy(&fs::read(&output)?).into_owned();
        run.started = None;
        run.outcome = native_outcome(&end, || self.scratch.lack());
        Ok(())
    }
}

/// True if what is suspected comes again each time that it is tried in one process, and not where each
/// execution has its own; `again` makes so many schedules.
fn is_confirmed(
    leak: &Leak,
    again: impl Fn(Isolation, u64) -> io::Result<Explored>,
) -> io::Result<bool> {
    // A matter of chance comes out otherwise sooner or later.
    for _ in 0..TRIALS {
        let comes_again = match *leak {
            Leak::Diverged(_) => {
                again(Isolation::None, 1)?.diverged.is_some()
                    && again(Isolation::Process, 1)?.repeats()
            }
            // That it does not repeat by itself is known.
            Leak::Failed(iteration, _) => {
                let found = again(Isolation::None, iteration)?.found;
                found.is_some_and(|found| found.iteration == iteration)
            }
            // It is known, whether it makes a difference or not.
            Leak::LeftBehind => return Ok(true),
            Leak::Remembered => false,
        };
        if !comes_again {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A repetition that could not begin says nothing about the schedule.
fn refuse(repeated: &Repeated) -> io::Result<()> {
    match repeated {
        Repeated::Refused(reason) => {
            let said = format!("the failing schedule cannot be repeated: {reason}");
            Err(io::Error::other(said))
        }
        _ => Ok(()),
    }
}
