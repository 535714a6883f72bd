//! A test process that cargo-cct started.

use std::fs::OpenOptions;
use std::os::fd::AsRawFd as _;
use std::ptr::null_mut;
use std::sync::OnceLock;

use super::channel::{Answers, Channel};
use super::explore::{Explorer, Search};
use super::{TestCase, crash, interactive, replay, signals};
use crate::config::{Resolved, Settings};
use crate::engine::{Patience, Tape, is_controlled, outside};
use crate::verdict::Bug;
use crate::wire::{
    Board, ENV_ANSWERS, ENV_BOARD, ENV_DEFAULTS, ENV_EVENTS, ENV_MODE, ENV_OVERRIDES, ENV_PART,
    ENV_SCHEDULE, Event,
};

static CHANNEL: OnceLock<Channel> = OnceLock::new();

/// Explores or replays as `mode` says, and ends the process.
pub(super) fn run(case: &TestCase, mode: &str, body: &dyn Fn() -> Option<Bug>) -> ! {
    let Some(channel) = Channel::open() else {
        refuse_on_stderr("`CCT_MODE` is set, but `CCT_EVENTS_FD` names no descriptor");
    };
    let channel = *CHANNEL.get_or_init(|| channel);
    let refuse = |reason: String| -> ! {
        channel.send(&Event::Refused(reason));
        leave()
    };
    let settings = settings(case).unwrap_or_else(|reason| refuse(reason));
    let board = board().unwrap_or_else(|reason| refuse(reason));
    let schedule = (matches!(mode, "replay" | "interactive")
        && std::env::var_os(ENV_SCHEDULE).is_some())
    .then(replay::read_schedule)
    .transpose()
    .unwrap_or_else(|reason| refuse(reason));
    let answers = Answers::open();
    signals::block();
    let part = part().unwrap_or_else(|reason| refuse(reason));
    forget_environment();
    // SAFETY: the board was mapped for us and is never unmapped.
    let tape = unsafe { Tape::on(board) };
    match mode {
        "explore" | "trace" => {
            let mut explorer = Explorer::on(tape, &settings);
            crash::install(board, explorer.engine());
            let search = Search::new(&mut explorer, case.test_name(), settings, None)
                .unwrap_or_else(|reason| refuse(reason));
            let search = search.shared(part).traced(mode == "trace");
            search.run(body, &mut |event| channel.send(&event));
        }
        "replay" => {
            let mut explorer = Explorer::on(tape, &settings);
            crash::install(board, explorer.engine());
            crash::tell_trace(explorer.surroundings());
            let Some(schedule) = schedule else {
                refuse("`CCT_SCHEDULE` is not set".to_owned())
            };
            let replayed = explorer.replay_judged(schedule, case.test_name(), &settings, body);
            channel.send(&Event::Replayed(replayed));
        }
        "interactive" => {
            let Some(answers) = answers else {
                refuse("`CCT_ANSWERS_FD` names no descriptor".to_owned())
            };
            let mut explorer = Explorer::on(tape, &settings);
            crash::install(board, explorer.engine());
            crash::tell_trace(explorer.surroundings());
            let (name, ends) = (case.test_name(), (channel, answers));
            interactive::run(
                &mut explorer,
                schedule.as_ref(),
                name,
                &settings,
                body,
                ends,
            );
        }
        other => refuse(format!(
            "`CCT_MODE` is `{other}`, expected `explore`, `trace`, `replay` or `interactive`"
        )),
    }
    leave()
}

/// Says that the calling worker uses something that the engine does not control, and ends the process:
/// the wait would stop every worker. Does nothing elsewhere.
pub fn report_uncontrolled(what: &str) {
    if is_controlled()
        && let Some(channel) = CHANNEL.get()
    {
        outside(|| {
            channel.send(&Event::Uncontrolled(what.to_owned()));
            leave()
        });
    }
}

/// How these settings have the engine wait for the outside; then it gives up.
pub(super) fn patience(settings: &Resolved) -> Patience {
    Patience::of(settings, give_up)
}

/// The engine cannot go on: what it waits for is not under control. Ends the process, so that the test is
/// run natively; where nobody listens it does nothing.
fn give_up(what: &str) {
    if let Some(channel) = CHANNEL.get() {
        channel.send(&Event::Uncontrolled(what.to_owned()));
        leave()
    }
}

/// Sends an event, if somebody listens.
pub(super) fn send(event: &Event) {
    if let Some(channel) = CHANNEL.get() {
        channel.send(event);
    }
}

/// The engine itself has panicked: says so and ends the process. Does nothing where nobody listens.
pub(super) fn report_internal_error(message: &str) {
    if let Some(channel) = CHANNEL.get() {
        channel.send(&Event::Refused(format!(
            "internal error of cargo-cct: {message}"
        )));
        leave()
    }
}

/// Ends the process without running anything that the iterations left behind.
fn leave() -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(0) }
}

fn refuse_on_stderr(reason: &str) -> ! {
    use std::io::Write as _;
    // What cannot be written is not worth a panic.
    let _ = writeln!(std::io::stderr(), "cct: {reason}");
    // SAFETY: ends the process.
    unsafe { libc::_exit(96) }
}

/// Takes our variables out of the environment: a process that the test starts is none of ours.
fn forget_environment() {
    for name in [
        ENV_MODE,
        ENV_EVENTS,
        ENV_ANSWERS,
        ENV_PART,
        ENV_BOARD,
        ENV_SCHEDULE,
        ENV_OVERRIDES,
        ENV_DEFAULTS,
    ] {
        // SAFETY: libtest's other thread waits for this one, and nobody else is there yet.
        unsafe { std::env::remove_var(name) };
    }
}

/// The settings: overrides over the attribute's over the defaults.
fn settings(case: &TestCase) -> Result<Resolved, String> {
    let parse = |text: &str| Settings::parse(text).map_err(|error| error.to_string());
    let variable = |name| parse(&std::env::var(name).unwrap_or_default());
    let merged = variable(ENV_OVERRIDES)?
        .over(parse(case.settings)?)
        .over(variable(ENV_DEFAULTS)?);
    Ok(merged.resolve())
}

/// The number of this process, and of how many that explore the test.
fn part() -> Result<(u32, u32), String> {
    let Ok(text) = std::env::var(ENV_PART) else {
        return Ok((0, 1));
    };
    let numbers = text.split_once('/').and_then(|(process, of)| {
        let (process, of) = (process.parse().ok()?, of.parse().ok()?);
        (process < of).then_some((process, of))
    });
    numbers.ok_or_else(|| format!("`CCT_PART` is `{text}`, expected `0/2` or the like"))
}

fn board() -> Result<*mut Board, String> {
    let path = std::env::var_os(ENV_BOARD).ok_or("`CCT_BOARD` is not set")?;
    let file = OpenOptions::new().read(true).write(true).open(&path);
    let file = file.map_err(|error| format!("cannot open the board: {error}"))?;
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    if length < Board::FILE_SIZE {
        return Err(format!(
            "the board has {length} bytes, expected {}",
            Board::FILE_SIZE
        ));
    }
    map(file.as_raw_fd(), libc::MAP_SHARED)
}

/// A board of this process alone.
pub(super) fn private_board() -> *mut Board {
    map(-1, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS).expect("memory for a board")
}

fn map(descriptor: libc::c_int, flags: libc::c_int) -> Result<*mut Board, String> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a fresh mapping touches nobody's memory.
    let place = unsafe {
        libc::mmap(
            null_mut(),
            size_of::<Board>(),
            protection,
            flags,
            descriptor,
            0,
        )
    };
    if place == libc::MAP_FAILED {
        return Err(format!(
            "cannot map the board: {}",
            std::io::Error::last_os_error()
        ));
    }
    Ok(place.cast())
}
