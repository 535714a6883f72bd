//! Shrinks a failure: looks for shorter schedules in a process of its own, and repeats the shortest in a
//! fresh one.

use std::fs;
use std::io;
use std::time::Duration;

use cct::codec::Wire as _;
use cct::config::Settings;
use cct::trace::Schedule;
use cct::verdict::{Bug, BugKind};
use cct::wire::{Event, Shrunk};
use serde::{Deserialize, Serialize};

use super::confirm::repeat;
use super::explore::{Finding, Repeats};
use super::length::Length;
use super::process::{Launch, Mode};
use super::scratch::Scratch;
use super::watch::{Stop, bug_of, watch};

/// How many of the schedules that were found are repeated in a fresh process, until one fails there too.
const REPEATED: usize = 4;

/// The history of a failure that was shrunk.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Shrinking {
    /// The length of the schedule as it was found.
    pub from: Length,
    /// The executions that were made to shorten it.
    pub executions: u64,
    /// There is no way left in which a shorter one is looked for.
    pub is_complete: bool,
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
    /// The schedule does not fail when it is followed worker by worker.
    DoesNotFit,
    /// The shortest schedule does not come to the same failure in a fresh process.
    DoesNotRepeat,
    /// The failure by the shortest schedule that was found, which may be the one from before.
    To(Box<Finding>, Effort),
}

/// The effort of one search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Effort {
    /// The executions.
    pub executions: u64,
    /// There is no way left in which a shorter schedule is looked for.
    pub is_complete: bool,
    /// An attempt ended the process in this way, and what was left was not tried.
    pub ended_by: Option<Bug>,
}

impl Effort {
    /// The history of a failure after one more search, which began with this length.
    fn added_to(&self, before: Option<&Shrinking>, length: Length) -> Shrinking {
        Shrinking {
            from: before.map_or(length, |before| before.from),
            executions: before.map_or(0, |before| before.executions) + self.executions,
            is_complete: self.is_complete,
        }
    }
}

/// Why failures of this kind are not shrunk; none if they are.
pub(crate) fn reason_not_to(kind: BugKind) -> Option<&'static str> {
    match kind {
        BugKind::Livelock | BugKind::Liveness => {
            Some("only a schedule in which everybody runs shows that something never happens")
        }
        BugKind::Exit
        | BugKind::Abort
        | BugKind::Signal
        | BugKind::StackOverflow
        | BugKind::BadMemory
        | BugKind::Hang
        | BugKind::Silence => Some("it ends the process, and each attempt would, too"),
        BugKind::Panic
        | BugKind::NoPanic
        | BugKind::ErrorReturned
        | BugKind::UnobservedPanic
        | BugKind::Deadlock
        | BugKind::LockCycle
        | BugKind::Safety => None,
    }
}

impl Shrinker<'_> {
    /// Looks for the shortest schedule that fails as this one does, whose length is known.
    pub(crate) fn shorten(
        &self,
        launch: &Launch<'_>,
        found: &Finding,
        before: Length,
    ) -> io::Result<Shortened> {
        let (mut told, ended_by) = self.search(launch, &found.schedule)?;
        let Some(last) = told.last() else {
            return Ok(Shortened::DoesNotFit);
        };
        let effort = Effort {
            executions: last.executions,
            is_complete: last.is_complete == Some(true),
            ended_by,
        };
        told.reverse();
        told.dedup_by(|one, other| one.schedule == other.schedule);
        for shrunk in told.into_iter().take(REPEATED) {
            let Some((mut finding, after)) = self.repeat(launch, found, shrunk.schedule)? else {
                continue;
            };
            if after >= before {
                finding = found.clone();
            }
            finding.shrinking = Some(effort.added_to(found.shrinking.as_ref(), before));
            return Ok(Shortened::To(Box::new(finding), effort));
        }
        Ok(Shortened::DoesNotRepeat)
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

    /// The schedules that a process finds that looks for shorter ones, the shortest last, and how the process
    /// ended if an attempt ended it. None if the one that is given does not fail when it is followed.
    fn search(
        &self,
        launch: &Launch<'_>,
        schedule: &Schedule,
    ) -> io::Result<(Vec<Shrunk>, Option<Bug>)> {
        let file = self.scratch.path("schedule");
        fs::write(&file, schedule.to_bytes())?;
        let overrides = Settings {
            time: Some(self.time),
            ..launch.overrides.clone()
        };
        let launch = Launch {
            mode: Mode::Shrink(file),
            overrides: &overrides,
            ..launch.clone()
        };
        let board = self.scratch.board()?;
        let output = self.scratch.path("output");
        let mut told: Vec<Shrunk> = Vec::new();
        let (timeout, stop) = (self.hang_timeout, self.stop);
        let end = watch(&launch, &board, &output, timeout, stop, |event| {
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
        let ended_by = bug_of(&end, &board).filter(|_| !is_over && !told.is_empty());
        Ok((told, ended_by))
    }
}
