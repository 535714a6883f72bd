//! A test process that cargo-cct started.

use std::fs::OpenOptions;
use std::os::fd::AsRawFd as _;
use std::ptr::null_mut;
use std::sync::OnceLock;

use super::channel::Channel;
use super::explore::Explorer;
use super::surroundings::Surroundings;
use super::{TestCase, crash, replay};
use crate::config::{Resolved, Settings};
use crate::engine::{Tape, is_controlled, outside};
use crate::verdict::Bug;
use crate::wire::{
    Board, ENV_BOARD, ENV_DEFAULTS, ENV_EVENTS, ENV_MODE, ENV_OVERRIDES, ENV_SCHEDULE, Event,
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
    let schedule = (mode == "replay").then(replay::read_schedule).transpose();
    let schedule = schedule
        .unwrap_or_else(|reason| refuse(reason))
        .unwrap_or_default();
    forget_environment();
    // SAFETY: the board was mapped for us and is never unmapped.
    let tape = unsafe { Tape::on(board) };
    match mode {
        "explore" => {
            let mut explorer = Explorer::new(case.test_name(), settings, tape);
            crash::install(board, explorer.engine());
            explorer.explore(body, &mut |event| channel.send(&event));
        }
        "replay" => {
            let mut surroundings = Surroundings::new();
            let mut engine = crate::engine::Engine::new(tape, &settings.atomic);
            crash::install(board, &raw mut *engine);
            crash::tell_trace(&raw mut surroundings);
            let name = case.test_name();
            let replayed =
                replay::replay(&mut engine, &surroundings, schedule, name, &settings, body);
            channel.send(&Event::Replayed(replayed));
        }
        other => refuse(format!(
            "`CCT_MODE` is `{other}`, expected `explore` or `replay`"
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

/// Sends an event, if somebody listens.
pub(super) fn send(event: &Event) {
    if let Some(channel) = CHANNEL.get() {
        channel.send(event);
    }
}

/// The engine itself has panicked: says so and ends the process. Does nothing where nobody listens.
pub(crate) fn report_internal_error(message: &str) {
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
