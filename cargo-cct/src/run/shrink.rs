//! Shrinks a failure: looks for shorter schedules in a process of its own, and repeats the shortest in a
//! fresh one.

use std::io;
use std::time::{Duration, Instant};

use cct::codec::Wire as _;
use cct::config::Settings;
use cct::part::Part;
use cct::trace::Schedule;
use cct::verdict::{Bug, BugKind};
use cct::wire::{Event, Shrunk};
use serde::{Deserialize, Serialize};

use super::confirm::repeat;
use super::finding::{Finding, Repeats};
use super::length::Length;
use super::process::{Goal, Launch, Mode};
use super::scratch::Scratch;
use super::stop::Stop;
use super::watch::{End, bug_of, watch};

/// How many of the schedules that were found are repeated in a fresh process, until one fails there too.
const REPEATED: usize = 4;
/// How long a process may be silent that has others for its executions: they may be for less.
pub(super) const APART: Duration = Duration::from_secs(4);

/// The history of a failure that was shrunk.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Shrinking {
    /// The length of the schedule as it was found.
    pub from: Length,
    /// The executions that were made to shorten it.
    pub executions: u64,
    /// How long they took.
    #[serde(default)]
    pub milliseconds: u64,
    /// There is no way left in which a shorter one is looked for.
    pub is_complete: bool,
    /// Why there is no shorter one to look for, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<WhyNot>,
}

/// Why a failure was not shrunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WhyNot {
    /// There is no time even for two executions.
    TakesTooLong,
    /// The schedule does not fail when it is followed worker by worker.
    DoesNotFit,
    /// The shortest schedule does not come to the same failure in a fresh process.
    DoesNotRepeat,
}

impl Shrinking {
    /// That of a failure of this length that was not shrunk.
    pub(super) fn none(from: Length, why: WhyNot) -> Shrinking {
        Shrinking {
            from,
            executions: 0,
            milliseconds: 0,
            is_complete: false,
            why_not: Some(why),
        }
    }
}

/// How failures are shrunk.
pub(crate) struct Shrinker<'a> {
    /// For how long.
    pub time: Duration,
    /// How long the test may be silent.
    pub hang_timeout: Duration,
    /// Where files go.
    pub scratch: &'a Scratch,
    /// Ends it; what was found until then is kept.
    pub stop: &'a Stop,
    /// Hears after how many executions there was a shorter schedule.
    pub on_shorter: &'a dyn Fn(u64),
}

/// The result for one failure.
#[derive(Debug)]
pub(crate) enum Shortened {
    /// There is no schedule to tell.
    Not(WhyNot),
    /// The failure by the shortest schedule that was found, which may be the one from before.
    To(Box<Finding>, Effort),
}

/// The effort of one search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Effort {
    /// The executions.
    pub executions: u64,
    /// The time.
    pub elapsed: Duration,
    /// There is no way left in which a shorter schedule is looked for.
    pub is_complete: bool,
    /// An attempt ended the process in this way, and what was left was not tried.
    pub ended_by: Option<Box<Bug>>,
}

impl Effort {
    /// The history of a failure after one more search, which began with this length.
    fn added_to(&self, before: Option<&Shrinking>, length: Length) -> Shrinking {
        Shrinking {
            from: before.map_or(length, |before| before.from),
            executions: before.map_or(0, |before| before.executions) + self.executions,
            milliseconds: before.map_or(0, |before| before.milliseconds)
                + u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX),
            is_complete: self.is_complete,
            why_not: None,
        }
    }
}

/// Why failures of this kind are not shrunk; none if they are.
pub(crate) fn reason_not_to(kind: BugKind) -> Option<&'static str> {
    match kind {
        BugKind::Hang | BugKind::Silence => {
            Some("each attempt would take as long as it took to tell")
        }
        BugKind::OutOfMemory => Some("each attempt would take as much memory"),
        _ => None,
    }
}

/// True if a failure of this kind ends its process.
pub(super) fn ends_process(kind: BugKind) -> bool {
    matches!(
        kind,
        BugKind::Signal
            | BugKind::StackOverflow
            | BugKind::Abort
            | BugKind::Exit
            | BugKind::BadMemory
    )
}

impl Shrinker<'_> {
    /// Looks for the shortest schedule that fails as this one does, whose length is known.
    pub(crate) fn shorten(
        &self,
        launch: &Launch<'_>,
        found: &Finding,
        before: Length,
    ) -> io::Result<Shortened> {
        let began = Instant::now();
        let (mut told, ended_by) = self.search(launch, found)?;
        let Some(last) = told.last() else {
            return Ok(Shortened::Not(WhyNot::DoesNotFit));
        };
        let effort = Effort {
            executions: last.executions,
            elapsed: began.elapsed(),
            is_complete: last.is_complete == Some(true),
            ended_by: ended_by.map(Box::new),
        };
        told.reverse();
        told.dedup_by(|one, other| one.schedule == other.schedule);
        for shrunk in told.into_iter().take(REPEATED) {
            let Some((mut finding, after)) = self.repeat(launch, found, shrunk.schedule)? else {
                continue;
            };
            // A race is taken apart into finer steps at the end, which are more.
            let is_finer = found.schedule.coarse && !finding.schedule.coarse;
            let is_shorter = after < before || is_finer && after.preemptions <= before.preemptions;
            if !is_shorter {
                finding = found.clone();
            }
            finding.shrinking = Some(effort.added_to(found.shrinking.as_ref(), before));
            return Ok(Shortened::To(Box::new(finding), effort));
        }
        Ok(Shortened::Not(WhyNot::DoesNotRepeat))
    }

    /// The same failure by another schedule, and how long that is; none if it does not come to that in a
    /// fresh process.
    fn repeat(
        &self,
        launch: &Launch<'_>,
        found: &Finding,
        schedule: Schedule,
    ) -> io::Result<Option<(Finding, Length)>> {
        let mut finding = Finding {
            schedule: Schedule {
                strategy: found.schedule.strategy.clone(),
                ..schedule
            },
            trace: None,
            certain: None,
            repeats: Repeats::Unknown,
            ..found.clone()
        };
        // Also after an interrupt: nothing that was found is lost.
        let (stop, timeout) = (Stop::default(), self.hang_timeout);
        let repeated = repeat(launch, &finding.schedule, timeout, self.scratch, &stop)?;
        finding.judge(repeated);
        let is_same = match (&found.bug, &finding.bug) {
            (Some(before), Some(after)) => before.is_same_as(after),
            _ => false,
        };
        let length = finding.trace.as_ref().map(Length::of);
        let length = length.filter(|_| is_same && finding.repeats == Repeats::Yes);
        Ok(length.map(|length| (finding, length)))
    }

    /// The schedules that are found, the shortest last, and how the process ended if an attempt ended it.
    /// None if the one that is given does not fail when it is followed.
    fn search(
        &self,
        launch: &Launch<'_>,
        found: &Finding,
    ) -> io::Result<(Vec<Shrunk>, Option<Bug>)> {
        let began = Instant::now();
        let kind = found.bug.as_ref().map(|bug| bug.kind);
        let is_apart = kind.is_some_and(ends_process);
        let before = found
            .shrinking
            .as_ref()
            .map_or(0, |before| before.executions);
        let (mut told, mut ended_by) =
            self.search_once(launch, (&found.schedule, before), self.time, is_apart)?;
        // A hang takes long to tell on a machine with much to do.
        let left = self.time.saturating_sub(began.elapsed());
        let left = left.max(self.time / 2);
        // An attempt has ended the process. From here on each has its own.
        if ended_by.is_some() && !is_apart && !self.stop.is_set() {
            let (schedule, so_far) = told.last().map_or((&found.schedule, 0), |last| {
                (&last.schedule, last.executions)
            });
            let (rest, ended) = self.search_once(launch, (schedule, before), left, true)?;
            ended_by = ended;
            told.extend(rest.into_iter().map(|shrunk| Shrunk {
                executions: so_far + shrunk.executions,
                ..shrunk
            }));
        }
        let ended_by = ended_by.filter(|_| !told.is_empty());
        Ok((told, ended_by))
    }

    /// The same of one process, which has one for each execution if they are `is_apart`. So many were made
    /// before.
    fn search_once(
        &self,
        launch: &Launch<'_>,
        (schedule, before): (&Schedule, u64),
        time: Duration,
        is_apart: bool,
    ) -> io::Result<(Vec<Shrunk>, Option<Bug>)> {
        let file = self.scratch.write("schedule", &schedule.to_bytes())?;
        let overrides = Settings {
            time: Some(time),
            ..launch.overrides.clone()
        };
        let launch = Launch {
            mode: Mode::Vary {
                goal: Goal::Shorter,
                schedule: file,
                is_apart,
            },
            overrides: &overrides,
            part: Some(Part {
                from: Some(before + 1),
                ..Part::WHOLE
            }),
            ..launch.clone()
        };
        let board = self.scratch.board()?;
        let output = self.scratch.path("output");
        let mut told: Vec<Shrunk> = Vec::new();
        // An execution in its own process is ended by the one that waits for it.
        let timeout = if is_apart {
            self.hang_timeout.max(APART)
        } else {
            self.hang_timeout
        };
        let end = watch(&launch, &board, &output, timeout, self.stop, |event| {
            if let Event::Shrunk(shrunk) = event {
                // The first is the schedule itself, and the last tells no more than the executions.
                let last = told.last();
                if last.is_some_and(|last| last.schedule != shrunk.schedule) {
                    (self.on_shorter)(shrunk.executions);
                }
                told.push(shrunk);
            }
        })?;
        let is_over = told.last().is_some_and(|last| last.is_complete.is_some());
        // A schedule that does not fail when it is followed ends with a word less, and all is well.
        let is_well = matches!(end, End::Exited(status) if status.success());
        let ended_by = bug_of(&end, &board).filter(|_| !is_over && !is_well);
        Ok((told, ended_by))
    }
}
