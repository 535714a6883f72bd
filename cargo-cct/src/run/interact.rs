//! Runs one iteration that somebody leads, in a process of its own.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

use cct::codec::Wire as _;
use cct::trace::{Schedule, Trace};
use cct::wire::{Event, Question};

use super::confirm::{Repeated, repeated_of};
use super::process::{Launch, LeadFiles, Mode};
use super::scratch::Scratch;
use super::stop::Stop;
use super::watch::watch;

/// An iteration that was led.
#[derive(Debug)]
pub(crate) struct Led {
    /// The result.
    pub end: Repeated,
    /// Its schedule, as far as it came.
    pub schedule: Schedule,
}

/// The beginning of an iteration that is led.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lead<'a> {
    /// As the settings say.
    Fresh,
    /// As this schedule.
    Like(&'a Schedule),
    /// As in another version of the program, of which this is the guide.
    After(&'a Trace),
}

/// Runs an iteration that begins as `lead` says. `answer` is asked each question, with
/// the file that the test prints to; none ends the process.
///
/// The watchdog looks on while the test runs, and waits while somebody thinks.
pub(crate) fn interact(
    launch: &Launch<'_>,
    lead: Lead<'_>,
    hang_timeout: Duration,
    scratch: &Scratch,
    stop: &Stop,
    mut answer: impl FnMut(Question, &Path) -> Option<u32>,
) -> io::Result<Led> {
    let by_hand = |schedule: &Schedule| Schedule {
        strategy: "interactive".to_owned(),
        ..schedule.clone()
    };
    let mut files = LeadFiles::default();
    match lead {
        Lead::Fresh => {}
        Lead::Like(schedule) => {
            let schedule = by_hand(schedule).to_bytes();
            files.schedule = Some(scratch.write("schedule", &schedule)?);
        }
        Lead::After(guide) => {
            let schedule = by_hand(&guide.schedule);
            let guide = Trace {
                schedule,
                ..guide.clone()
            };
            files.guide = Some(scratch.write("guide", &guide.to_bytes())?);
        }
    }
    let (answers, mut pipe) = io::pipe()?;
    let launch = Launch {
        mode: Mode::Interactive(files),
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
