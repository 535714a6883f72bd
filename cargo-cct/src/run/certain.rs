//! Finds the step from which on a failure is certain, in a process of its own.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use cct::codec::Wire as _;
use cct::config::Settings;
use cct::wire::{Certain, Event};

use super::explore::{Finding, Repeats};
use super::process::{Goal, Launch, Mode};
use super::shrink::{APART, Shrinker, ends_process, reason_not_to};
use super::watch::{End, watch};

/// For how long it is looked for at most.
const TIME: Duration = Duration::from_secs(1);
/// With less time than this another process is not begun.
const LEAST: Duration = Duration::from_millis(100);

impl Shrinker<'_> {
    /// Looks for the step from which on the failure is certain, for a part of the time. None if nothing is
    /// found in it, or the failure does not repeat.
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
        let (began, time) = (Instant::now(), self.time.min(TIME));
        let is_apart = ends_process(bug.kind);
        let (certain, is_well) = self.certain_once(launch, found, time, is_apart)?;
        let left = time.saturating_sub(began.elapsed());
        if is_well || is_apart || left < LEAST || self.stop.is_set() {
            return Ok(certain);
        }
        // An execution has ended the process. From here on each has its own.
        Ok(self.certain_once(launch, found, left, true)?.0)
    }

    /// The same of one process; also whether it came to its end.
    fn certain_once(
        &self,
        launch: &Launch<'_>,
        found: &Finding,
        time: Duration,
        is_apart: bool,
    ) -> io::Result<(Option<Certain>, bool)> {
        let file = self.scratch.path("schedule");
        fs::write(&file, found.schedule.to_bytes())?;
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
        let timeout = if is_apart {
            APART
        } else {
            self.hang_timeout.min(TIME)
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
