//! Panics by worker: those of a process's thread are those of all workers that it runs.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use crate::engine;

/// True if the calling worker, or thread, unwinds.
#[inline(never)]
pub(super) fn unwinds() -> bool {
    if engine::is_controlled() {
        engine::panic_count() > 0
    } else {
        thread::panicking()
    }
}

/// Runs `f`, and returns what it panics with, if it does.
pub(super) fn catch<R>(f: impl FnOnce() -> R) -> Result<R, Box<dyn Any + Send>> {
    let before = engine::is_controlled().then(engine::panic_count);
    let result = catch_unwind(AssertUnwindSafe(f));
    if let (Err(_), Some(before)) = (&result, before) {
        engine::set_panic_count(before);
    }
    result
}

/// Unwinds with this.
#[inline(never)]
pub(super) fn unwind(payload: Box<dyn Any + Send>) -> ! {
    if engine::is_controlled() {
        engine::set_panic_count(engine::panic_count() + 1);
    }
    resume_unwind(payload)
}
