//! Signals from elsewhere are blocked on the thread of the workers.
//!
//! A handler that interrupted a worker would be taken for the worker: its write into a pipe would be a
//! step. So handlers run when the engine lets them; libtest's other thread passes its signals on to this
//! one. The children of a test have the signals blocked that they would have without the engine.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::engine::{
    SignalMask, is_controlled, outside, set_of, signal_mask, signals_of, without_waiting_signals,
};
use crate::memory::handlers::FATAL;
use crate::wire::WATCHDOG_SIGNAL;

/// The signals that programs handle. Neither those that say that something is wrong with the step under way,
/// nor the watchdog's are among them.
const HANDLED: [libc::c_int; 12] = [
    libc::SIGCHLD,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGCONT,
    libc::SIGIO,
    libc::SIGURG,
    libc::SIGWINCH,
];

/// The signals that were blocked before.
static BEFORE: OnceLock<libc::sigset_t> = OnceLock::new();

/// True if programs handle this signal.
pub fn is_handled_by_programs(signal: libc::c_int) -> bool {
    HANDLED.contains(&signal)
}

/// Blocks the signals that programs handle, on the calling thread.
pub(super) fn block() {
    // SAFETY: the sets are places of ours.
    unsafe {
        let mut handled: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut handled);
        for signal in HANDLED {
            libc::sigaddset(&raw mut handled, signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const handled, &raw mut before);
        if BEFORE.set(before).is_ok() {
            // The watchdog's must come, and so must those that say that something is wrong.
            let never = [WATCHDOG_SIGNAL].into_iter().chain(FATAL);
            let never = never.fold(0, |all, signal| all | 1_u64 << (signal - 1));
            let [before, handled] = [before, handled].map(|set| signals_of(&raw const set));
            SignalMask::begin(before, handled, never);
        }
    }
}

/// Blocks and handles signals as the program does, in a process that a worker has forked, or another
/// thread.
pub fn take_signals_back(is_workers: bool) {
    crate::engine::forget_thread();
    super::crash::uninstall();
    let mask = if is_workers {
        set_of(signal_mask().0)
    } else {
        own_mask()
    };
    set_mask(&mask);
}

/// Calls this with the signals blocked that the program has blocked: the mask goes to the children that it
/// makes. Signals that come meanwhile wait, as long as their handlers ask [`have_to_wait`].
pub fn with_own_mask<R>(act: impl FnOnce() -> R) -> R {
    if BEFORE.get().is_none() {
        return act();
    }
    if is_controlled() {
        without_waiting_signals(|| with_mask(&set_of(signal_mask().0), act))
    } else {
        with_mask(&own_mask(), act)
    }
}

fn with_mask<R>(mask: &libc::sigset_t, act: impl FnOnce() -> R) -> R {
    HAVE_TO_WAIT.store(true, Relaxed);
    let before = outside(|| set_mask(mask));
    let result = act();
    outside(|| set_mask(&before));
    HAVE_TO_WAIT.store(false, Relaxed);
    result
}

/// True if handlers must not run at the moment, though their signals are not blocked.
pub fn have_to_wait() -> bool {
    HAVE_TO_WAIT.load(Relaxed)
}

static HAVE_TO_WAIT: AtomicBool = AtomicBool::new(false);

/// The signals that are blocked for a thread that is no worker's: of those that programs handle, the ones
/// that were blocked from the beginning.
fn own_mask() -> libc::sigset_t {
    // SAFETY: the sets are places of ours; all zeros is one.
    unsafe {
        let mut mask: libc::sigset_t = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &raw mut mask);
        if let Some(before) = BEFORE.get() {
            for signal in HANDLED {
                if libc::sigismember(before, signal) != 1 {
                    libc::sigdelset(&raw mut mask, signal);
                }
            }
        }
        mask
    }
}

/// Sets the calling thread's mask; returns the one before.
fn set_mask(mask: &libc::sigset_t) -> libc::sigset_t {
    // SAFETY: the sets are readable and writable; all zeros is one.
    unsafe {
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, mask, &raw mut before);
        before
    }
}
