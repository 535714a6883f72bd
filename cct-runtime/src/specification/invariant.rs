//! Invariants: conditions that hold after each step.

use std::borrow::Cow;
use std::panic::Location;

use crate::engine;

/// Demands that a condition holds after each step for the rest of the iteration.
///
/// The step that breaks it is the bug, and the last one of the report. While there is an invariant
/// each scheduling point costs what a decision costs.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// let free = Arc::new(AtomicU32::new(3));
/// let watched = Arc::clone(&free);
/// cct::invariant("there are three seats", move || watched.load(Ordering::Relaxed) <= 3);
/// ```
///
/// The condition is evaluated between steps, on no worker's behalf. It should only read:
/// atomics, data that locks protect. Where it would have to wait, since a lock is held, it is not
/// evaluated: data that a lock protects have to be in order only when the lock is free.
#[track_caller]
pub fn invariant(name: impl Into<Cow<'static, str>>, holds: impl FnMut() -> bool + 'static) {
    if engine::is_controlled() {
        engine::conditions::always(name.into(), Box::new(holds), Location::caller());
    }
}
