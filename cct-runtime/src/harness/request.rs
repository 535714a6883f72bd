//! The request that cargo-cct makes of a test process, in its environment.

use super::board;
use super::case::TestCase;
use super::channel::Answers;
use crate::codec::Wire as _;
use crate::config::{Counts, Resolved, Settings};
use crate::engine::{self, Places};
use crate::memory::{processes, temporary};
use crate::origin::{self, Table};
use crate::part::Part;
use crate::trace::{Schedule, Trace};
use crate::wire::{
    Board, ENV_ANSWERS, ENV_BOARD, ENV_CODE, ENV_DEBUGGED, ENV_DEFAULTS, ENV_EVENTS, ENV_GUIDE,
    ENV_LOOKS, ENV_MODE, ENV_MUTED, ENV_ORIGINS, ENV_OVERRIDES, ENV_PART, ENV_PLACES, ENV_SCHEDULE,
    ENV_STOPS, ENV_TOGETHER, ENV_TSVD, ENV_TSVD_PAIRS, ENV_WARDEN,
};

/// A request that can be met.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) mode: Mode,
    pub(super) settings: Resolved,
    /// The steps before which a replay stops.
    pub(super) stops: Vec<u32>,
    /// A debugger is to see the workers.
    pub(super) is_debugged: bool,
    /// Mapped for this process, and never unmapped.
    pub(super) board: *mut Board,
}

/// The task of the process.
#[derive(Debug)]
pub(super) enum Mode {
    /// It explores the test.
    Explore {
        /// The iterations that it makes.
        part: Part,
        /// It tells the trace of each iteration.
        is_traced: bool,
    },
    /// It repeats a schedule.
    Replay(Schedule),
    /// It repeats what happened in another version of the program.
    Follow(Box<Trace>),
    /// It makes others like this schedule.
    Vary {
        /// With this aim.
        goal: Goal,
        /// This one.
        schedule: Schedule,
        /// Each of its executions has a process of its own.
        is_apart: bool,
        /// The number of the first execution, from 1: others were made before.
        from: u64,
    },
    /// It is led.
    Interactive(Led, Answers),
    /// It runs each of several tests once, and tells what they use.
    Profile,
}

/// An iteration that somebody leads.
#[derive(Debug)]
pub(super) enum Led {
    /// A fresh schedule.
    Fresh,
    /// One with the head of this.
    Like(Schedule),
    /// One with the head of this guide, by which answers are proposed.
    After(Box<Trace>),
}

/// The aim of schedules like a failing one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goal {
    /// One that fails as well, and is shorter.
    Shorter,
    /// The step from which on the failure is certain.
    Certain,
}

impl Request {
    /// Reads the request; an error says why it cannot be met.
    pub(super) fn read(case: &TestCase, mode: &str) -> Result<Request, String> {
        let settings = settings(case)?;
        origins()?;
        places()?;
        let is_debugged = is_debugged();
        let board = match std::env::var_os(ENV_BOARD) {
            Some(board) => board::shared(&board)?,
            None if is_debugged => board::private(),
            None => return Err("`CCT_BOARD` is not set".to_owned()),
        };
        let mode = match mode {
            "explore" | "trace" => Mode::Explore {
                part: part()?,
                is_traced: mode == "trace",
            },
            "follow" => Mode::Follow(Box::new(guide()?)),
            "replay" => Mode::Replay(schedule()?.ok_or("`CCT_SCHEDULE` is not set")?),
            "shrink" | "shrink-apart" | "certain" | "certain-apart" => Mode::Vary {
                goal: if mode.starts_with("shrink") {
                    Goal::Shorter
                } else {
                    Goal::Certain
                },
                schedule: schedule()?.ok_or("`CCT_SCHEDULE` is not set")?,
                is_apart: mode.ends_with("-apart"),
                from: part()?.from.unwrap_or(1),
            },
            "profile" => Mode::Profile,
            "interactive" => {
                let answers = Answers::open().ok_or("`CCT_ANSWERS_FD` names no descriptor")?;
                let led = if std::env::var_os(ENV_GUIDE).is_some() {
                    Led::After(Box::new(guide()?))
                } else {
                    schedule()?.map_or(Led::Fresh, Led::Like)
                };
                Mode::Interactive(led, answers)
            }
            other => {
                return Err(format!(
                    "`CCT_MODE` is `{other}`, expected `explore`, `trace`, `replay`, `follow`, \
                     `shrink`, `shrink-apart`, `certain`, `certain-apart`, `profile` or `interactive`"
                ));
            }
        };
        if let Some(folder) = std::env::var_os(ENV_WARDEN) {
            processes::know_warden();
            temporary::know_own(folder.into());
        }
        Ok(Request {
            mode,
            settings,
            stops: stops()?,
            is_debugged,
            board,
        })
    }
}

/// True if a debugger runs the process.
pub(super) fn is_debugged() -> bool {
    std::env::var_os(ENV_DEBUGGED).is_some()
}

/// Removes our variables from the environment: a process that the test starts is none of ours.
pub(crate) fn forget() {
    for name in [
        ENV_MODE,
        ENV_EVENTS,
        ENV_ANSWERS,
        ENV_PART,
        ENV_BOARD,
        ENV_SCHEDULE,
        ENV_GUIDE,
        ENV_STOPS,
        ENV_DEBUGGED,
        ENV_OVERRIDES,
        ENV_DEFAULTS,
        ENV_ORIGINS,
        ENV_LOOKS,
        ENV_CODE,
        ENV_PLACES,
        ENV_TSVD,
        ENV_TSVD_PAIRS,
        ENV_TOGETHER,
        ENV_MUTED,
        ENV_WARDEN,
    ] {
        // SAFETY: libtest's other threads wait for this one, and nobody else is there yet.
        unsafe { std::env::remove_var(name) };
    }
}

/// Returns the settings: overrides count more than the attribute's, and these more than the defaults.
fn settings(case: &TestCase) -> Result<Resolved, String> {
    let parse = |text: &str| Settings::parse(text).map_err(|error| error.to_string());
    let variable = |name| parse(&std::env::var(name).unwrap_or_default());
    let merged = variable(ENV_OVERRIDES)?
        .over(parse(case.settings)?)
        .over(variable(ENV_DEFAULTS)?);
    let mut settings = merged.resolve();
    match std::env::var_os(ENV_CODE) {
        Some(code) if code == "all" => engine::see_memory(),
        Some(_) => {}
        None => settings.counts = Counts::None,
    }
    if settings.counts == Counts::Auto {
        let looks = std::env::var_os(ENV_LOOKS).is_some();
        settings.counts = if looks { Counts::All } else { Counts::Drops };
    }
    Ok(settings)
}

/// Makes known which code is named, if the environment says so.
fn places() -> Result<(), String> {
    let Some(path) = std::env::var_os(ENV_PLACES) else {
        return Ok(());
    };
    let text = std::fs::read_to_string(&path);
    let text = text.map_err(|error| format!("cannot read the places of code: {error}"))?;
    let places = Places::parse(&text).ok_or("the places of code are damaged")?;
    places.install();
    Ok(())
}

/// Returns the steps before which a replay stops.
fn stops() -> Result<Vec<u32>, String> {
    let Ok(text) = std::env::var(ENV_STOPS) else {
        return Ok(Vec::new());
    };
    let numbers = text.split(',').map(|number| number.parse().ok());
    let numbers: Option<Vec<u32>> = numbers.collect();
    numbers.ok_or_else(|| format!("`CCT_STOPS` is `{text}`, expected `3,12` or the like"))
}

/// Returns the part of the search that this process makes.
fn part() -> Result<Part, String> {
    let Ok(text) = std::env::var(ENV_PART) else {
        return Ok(Part::WHOLE);
    };
    let part = Part::parse(&text);
    part.ok_or_else(|| format!("`CCT_PART` is `{text}`, expected `0/2` or the like"))
}

/// Makes known whose code is where, if the environment says so.
fn origins() -> Result<(), String> {
    let Some(path) = std::env::var_os(ENV_ORIGINS) else {
        return Ok(());
    };
    let bytes = std::fs::read(&path);
    let bytes = bytes.map_err(|error| format!("cannot read the packages' folders: {error}"))?;
    origin::install(Table::from_bytes(&bytes).ok_or("the table of packages is damaged")?);
    Ok(())
}

/// Returns the schedule in the file that the environment names, if it names one.
fn schedule() -> Result<Option<Schedule>, String> {
    let Some(path) = std::env::var_os(ENV_SCHEDULE) else {
        return Ok(None);
    };
    let bytes = std::fs::read(&path);
    let bytes = bytes.map_err(|error| format!("cannot read the schedule: {error}"))?;
    let schedule = Schedule::from_bytes(&bytes).ok_or("the schedule is damaged")?;
    Ok(Some(schedule))
}

/// Returns the trace in the file that the environment names.
fn guide() -> Result<Trace, String> {
    let path = std::env::var_os(ENV_GUIDE).ok_or("`CCT_GUIDE` is not set")?;
    let bytes = std::fs::read(&path);
    let bytes = bytes.map_err(|error| format!("cannot read the guide: {error}"))?;
    Trace::from_bytes(&bytes).ok_or_else(|| "the guide is damaged".to_owned())
}
