//! Finds the step from which on a failure is certain, in a process of its own.

use std::io;
use std::time::{Duration, Instant};

use cct::codec::Wire as _;
use cct::config::Settings;
use cct::trace::Trace;
use cct::wire::{Certain, Event};

use super::finding::{Finding, Repeats};
use super::process::{Goal, Launch, Mode};
use super::shrink::{APART, Shrinker, ends_process, reason_not_to};
use super::watch::{End, watch};

/// It may take the time for shrinking, divided by this.
const PART: u32 = 5;

impl Shrinker<'_> {
    /// Looks for the step from which on the failure is certain, for a part of the time. None if nothing is
    /// found, or the failure does not repeat.
    pub(crate) fn certain(
        &self,
        launch: &Launch<'_>,
        found: &Finding,
    ) -> io::Result<Option<Certain>> {
        let Some(bug) = &found.bug else {
            return Ok(None);
        };
        if reason_not_to(bug.kind).is_some() || found.repeats != Repeats::Yes || self.stop.is_set()
        {
            return Ok(None);
        }
        let Some(trace) = &found.trace else {
            return Ok(None);
        };
        let (began, time) = (Instant::now(), self.time / PART);
        let is_apart = ends_process(bug.kind);
        let (mut certain, is_well) = self.certain_once(launch, found, time, is_apart)?;
        if !is_well && !is_apart && !self.stop.is_set() {
            // An execution has ended the process, or never came back, which takes long to tell. From here on
            // each has its own.
            let left = time.saturating_sub(began.elapsed()).max(time / 2);
            certain = self.certain_once(launch, found, left, true)?.0;
        }
        Ok(certain.and_then(|certain| numbered(certain, trace)))
    }

    /// The same of one process; also whether it came to its end.
    fn certain_once(
        &self,
        launch: &Launch<'_>,
        found: &Finding,
        time: Duration,
        is_apart: bool,
    ) -> io::Result<(Option<Certain>, bool)> {
        let schedule = found.schedule.to_bytes();
        let file = self.scratch.write("schedule", &schedule)?;
        let overrides = Settings {
            time: Some(time),
            ..launch.overrides.clone()
        };
        let launch = Launch {
            mode: Mode::Vary {
                goal: Goal::Certain,
                schedule: file,
                is_apart,
            },
            overrides: &overrides,
            ..launch.clone()
        };
        let board = self.scratch.board()?;
        let output = self.scratch.path("output");
        // An execution in its own process is ended by the one that waits for it.
        let timeout = if is_apart {
            self.hang_timeout.max(APART)
        } else {
            self.hang_timeout.min(time)
        };
        let mut certain = None;
        let end = watch(&launch, &board, &output, timeout, self.stop, |event| {
            if let Event::Certain(found) = event {
                certain = Some(found);
            }
        })?;
        let is_well = matches!(end, End::Exited(status) if status.success());
        Ok((certain, is_well))
    }
}

/// The same with the step's number in the trace, which has more steps than the schedule counts.
fn numbered(certain: Certain, trace: &Trace) -> Option<Certain> {
    let step = match certain.step {
        0 => 0,
        count => u32::try_from(trace.number_of(trace.picked(count)?)).ok()?,
    };
    Some(Certain { step, ..certain })
}

#[cfg(test)]
mod tests {
    use cct::operation::Operation as Op;

    use super::*;
    use crate::sample;

    #[test]
    fn waits_that_nobody_was_picked_for_are_numbered_and_not_counted() {
        let step = |op| sample::step(0, op, "src/a.rs");
        let mut steps = [Op::Start, Op::Lock, Op::Panic, Op::Store].map(step);
        (steps[1].0.unpicked, steps[2].0.note) = (true, true);
        let mut trace = sample::trace(&steps);
        let at = |trace: &Trace, step| {
            let certain = Certain {
                step,
                ..Certain::default()
            };
            numbered(certain, trace).map(|certain| certain.step)
        };
        assert_eq!(at(&trace, 1), None, "the schedule has no steps");
        trace.schedule.runs = vec![(0, 2).into()];
        let steps = [0, 1, 2, 3].map(|step| at(&trace, step));
        assert_eq!(steps, [Some(0), Some(1), Some(3), None]);
        // The process ended before the last run was counted.
        trace.schedule.runs = vec![(0, 1).into(), (0, 0).into()];
        assert_eq!(at(&trace, 2), Some(3));
    }
}
