//! Shrinks a schedule, in a process of its own.

use std::fs;
use std::io;
use std::time::Duration;

use cct::codec::Wire as _;
use cct::config::Settings;
use cct::trace::Schedule;
use cct::verdict::Bug;
use cct::wire::{Event, Shrunk};

use super::process::{Launch, Mode};
use super::scratch::Scratch;
use super::watch::{End, Stop, bug_of, watch};

/// The result of shrinking.
#[derive(Debug)]
pub(crate) struct Shrinking {
    /// The shortest schedule, with the number of executions as far as they were told. None if the schedule
    /// itself does not fail when it is followed.
    pub shortest: Option<Shrunk>,
    /// An attempt ended the process in this way: what was left was not tried.
    pub ended_by: Option<Bug>,
}

/// Looks for the shortest schedule that fails as this one does, for so long; `on_shorter` hears after how
/// many executions each was found.
pub(crate) fn shrink(
    launch: &Launch<'_>,
    schedule: &Schedule,
    time: Duration,
    hang_timeout: Duration,
    (scratch, stop): (&Scratch, &Stop),
    on_shorter: &dyn Fn(u64),
) -> io::Result<Shrinking> {
    let file = scratch.path("schedule");
    fs::write(&file, schedule.to_bytes())?;
    let overrides = Settings {
        time: Some(time),
        ..launch.overrides.clone()
    };
    let launch = Launch {
        mode: Mode::Shrink(file),
        overrides: &overrides,
        ..launch.clone()
    };
    let board = scratch.board()?;
    let output = scratch.path("output");
    let mut shortest: Option<Shrunk> = None;
    let end = watch(&launch, &board, &output, hang_timeout, stop, |event| {
        if let Event::Shrunk(shrunk) = event {
            // The first is the schedule itself, and the last tells no more than the executions.
            let before = shortest.replace(shrunk);
            if let (Some(before), Some(now)) = (before, &shortest)
                && before.schedule != now.schedule
            {
                on_shorter(now.executions);
            }
        }
    })?;
    let ended_by = bug_of(&end, &board).filter(|_| end != End::Stopped);
    Ok(Shrinking { shortest, ended_by })
}
