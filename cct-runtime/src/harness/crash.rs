//! Signals: what a test process can still say when it dies or hangs.

use std::backtrace::Backtrace;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::codec::Wire as _;
use crate::engine::Engine;
use crate::trace::Site;
use crate::verdict::{Bug, BugKind};
use crate::wire::{Board, WATCHDOG_SIGNAL};

static BOARD: AtomicPtr<Board> = AtomicPtr::new(null_mut());
static ENGINE: AtomicPtr<Engine> = AtomicPtr::new(null_mut());

const ALTERNATE_STACK: usize = 1 << 20;
const FATAL: [libc::c_int; 6] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGTRAP,
    libc::SIGABRT,
];

/// Makes fatal signals, and the watchdog's, leave a bug on the board before they end the process.
pub(super) fn install(board: *mut Board, engine: *mut Engine) {
    BOARD.store(board, Ordering::Relaxed);
    ENGINE.store(engine, Ordering::Relaxed);
    // SAFETY: the stack is a fresh mapping; the handler ends the process.
    unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let stack = libc::mmap(null_mut(), ALTERNATE_STACK, protection, flags, -1, 0);
        let alternate = libc::stack_t {
            ss_sp: stack,
            ss_flags: 0,
            ss_size: ALTERNATE_STACK,
        };
        libc::sigaltstack(&raw const alternate, null_mut());
        for signal in FATAL.into_iter().chain([WATCHDOG_SIGNAL]) {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_ONSTACK | libc::SA_SIGINFO | libc::SA_RESETHAND;
            libc::sigaction(signal, &raw const action, null_mut());
        }
    }
}

/// Leaves a bug on the board, then tries to make its site better by a backtrace.
extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the kernel's information is valid in the handler.
    let address = unsafe { (*info).si_addr() } as usize;
    let mut bug = describe(signal, address);
    leave(&bug);
    if bug.kind != BugKind::StackOverflow
        && let Some(site) = site_in_backtrace(&Backtrace::force_capture().to_string())
    {
        bug.site = Some(site);
        leave(&bug);
    }
    // SAFETY: ends the process.
    unsafe { libc::_exit(128 + signal) }
}

fn describe(signal: libc::c_int, address: usize) -> Bug {
    // SAFETY: the engine lives as long as the process; the interrupted code does not go on.
    let engine = unsafe { &*ENGINE.load(Ordering::Relaxed) };
    let (worker, name, site) = engine.whereabouts();
    let name = name.map_or_else(
        || format!("worker {worker}"),
        |name| format!("thread '{name}'"),
    );
    let (kind, message) = match signal {
        WATCHDOG_SIGNAL => (
            BugKind::Hang,
            format!("{name} runs without coming to a scheduling point"),
        ),
        libc::SIGABRT => (BugKind::Abort, format!("{name} aborted the process")),
        libc::SIGSEGV | libc::SIGBUS if engine.worker_with_guard(address).is_some() => (
            BugKind::StackOverflow,
            format!("{name} has overflowed its stack"),
        ),
        libc::SIGSEGV => (
            BugKind::Signal,
            format!("{name} accessed {address:#x} (SIGSEGV)"),
        ),
        other => (
            BugKind::Signal,
            format!("{name} was ended by signal {other}"),
        ),
    };
    Bug {
        kind,
        message,
        site: Some(site),
        worker: Some(worker),
        waits: Vec::new(),
    }
}

fn leave(bug: &Bug) {
    let bytes = bug.to_bytes();
    // SAFETY: the board stays mapped; the interrupted code does not go on.
    let board = unsafe { &mut *BOARD.load(Ordering::Relaxed) };
    if let Some(words) = board.last_words.get_mut(..bytes.len()) {
        words.copy_from_slice(&bytes);
        board.last_words_length = bytes.len() as u32;
    }
}

/// The first place in a backtrace that is the program's: neither std's nor ours.
fn site_in_backtrace(backtrace: &str) -> Option<Site> {
    let places = backtrace
        .lines()
        .filter_map(|line| line.trim().strip_prefix("at "));
    let mut own = places.filter(|place| {
        !place.starts_with("/rustc/")
            && !place.contains("/cct-runtime/")
            && !place.contains("/cct-shims/")
    });
    let mut parts = own.next()?.rsplitn(3, ':');
    let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some(Site {
        file: parts.next()?.to_owned(),
        line,
        column,
    })
}
