//! Shrinks a schedule, in a process of its own.

use std::fs;
use std::io;
use std::time::Duration;

use cct::codec::Wire as _;
use cct::config::Settings;
use cct::trace::Schedule;
use cct::wire::{Event, Shrunk};

use super::process::{Launch, Mode};
use super::scratch::Scratch;
use super::watch::{Stop, watch};

/// Looks for the shortest schedule that fails as this one does, for so long; `on_shorter` hears of each. None
/// if the schedule itself does not fail when it is followed.
pub(crate) fn shrink(
    launch: &Launch<'_>,
    schedule: &Schedule,
    time: Duration,
    hang_timeout: Duration,
    (scratch, stop): (&Scratch, &Stop),
    on_shorter: &dyn Fn(&Shrunk),
) -> io::Result<Option<Shrunk>> {
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
    let mut shortest = None;
    watch(&launch, &board, &output, hang_timeout, stop, |event| {
        if let Event::Shrunk(shorter) = event {
            on_shorter(&shorter);
            shortest = Some(shorter);
        }
    })?;
    Ok(shortest)
}
