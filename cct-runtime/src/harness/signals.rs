//! Signals from elsewhere are blocked on the thread of the workers.
//!
//! A handler that interrupted a worker would be taken for the worker: its write into a pipe would be a
//! step. So handlers run when the engine lets them; libtest's other thread passes its signals on to this
//! one.

use std::ptr::null_mut;
use std::sync::OnceLock;

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
        let _ = BEFORE.set(before);
    }
}

/// Blocks signals as before, in a process that a worker has forked.
pub fn take_signals_back() {
    crate::engine::forget_thread();
    if let Some(before) = BEFORE.get() {
        // SAFETY: the set is readable.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before, null_mut()) };
    }
}
