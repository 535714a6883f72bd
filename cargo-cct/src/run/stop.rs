//! Asks a run to end: by the user's signals, or a part of it by the tool itself.

use std::fs;
use std::io;
use std::os::unix::process::parent_id;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};

use super::threads;

const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// A second signal that comes sooner is no second wish: `timeout` sends one to the process and one to its
/// group.
const ONE_WISH: Duration = Duration::from_millis(300);

/// Set when something is to end: everything, when the user wants that.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop {
    set: Arc<AtomicBool>,
    above: Option<Arc<AtomicBool>>,
}

impl Stop {
    /// Sets it at ctrl-C and when the tool is asked to end; a second wish ends the tool at once. There is one
    /// of this kind in a process.
    pub(crate) fn at_signals() -> io::Result<Stop> {
        let user = USER.get_or_init(User::default);
        if user.is_heard.swap(true, Relaxed) {
            return Ok(user.stop.clone());
        }
        let signals = heeded();
        for &signal in &signals {
            let number = usize::try_from(signal).expect("signals have small numbers");
            flag::register_usize(signal, user.by.clone(), number)?;
            flag::register(signal, user.stop.set.clone())?;
        }
        let mut signals = Signals::new(&signals)?;
        threads::start(move || end_at_a_second(&mut signals))?;
        Ok(user.stop.clone())
    }

    /// One for a part: it is set by itself, and when this one is.
    pub(crate) fn part(&self) -> Stop {
        Stop {
            set: Arc::default(),
            above: Some(self.set.clone()),
        }
    }

    /// Sets it also when the parent of this process ends, which would have sent a signal if it could.
    pub(crate) fn with_parent(&self) -> io::Result<()> {
        let (stop, parent) = (self.clone(), parent_id());
        if is_of_orphans(parent) {
            self.set();
        }
        let watch = move || {
            while parent_id() == parent {
                thread::sleep(ONE_WISH);
            }
            stop.set();
        };
        threads::start(watch).map(drop)
    }

    /// Sets it.
    pub(crate) fn set(&self) {
        self.set.store(true, Relaxed);
    }

    /// Tells whether it is set.
    pub(crate) fn is_set(&self) -> bool {
        let above = self.above.as_ref();
        self.set.load(Relaxed) || above.is_some_and(|above| above.load(Relaxed))
    }
}

/// The ones that are not ignored, as `nohup` has it, and shells of what is in the background.
fn heeded() -> Vec<i32> {
    let about = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = about.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let is_ignored = |signal: i32| ignored.unwrap_or(0) >> (signal - 1) & 1 == 1;
    SIGNALS.into_iter().filter(|&it| !is_ignored(it)).collect()
}

/// True for the process that has orphans as its children, unless it is a tool that starts tests by itself,
/// as in a container.
fn is_of_orphans(parent: u32) -> bool {
    let name = fs::read_to_string(format!("/proc/{parent}/comm")).unwrap_or_default();
    parent == 1 && !name.starts_with("cargo")
}

/// The wish of the user.
#[derive(Debug, Default)]
struct User {
    stop: Stop,
    /// The signal that came last; 0 for none.
    by: Arc<AtomicUsize>,
    is_heard: AtomicBool,
    /// Signals are for a program that has the terminal.
    is_for_others: AtomicBool,
}

static USER: OnceLock<User> = OnceLock::new();

fn end_at_a_second(signals: &mut Signals) {
    let mut first = None;
    for signal in signals.forever() {
        let began: Instant = *first.get_or_insert_with(Instant::now);
        let is_ours = USER
            .get()
            .is_none_or(|user| !user.is_for_others.load(Relaxed));
        if is_ours && began.elapsed() > ONE_WISH {
            // Wardens end what has been started.
            low_level::exit(128 + signal);
        }
    }
}

/// Leaves signals to a program that has the terminal, as a debugger.
pub(crate) fn leave_signals_to_others() -> io::Result<()> {
    Stop::at_signals()?;
    if let Some(user) = USER.get() {
        user.is_for_others.store(true, Relaxed);
    }
    Ok(())
}

/// True when a signal has asked the tool to end.
pub(crate) fn is_interrupted() -> bool {
    by() > 0
}

/// The error of work that was not done, or not to its end, since a signal has asked the tool to end.
pub(crate) fn check() -> io::Result<()> {
    if is_interrupted() {
        Err(io::Error::new(io::ErrorKind::Interrupted, "interrupted"))
    } else {
        Ok(())
    }
}

/// The signal that has stopped this run, or that of ctrl-C if something else has.
pub(crate) fn stopped_by() -> u8 {
    let signal = if is_interrupted() {
        by()
    } else {
        SIGINT as usize
    };
    u8::try_from(signal).expect("signals have small numbers")
}

fn by() -> usize {
    USER.get().map_or(0, |user| user.by.load(Relaxed))
}
