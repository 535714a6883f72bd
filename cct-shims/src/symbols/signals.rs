//! Signals that the program sends itself: their handlers run at once, as part of the step.
//!
//! Those of others go to another thread, see `cct::harness`: a handler must not run in the middle of a
//! worker's step, where it would be taken for the worker.

use cct::engine;
use cct::memory::note_handler;
use libc::{c_int, pid_t, sighandler_t, sigset_t};

use super::real::{Real, system_call};

type Action = unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;
static SIGACTION: Real<Action> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"sigaction") };

/// Takes over the C library's `sigaction`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    // SAFETY: the caller's places; all zeros is an action.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        let result = SIGACTION.get()(signal, new, &raw mut before);
        if result == 0 {
            if !new.is_null() && engine::is_controlled() {
                engine::outside(|| note_handler(signal, before));
            }
            if let Some(old) = old.as_mut() {
                *old = before;
            }
        }
        result
    }
}

/// Takes over the C library's `signal`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn signal(signal: c_int, handler: sighandler_t) -> sighandler_t {
    // SAFETY: all zeros is an action; the handler is the caller's.
    unsafe {
        let mut new: libc::sigaction = std::mem::zeroed();
        let mut old: libc::sigaction = std::mem::zeroed();
        new.sa_sigaction = handler;
        new.sa_flags = libc::SA_RESTART;
        if sigaction(signal, &raw const new, &raw mut old) != 0 {
            return libc::SIG_ERR;
        }
        old.sa_sigaction
    }
}

/// Takes over the C library's `raise`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn raise(signal: c_int) -> c_int {
    // SAFETY: sends a signal to this thread, which its handler, if any, is made for.
    let act = || unsafe {
        let (process, thread) = (
            super::argument(libc::getpid()),
            super::argument(libc::gettid()),
        );
        let arguments = [process, thread, super::argument(signal), 0, 0, 0];
        super::result_of(system_call(libc::SYS_tgkill, arguments)) as c_int
    };
    if !engine::is_controlled() {
        return act();
    }
    let result = engine::outside(|| {
        // SAFETY: the sets are places of ours.
        unsafe {
            let mut only: sigset_t = std::mem::zeroed();
            let mut before: sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut only);
            libc::sigaddset(&raw mut only, signal);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const only, &raw mut before);
            let result = act();
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
            result
        }
    });
    // A handler may have written into a pipe.
    engine::look_again();
    result
}

/// Takes over the C library's `kill`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn kill(process: pid_t, signal: c_int) -> c_int {
    // SAFETY: asks for a number.
    if engine::is_controlled() && process == unsafe { libc::getpid() } && signal > 0 {
        return raise(signal);
    }
    // SAFETY: touches no memory of this process.
    unsafe {
        let arguments = [
            super::argument(process),
            super::argument(signal),
            0,
            0,
            0,
            0,
        ];
        super::result_of(system_call(libc::SYS_kill, arguments)) as c_int
    }
}
