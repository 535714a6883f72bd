//! Word from threads that the engine does not control.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::state::Engine;

/// Set when an uncontrolled thread changed something that a controlled worker may wait for.
static NEWS: AtomicBool = AtomicBool::new(false);
/// True from the first engine of the process on; before, nobody can be waiting.
static ENGINE_EXISTS: AtomicBool = AtomicBool::new(false);
static LOCK: Mutex<()> = Mutex::new(());
static ARRIVED: Condvar = Condvar::new();

/// How often, and how long each time, the engine waits for news when only the outside can help.
const ATTEMPTS: u32 = 100;
const PATIENCE: Duration = Duration::from_millis(10);

pub(super) fn reset() {
    ENGINE_EXISTS.store(true, Ordering::Relaxed);
    NEWS.store(false, Ordering::Relaxed);
}

/// Called on an uncontrolled thread that changed `object`.
pub(super) fn notify(_object: usize) {
    if ENGINE_EXISTS.load(Ordering::Relaxed) && !is_engine_thread() {
        NEWS.store(true, Ordering::Release);
        let _guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        ARRIVED.notify_all();
    }
}

/// Makes everybody who waits look again if there is news.
pub(super) fn drain(engine: &mut Engine) {
    if NEWS.load(Ordering::Relaxed) && NEWS.swap(false, Ordering::Acquire) {
        engine.wake_everybody();
    }
}

/// Nobody can run: waits for news, if there are threads that could bring some. False if in vain.
pub(super) fn wait(engine: &mut Engine) -> bool {
    if !uncontrolled_threads_exist() {
        return false;
    }
    let mut guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    for _ in 0..ATTEMPTS {
        if NEWS.load(Ordering::Acquire) {
            break;
        }
        guard = ARRIVED
            .wait_timeout(guard, PATIENCE)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
    }
    drop(guard);
    let news = NEWS.load(Ordering::Acquire);
    drain(engine);
    news
}

thread_local! {
    static IS_ENGINE_THREAD: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Marks the OS thread that runs controlled workers.
pub(super) fn mark_engine_thread() {
    IS_ENGINE_THREAD.set(true);
}

/// True on the OS thread that runs controlled workers, once the first iteration has begun.
pub(super) fn is_engine_thread() -> bool {
    IS_ENGINE_THREAD.get()
}

/// True if the process has more threads than libtest's two.
fn uncontrolled_threads_exist() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() > 2)
}
