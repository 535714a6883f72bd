//! Word from threads that the engine does not control.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::state::Engine;
use crate::strategy::WorkerId;

/// Set when an uncontrolled thread changed something that a controlled worker may wait for.
static NEWS: AtomicBool = AtomicBool::new(false);
/// True from the first engine of the process on; before, nobody can be waiting.
static ENGINE_EXISTS: AtomicBool = AtomicBool::new(false);
/// Workers that uncontrolled threads gave their park token: iteration and number.
static UNPARKED: Mutex<Vec<(u64, WorkerId)>> = Mutex::new(Vec::new());
static ARRIVED: Condvar = Condvar::new();

/// How often, and how long each time, the engine waits for news when only the outside can help.
const ATTEMPTS: u32 = 100;
const PATIENCE: Duration = Duration::from_millis(10);

pub(super) fn reset() {
    ENGINE_EXISTS.store(true, Ordering::Relaxed);
    NEWS.store(false, Ordering::Relaxed);
}

/// Called on an uncontrolled thread that changed something; who waits for it is found by looking.
pub(super) fn notify() {
    if ENGINE_EXISTS.load(Ordering::Relaxed) && !is_engine_thread() {
        announce(&mut unparked());
    }
}

/// Called on an uncontrolled thread that unparks a worker of this iteration.
pub(super) fn unpark(iteration: u64, worker: WorkerId) {
    let mut unparked = unparked();
    unparked.push((iteration, worker));
    announce(&mut unparked);
}

fn unparked() -> MutexGuard<'static, Vec<(u64, WorkerId)>> {
    UNPARKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says that there is news; the lock is held, so that the engine cannot be about to sleep.
fn announce(_unparked: &mut MutexGuard<'static, Vec<(u64, WorkerId)>>) {
    NEWS.store(true, Ordering::Release);
    ARRIVED.notify_all();
}

/// Makes everybody who waits look again if there is news.
pub(super) fn drain(engine: &mut Engine) {
    if NEWS.load(Ordering::Relaxed) && NEWS.swap(false, Ordering::Acquire) {
        for (iteration, worker) in unparked().drain(..) {
            if iteration == engine.iteration && (worker.0 as usize) < engine.worker_count {
                // SAFETY: the engine's workers are live.
                unsafe { (*engine.worker(worker)).park_token = true };
            }
        }
        engine.wake_everybody();
    }
}

/// Nobody can run: waits for news, if there are threads that could bring some. False if in vain.
pub(super) fn wait(engine: &mut Engine) -> bool {
    if !uncontrolled_threads_exist() {
        return false;
    }
    let mut guard = unparked();
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
