//! The calling thread, and whether it is unwinding.

use cct::engine;

use super::Thread;
use super::handle::Worker;

/// Returns a handle to the calling thread.
pub fn current() -> Thread {
    match engine::current_thread() {
        Some(id) => Thread::of_worker(
            Worker::now(id),
            engine::worker_name(id).as_deref().map(Box::from),
        ),
        None => Thread::of_native(real::thread::current()),
    }
}

/// True while the calling thread unwinds from a panic.
#[inline]
pub fn panicking() -> bool {
    if engine::is_controlled() {
        engine::panic_count() > 0
    } else {
        real::thread::panicking()
    }
}
