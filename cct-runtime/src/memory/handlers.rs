//! Takes back the signal handlers that an iteration has installed, at its end.
//!
//! The kernel keeps handlers, while the memory that they use is put back. A library that installs its handler
//! anew in each iteration, and has it call the one before, would call itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The handlers from before the iteration, of the signals whose handlers it has changed.
static BEFORE: Mutex<Vec<(libc::c_int, libc::sigaction)>> = Mutex::new(Vec::new());
static ANY: AtomicBool = AtomicBool::new(false);

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
        for (signal, before) in BEFORE
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .drain(..)
        {
            // SAFETY: it is what the kernel had for this signal.
            unsafe { libc::sigaction(signal, &raw const before, std::ptr::null_mut()) };
        }
    }
}
