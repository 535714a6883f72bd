//! Runs one iteration that somebody leads, in a process of its own.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use cct::codec::Wire as _;
use cct::trace::Schedule;
use cct::wire::{Event, Question};

use super::confirm::{Repeated, repeated_of};
use super::process::{Launch, Mode};
use super::scratch::Scratch;
use super::watch::{Stop, watch};

/// An iteration that was led.
#[derive(Debug)]
pub(crate) struct Led {
    /// The result.
    pub end: Repeated,
    /// Its schedule, as far as it came.
    pub schedule: Schedule,
}

/// Runs an iteration that begins as `head` does, if there is one. `answer` is asked each question, with
/// the file that the test prints to; none ends the process.
///
/// The watchdog looks on while the test runs, and waits while somebody thinks.
pub(crate) fn interact(
    launch: &Launch<'_>,
    head: Option<&Schedule>,
    hang_timeout: Duration,
    scratch: &Scratch,
    stop: &Stop,
    mut answer: impl FnMut(Question, &Path) -> Option<u32>,
) -> io::Result<Led> {
    let file = head.map(|_| scratch.path("schedule"));
    if let (Some(file), Some(head)) = (&file, head) {
        fs::write(file, head.to_bytes())?;
    }
    let (answers, mut pipe) = io::pipe()?;
    let launch = Launch {
        mode: Mode::Interactive(file),
        answers: Some(&answers),
        ..launch.clone()
    };
    let board = scratch.board()?;
    let output = scratch.path("output");
    let stop = stop.part();
    let mut last = None;
    let end = watch(
        &launch,
        &board,
        &output,
        hang_timeout,
        &stop,
        |event| match event {
            Event::Asked(question) => match answer(question, &output) {
                // Whether the process is still there to read it shows soon enough.
                Some(answer) => drop(pipe.write_all(&answer.to_le_bytes())),
                None => stop.set(),
            },
            Event::Replayed(_) | Event::Refused(_) => last = Some(event),
            _ => {}
        },
    )?;
    let printed = String::from_utf8_lossy(&fs::read(&output)?).into_owned();
    let schedule = board.schedule().unwrap_or_default();
    let end = repeated_of(last, &end, &board, printed, launch.executable);
    Ok(Led { end, schedule })
}
