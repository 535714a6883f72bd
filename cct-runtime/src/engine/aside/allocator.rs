//! Hush: a worker is in the program's global allocator, and nobody switches.
//!
//! An allocator's atomics and locks are no part of the concurrency under test: what it does is no step, and
//! leaves no trace in what the engine knows of the worker. It gives way only where it has to wait, for a lock
//! that somebody holds who is not in the allocator, such as who asks it for statistics.

use crate::engine::decide::engine;
use crate::engine::decide::onlooker::Onlooker;
use crate::engine::decide::outside::is_engine_thread;
use crate::engine::worker::facts::is_controlled;

/// Runs `f`, of the program's global allocator, on the current worker. Controlled workers only.
#[inline]
pub fn hushed<R>(f: impl FnOnce() -> R) -> R {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live; no reference is kept while `f` runs.
    unsafe {
        // In the allocator already, or in a specification.
        if (*engine).aside.onlooker().is_some() {
            return f();
        }
        (*engine).enter_allocator();
        let result = f();
        (*engine).leave_allocator();
        result
    }
}

/// True where the engine itself is at work, which allocates for itself.
#[inline]
pub fn is_at_work() -> bool {
    !is_controlled() && is_engine_thread()
}

/// True if the current worker is in the program's global allocator. Controlled workers only.
pub(crate) fn is_in_allocator() -> bool {
    // SAFETY: a controlled worker's engine is live.
    unsafe { (*engine()).aside.onlooker() == Some(Onlooker::Allocator) }
}
