//! Explores one test: its process, what it finds, and the proof that the finding repeats.

use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::time::{Duration, Instant};

use cct::claim::Exceptions;
use cct::config::Settings;
use cct::part::Part;
use cct::strategy::Spec;
use cct::trace::{Schedule, Trace};
use cct::verdict::{Bug, BugKind};
use cct::wire::{Certain, Counters, Divergence, Fingerprints, Panic, Started};

use super::confirm::{Repeated, repeat, same_end};
use super::first::{First, Tried, TriedEnd};
use super::length::Length;
use super::name::TestName;
use super::process::{Launch, Mode};
use super::scratch::Scratch;
use super::seed::RunSeed;
use super::shrink::{Shortened, Shrinker, Shrinking, reason_not_to};
use super::spread::spread;
use super::watch::{End, Stop, watch};
use crate::build::cargo::Executable;
use crate::failure::Id;

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
    /// The facts of the crates that it is made of: what no run can see.
    pub linked: Exceptions,
    /// The uncontrolled things that it uses.
    pub uncontrolled: Vec<String>,
    /// The output of its last schedule.
    pub printed: String,
    /// The fingerprints of a shard's schedules.
    pub seen: Option<Fingerprints>,
    /// How it ended.
    pub outcome: Outcome,
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

/// A schedule worth keeping, most often for its bug, and all that is known about how to get there.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// The iteration it was found in, from 1; 0 when it was led by hand.
    pub iteration: u64,
    /// The bug; none when the schedule is kept for its own sake.
    pub bug: Option<Bug>,
    /// How to get there; empty when the process died before the first schedule.
    pub schedule: Schedule,
    /// The trace, when the schedule could be repeated to its end.
    pub trace: Option<Trace>,
    /// Whether it repeats.
    pub repeats: Repeats,
    /// Set once it was tried to shrink it.
    pub shrinking: Option<Shrinking>,
    /// From where on it is certain, if that was found out.
    pub certain: Option<Certain>,
    /// Panics of workers that nobody noticed.
    pub unobserved: Vec<Panic>,
    /// The output of the failing schedule.
    pub printed: String,
    /// The failure on record whose schedule led to it.
    pub known: Option<Id>,
    /// The settings that it was found with.
    pub overrides: Settings,
    /// Likewise, those below the attribute.
    pub defaults: Settings,
}

/// Whether a finding repeats.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", tag = "repeats", content = "instead")]
pub(crate) enum Repeats {
    /// It was not tried: the run was stopped.
    Unknown,
    /// The same schedule failed in the same way.
    Yes,
    /// It did not; something is not under control.
    No(String),
}

/// How long a test may be silent at most while it is shrunk.
const SILENCE: Duration = Duration::from_secs(2);

/// How often a part of a search is begun whose process is killed from outside.
const ATTEMPTS: u32 = 3;

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
                let name = name.clone();
                let run = self.search(
                    executable,
                    name,
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
        let launch = Launch {
            executable,
            test,
            mode: Mode::Explore,
            overrides: &found.overrides,
            defaults: &found.defaults,
            part: None,
            answers: None,
        };
        let (mut finding, timeout) = (found.clone(), self.hang_timeout_of(executable, test));
        let began = Instant::now();
        if finding.repeats == Repeats::Unknown {
            let schedule = finding.schedule.clone();
            finding.judge(repeat(
                &launch,
                &schedule,
                timeout,
                self.scratch,
                &self.stop,
            )?);
        }
        let once = began.elapsed();
        if finding.repeats != Repeats::Yes {
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

    /// Explores one test.
    fn search(
        &self,
        executable: &Executable,
        name: TestName,
        strategy: Option<&Spec>,
        processes: u32,
        on_progress: &dyn Fn(Progress<'_>),
        on_finding: &dyn Fn(&Finding),
    ) -> io::Result<TestRun> {
        let test = &*name.test.clone();
        let (overrides, defaults) = self.settings_of(executable, &name, strategy);
        let processes = match overrides.resume.as_ref().or(defaults.resume.as_ref()) {
            // The file is read and written by one process.
            Some(_) => 1,
            // More cores are for more shards.
            None if self.part.is_some() => 1,
            None => processes,
        };
        let launch = Launch {
            executable,
            test,
            mode: Mode::Explore,
            overrides: &overrides,
            defaults: &defaults,
            part: self.part,
            answers: None,
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
            uncontrolled: explored.uncontrolled,
            printed: explored.printed,
            seen: explored.seen,
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
            _ => {
                run.outcome = native_outcome(&end);
                None
            }
        };
        if let Some(found) = found {
            let mut finding = Finding {
                iteration: found.iteration,
                bug: Some(found.bug),
                schedule: found.schedule,
                trace: None,
                repeats: Repeats::Unknown,
                shrinking: None,
                certain: None,
                unobserved: Vec::new(),
                printed: run.printed.clone(),
                known: None,
                overrides: overrides.clone(),
                defaults: defaults.clone(),
            };
            let was_killed = self.part.is_some() && was_killed(&end);
            if processes == 1 && !was_killed {
                on_finding(&finding);
            }
            let (schedule, began) = (finding.schedule.clone(), Instant::now());
            let repeated = repeat(&launch, &schedule, timeout, self.scratch, &self.stop)?;
            let once = began.elapsed();
            finding.judge(repeated);
            if was_killed && finding.repeats != Repeats::Yes {
                run.outcome = Outcome::Stopped;
                return Ok(run);
            }
            if processes > 1 && matches!(finding.repeats, Repeats::No(_)) {
                // Processes of one test may be in each other's way, by a file for example.
                return self.search(executable, run.name, strategy, 1, on_progress, on_finding);
            }
            on_finding(&finding);
            if let Some(known) = self.vary(&launch, &finding, (timeout, once), on_progress)? {
                finding = known;
                on_finding(&finding);
            }
            run.outcome = Outcome::Failed(Box::new(finding));
        }
        Ok(run)
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
        // The first attempt and the last one are made in any case.
        let is_long = once * 2 > time;
        if time.is_zero()
            || is_long
            || !is_varied
            || found.repeats != Repeats::Yes
            || self.stop.is_set()
        {
            return Ok(None);
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
        if found.shrinking.is_none()
            && let Shortened::To(shorter, _) = shrinker.shorten(launch, found, before)?
        {
            known = Some(*shorter);
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
        run.outcome = native_outcome(&end);
        Ok(())
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
            linked: executable.linked,
            uncontrolled: Vec::new(),
            printed: String::new(),
            outcome: Outcome::Passed,
            seen: None,
            silence: None,
        }
    }

    /// True if it was under control.
    pub(crate) fn is_controlled(&self) -> bool {
        self.started.is_some() || self.tried.iter().any(|tried| tried.finding().is_some())
    }
}

impl Finding {
    /// Takes in what came of the repetition.
    pub(crate) fn judge(&mut self, repeated: Repeated) {
        let same = same_end(self.bug.as_ref(), repeated.bug());
        match repeated {
            Repeated::Ended { replayed, output } => {
                self.repeats = match (&replayed.divergence, same) {
                    (Some(divergence), _) => Repeats::No(format!(
                        "at step {} it should have been {}, but it was {}",
                        divergence.step + 1,
                        divergence.expected,
                        divergence.found
                    )),
                    (None, true) => Repeats::Yes,
                    (None, false) => Repeats::No(ended_as(&replayed.verdict)),
                };
                if same {
                    if let cct::verdict::Verdict::Failed(bug) = replayed.verdict {
                        // The repetition knows the objects by number.
                        self.bug = Some(*bug);
                    }
                    self.printed = output;
                }
                self.trace = Some(replayed.trace);
                self.unobserved = replayed.unobserved_panics;
            }
            Repeated::Died { bug, output } => {
                self.repeats = if same {
                    Repeats::Yes
                } else {
                    Repeats::No(bug.message.clone())
                };
                if same {
                    self.printed = output;
                    if self.bug.as_ref().is_some_and(|bug| bug.site.is_none()) {
                        self.bug = Some(bug);
                    }
                }
            }
            Repeated::Refused(reason) => self.repeats = Repeats::No(reason),
            Repeated::Stopped => self.repeats = Repeats::Unknown,
        }
    }
}

fn ended_as(verdict: &cct::verdict::Verdict) -> String {
    use cct::verdict::Verdict;
    match verdict {
        Verdict::Passed => "it passed".to_owned(),
        Verdict::CutOff => "it was cut off".to_owned(),
        Verdict::Failed(bug) => {
            format!(
                "it failed with: {}",
                bug.message.lines().next().unwrap_or_default()
            )
        }
    }
}

/// True if the process ended by a signal that somebody else has sent, unless the test kills itself: the
/// system does for want of memory, a cluster when time is up.
fn was_killed(end: &End) -> bool {
    const FROM_OUTSIDE: [i32; 5] = [
        libc::SIGKILL,
        libc::SIGTERM,
        libc::SIGINT,
        libc::SIGHUP,
        libc::SIGXCPU,
    ];
    let signal = match end {
        End::Exited(status) => status.signal(),
        _ => None,
    };
    signal.is_some_and(|signal| FROM_OUTSIDE.contains(&signal))
}

/// A process in which no engine came up has run the test as it is, once.
fn native_outcome(end: &End) -> Outcome {
    match end {
        End::Exited(status) if status.success() => Outcome::Passed,
        End::Exited(status) => Outcome::FailedNatively(status.to_string()),
        End::Hung => Outcome::FailedNatively("it was silent for too long".to_owned()),
        End::Blocked(call) => Outcome::FailedNatively(format!("it waited in {call}")),
        End::Stopped => Outcome::Stopped,
    }
}
