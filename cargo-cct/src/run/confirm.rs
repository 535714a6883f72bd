//! Repeats a schedule in a fresh process, with everything recorded.

use std::fs;
use std::io;
use std::time::Duration;

use cct::codec::Wire as _;
use cct::trace::{Schedule, Trace};
use cct::verdict::{Bug, BugKind, Verdict};
use cct::wire::{Event, Replayed};

use super::board::BoardFile;
use super::lines::Lines;
use super::process::{Launch, Mode};
use super::scratch::Scratch;
use super::stop::Stop;
use super::watch::{End, HALTED, bug_of, watch};
use crate::build::cargo::Executable;

/// The result of a schedule that was repeated.
#[derive(Debug)]
pub(crate) enum Repeated {
    /// The iteration came to its end.
    Ended {
        /// The engine's message.
        replayed: Box<Replayed>,
        /// The output.
        output: String,
    },
    /// The process did not: it crashed, exited or hung.
    Died {
        /// In what way.
        bug: Bug,
        /// The output.
        output: String,
    },
    /// The process would not begin.
    Refused(String),
    /// The user wanted everything to end.
    Stopped,
}

/// Repeats `schedule`.
pub(crate) fn repeat(
    launch: &Launch<'_>,
    schedule: &Schedule,
    hang_timeout: Duration,
    scratch: &Scratch,
    stop: &Stop,
) -> io::Result<Repeated> {
    let file = scratch.write("schedule", &schedule.to_bytes())?;
    run(launch, Mode::Replay(file), hang_timeout, scratch, stop)
}

/// Repeats what happened in another version of the program, as far as it fits.
pub(crate) fn follow(
    launch: &Launch<'_>,
    guide: &Trace,
    hang_timeout: Duration,
    scratch: &Scratch,
    stop: &Stop,
) -> io::Result<Repeated> {
    let file = scratch.write("guide", &guide.to_bytes())?;
    run(launch, Mode::Follow(file), hang_timeout, scratch, stop)
}

fn run(
    launch: &Launch<'_>,
    mode: Mode,
    hang_timeout: Duration,
    scratch: &Scratch,
    stop: &Stop,
) -> io::Result<Repeated> {
    let launch = Launch {
        mode,
        ..launch.clone()
    };
    let board = scratch.board()?;
    let output = scratch.path("output");
    let mut last = None;
    let end = watch(&launch, &board, &output, hang_timeout, stop, |event| {
        if matches!(event, Event::Replayed(_) | Event::Refused(_)) {
            last = Some(event);
        }
    })?;
    let output = String::from_utf8_lossy(&fs::read(&output)?).into_owned();
    Ok(repeated_of(last, &end, &board, output, launch.executable))
}

/// The result, by the process's last event and its end.
pub(super) fn repeated_of(
    last: Option<Event>,
    end: &End,
    board: &BoardFile,
    output: String,
    executable: &Executable,
) -> Repeated {
    let mut lines = Lines::of(executable);
    match (last, bug_of(end, board)) {
        (Some(Event::Refused(reason)), _) => Repeated::Refused(reason),
        (Some(Event::Replayed(mut replayed)), _) => {
            lines.name(&mut replayed, board);
            if *end == End::Halted
                && let Verdict::Failed(bug) = &mut replayed.verdict
            {
                (bug.kind, bug.message) = (BugKind::Hang, HALTED.to_owned());
            }
            Repeated::Ended {
                replayed: Box::new(replayed),
                output,
            }
        }
        (_, Some(mut bug)) if *end != End::Stopped => {
            lines.place(&mut bug, board);
            Repeated::Died { bug, output }
        }
        _ => Repeated::Stopped,
    }
}

impl Repeated {
    /// The bug that came of it.
    pub(crate) fn bug(&self) -> Option<&Bug> {
        match self {
            Repeated::Ended { replayed, .. } => match &replayed.verdict {
                Verdict::Failed(bug) => Some(bug),
                Verdict::Passed | Verdict::CutOff => None,
            },
            Repeated::Died { bug, .. } => Some(bug),
            Repeated::Refused(_) | Repeated::Stopped => None,
        }
    }
}

/// Tells whether two executions ended alike: both without a bug, or both with the same one.
pub(crate) fn same_end(one: Option<&Bug>, other: Option<&Bug>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.is_like(other),
        (one, other) => one.is_none() && other.is_none(),
    }
}
