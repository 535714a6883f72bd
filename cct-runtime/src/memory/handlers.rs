//! Signal handlers that an iteration installed are taken back at its end.
//!
//! They are the kernel's, while what they work on is put back. A library that installs its handler anew in
//! each iteration, and calls the one that was there before, would call itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What was there before the iteration, for each signal whose handler it has changed.
static BEFORE: Mutex<Vec<(libc::c_int, libc::sigaction)>> = Mutex::new(Vec::new());
static ANY: AtomicBool = AtomicBool::new(false);

/// Says that a worker has changed a signal's handler, which was this one.
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
