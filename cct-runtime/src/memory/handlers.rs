//! Takes back the signal handlers that an iteration has installed, at its end.
//!
//! The kernel keeps handlers, while the memory that they use is put back. A library that installs its handler
//! anew in each iteration, and has it call the one before, would call itself.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The signals that say that something is wrong with the step under way.
pub(crate) const FATAL: [libc::c_int; 6] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGTRAP,
    libc::SIGABRT,
];

/// The handlers from before the iteration, of the signals whose handlers it has changed.
static BEFORE: Mutex<Vec<(libc::c_int, libc::sigaction)>> = Mutex::new(Vec::new());
static ANY: AtomicBool = AtomicBool::new(false);
/// The stack that handlers run on, unless the program has another one.
static STACK: AtomicPtr<u8> = AtomicPtr::new(null_mut());
static STACK_SIZE: AtomicUsize = AtomicUsize::new(0);

/// Has handlers run on this stack, which stays.
pub(crate) fn run_on(stack: *mut u8, size: usize) {
    STACK_SIZE.store(size, Ordering::Relaxed);
    STACK.store(stack, Ordering::Relaxed);
    take_stack_back();
}

fn take_stack_back() {
    let alternate = libc::stack_t {
        ss_sp: STACK.load(Ordering::Relaxed).cast(),
        ss_flags: 0,
        ss_size: STACK_SIZE.load(Ordering::Relaxed),
    };
    if !alternate.ss_sp.is_null() {
        // SAFETY: the stack stays, and nobody else uses it.
        unsafe { libc::sigaltstack(&raw const alternate, null_mut()) };
    }
}

/// Notes that a worker has changed the handler of a signal, which was this one.
pub fn note_handler(signal: libc::c_int, before: libc::sigaction) {
    let mut known = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    if known.iter().all(|&(other, _)| other != signal) {
        known.push((signal, before));
        ANY.store(true, Ordering::Relaxed);
    }
}

/// Takes back the handlers of the iteration that ended.
pub(crate) fn put_back() {
    crate::engine::forget_signals();
    if ANY.swap(false, Ordering::Relaxed) {
        // With handlers of its own the program may have exchanged it.
        take_stack_back();
        for (signal, before) in BEFORE
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .drain(..)
        {
            // SAFETY: it is what the kernel had for this signal.
            unsafe { libc::sigaction(signal, &raw const before, null_mut()) };
            unblock(signal);
        }
    }
}

/// A handler that did not come back has left its signal blocked.
fn unblock(signal: libc::c_int) {
    if !FATAL.contains(&signal) {
        return;
    }
    // SAFETY: the set is a place of ours.
    unsafe {
        let mut only: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut only);
        libc::sigaddset(&raw mut only, signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const only, null_mut());
    }
}
