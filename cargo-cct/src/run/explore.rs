//! Explores one test: its process, what it finds, and the proof that the finding repeats.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use cct::config::Settings;
use cct::trace::{Schedule, Trace};
use cct::verdict::Bug;
use cct::wire::{Counters, Divergence, Event, Found, Panic, Started};

use super::confirm::{Repeated, repeat, same_bug};
use super::name::TestName;
use super::process::{Launch, Mode};
use super::scratch::Scratch;
use super::seed::RunSeed;
use super::watch::{End, Stop, bug_of, watch};
use crate::build::cargo::Executable;

/// What all tests of a run have in common.
#[derive(Debug)]
pub(crate) struct Explorer<'a> {
    /// The run's seed.
    pub seed: RunSeed,
    /// Settings above the tests' attributes.
    pub overrides: Settings,
    /// How long a test may be silent; none: what its package says, else ten seconds.
    pub hang_timeout: Option<Duration>,
    /// Where files go.
    pub scratch: &'a Scratch,
    /// Set when everything is to end.
    pub stop: Stop,
}

/// How long a test may be silent when nothing is said.
pub(crate) const HANG_TIMEOUT: Duration = Duration::from_secs(10);

/// A test that was run.
#[derive(Debug)]
pub(crate) struct TestRun {
    /// The test.
    pub name: TestName,
    /// Whether it was explored: what the engine said when it was up.
    pub started: Option<Started>,
    /// How long it took.
    pub elapsed: Duration,
    /// What was explored.
    pub counters: Counters,
    /// Set when its first schedule did not repeat.
    pub diverged: Option<Divergence>,
    /// What it uses that is not under control.
    pub uncontrolled: Vec<String>,
    /// What it printed in its last schedule.
    pub printed: String,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a test ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Nothing was found.
    Passed,
    /// A bug was found.
    Failed(Box<Finding>),
    /// It ran natively and failed.
    FailedNatively(String),
    /// It would not begin.
    Refused(String),
    /// The user wanted everything to end.
    Stopped,
}

/// A bug, and all that is known about how to get there.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// The iteration it was found in, from 1.
    pub iteration: u64,
    /// The bug.
    pub bug: Bug,
    /// How to get there; empty when the process died before the first schedule.
    pub schedule: Schedule,
    /// What happened, when the schedule could be repeated to its end.
    pub trace: Option<Trace>,
    /// Whether it repeats.
    pub repeats: Repeats,
    /// Panics of workers that nobody noticed.
    pub unobserved: Vec<Panic>,
    /// What was printed in the failing schedule.
    pub printed: String,
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

impl Explorer<'_> {
    /// Runs one test; `on_progress` hears how far it is, `on_finding` of a bug as soon as it is known and
    /// again when it was repeated.
    pub(crate) fn explore(
        &self,
        executable: &Executable,
        test: &str,
        on_progress: impl Fn(&Counters),
        on_finding: impl Fn(&Finding),
    ) -> io::Result<TestRun> {
        let name = TestName {
            binary: executable.label.clone(),
            test: test.to_owned(),
        };
        let mut overrides = self.overrides.clone();
        let mut defaults = executable.config.settings.clone();
        self.seed.apply(&name, &mut overrides, &mut defaults);
        let launch = Launch {
            executable,
            test,
            mode: Mode::Explore,
            overrides: &overrides,
            defaults: &defaults,
        };
        let timeout = self
            .hang_timeout
            .or(executable.config.hang_timeout)
            .unwrap_or(HANG_TIMEOUT);

        let began = Instant::now();
        let board = self.scratch.board()?;
        let output = self.scratch.path("output");
        let mut heard = Heard::default();
        let end = watch(&launch, &board, &output, timeout, &self.stop, |event| {
            if let Event::Progress(counters) = &event {
                on_progress(counters);
            }
            heard.add(event);
        })?;
        if let End::Blocked(call) = &end {
            heard.uncontrolled.push(call.clone());
        }
        let bytes = fs::read(&output)?;
        // The process has ended and its output is read: the file is of no further use.
        let _ = fs::remove_file(&output);
        let mut run = TestRun {
            name,
            started: heard.started,
            elapsed: Duration::ZERO,
            counters: heard.counters,
            diverged: heard.diverged,
            uncontrolled: heard.uncontrolled,
            printed: String::from_utf8_lossy(&bytes).into_owned(),
            outcome: Outcome::Passed,
        };
        let found = match (heard.refused, heard.found, heard.finished) {
            (Some(reason), ..) => {
                run.outcome = Outcome::Refused(reason);
                None
            }
            (_, Some(found), _) => Some(found),
            (_, _, true) => None,
            _ if end == End::Stopped => {
                run.outcome = Outcome::Stopped;
                None
            }
            _ if !run.uncontrolled.is_empty() => {
                // The engine has given up on it: what cannot be controlled can still be run.
                self.run_as_it_is(&launch, &mut run)?;
                None
            }
            _ if run.started.is_none() => {
                run.outcome = native_outcome(&end);
                None
            }
            _ => bug_of(&end, &board).map(|bug| {
                run.counters.schedules = board.iteration();
                run.counters.steps = run.counters.steps.max(board.steps());
                let schedule = board.schedule().unwrap_or_default();
                Found {
                    iteration: board.iteration(),
                    bug,
                    schedule,
                }
            }),
        };
        if let Some(found) = found {
            let mut finding = Finding {
                iteration: found.iteration,
                bug: found.bug,
                schedule: found.schedule,
                trace: None,
                repeats: Repeats::Unknown,
                unobserved: Vec::new(),
                printed: run.printed.clone(),
                overrides: overrides.clone(),
                defaults: defaults.clone(),
            };
            on_finding(&finding);
            let schedule = finding.schedule.clone();
            let repeated = repeat(&launch, &schedule, timeout, self.scratch, &self.stop)?;
            finding.judge(repeated);
            on_finding(&finding);
            run.outcome = Outcome::Failed(Box::new(finding));
        }
        run.elapsed = began.elapsed();
        Ok(run)
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

impl Finding {
    /// Takes in what came of the repetition.
    fn judge(&mut self, repeated: Repeated) {
        let same = repeated.bug().is_some_and(|bug| same_bug(&self.bug, bug));
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
                        self.bug = bug;
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
                    if self.bug.site.is_none() {
                        self.bug = bug;
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

/// What a process said.
#[derive(Debug, Default)]
struct Heard {
    started: Option<Started>,
    counters: Counters,
    diverged: Option<Divergence>,
    uncontrolled: Vec<String>,
    found: Option<Found>,
    finished: bool,
    refused: Option<String>,
}

impl Heard {
    fn add(&mut self, event: Event) {
        match event {
            Event::Started(started) => self.started = Some(started),
            Event::Progress(counters) => self.counters = counters,
            Event::Diverged(divergence) => self.diverged = Some(divergence),
            Event::Uncontrolled(what) => self.uncontrolled.push(what),
            Event::Found(found) => self.found = Some(found),
            Event::Finished(counters) => {
                self.counters = counters;
                self.finished = true;
            }
            // Only replays say this.
            Event::Replayed(_) => {}
            Event::Refused(reason) => self.refused = Some(reason),
        }
    }
}
