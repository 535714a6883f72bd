//! The facts that a worker may know of itself and of the iteration.

use std::sync::atomic::{AtomicBool, Ordering};

use super::engine;
use super::touch::touch;
use crate::claim::Exception;
use crate::engine::decide::engine::set_engine;
use crate::engine::decide::outside::forget_engine_thread;
use crate::object::ObjectId;
use crate::operation::Access;
use crate::strategy::WorkerId;

/// True on a controlled worker.
///
/// There a shim must not block the OS thread, and must declare its operations.
#[inline]
pub fn is_controlled() -> bool {
    !engine().is_null()
}

/// The thread that calls, if it is controlled: the worker itself, unless that is a task.
pub fn current_thread() -> Option<WorkerId> {
    let engine = engine();
    // SAFETY: a set engine is live and has a current worker, which runs on a thread.
    (!engine.is_null()).then(|| unsafe { (*(*(*engine).roster.current).thread).id })
}

/// The worker that calls, if it is controlled: a thread, or the task that it polls.
pub fn current() -> Option<WorkerId> {
    let engine = engine();
    // SAFETY: a set engine is live and has a current worker.
    (!engine.is_null()).then(|| unsafe { (*(*engine).roster.current).id })
}

/// Says that the test is expected to panic. Controlled workers only.
pub(crate) fn expect_panic() {
    // SAFETY: a controlled worker's engine is live.
    unsafe { (*engine()).iteration.expects_panic = true };
}

/// True if the test is expected to panic.
pub(crate) fn expects_panic() -> bool {
    let engine = engine();
    // SAFETY: a set engine is live.
    !engine.is_null() && unsafe { (*engine).iteration.expects_panic }
}

/// Others do not hear of the calling worker any more once this is set, which lives as long as the worker.
/// Does nothing outside a controlled worker.
pub(crate) fn sever_when(severed: &AtomicBool) {
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: a set engine is live and has a current worker, which runs on a thread.
        unsafe { (*(*(*engine).roster.current).thread).severed = severed };
    }
}

/// True if others do not hear of the calling worker any more: part of the step under way.
#[inline]
pub(crate) fn is_severed() -> bool {
    is_controlled() && is_current_severed()
}

fn is_current_severed() -> bool {
    // SAFETY: a controlled worker's engine is live; the flag lives as long as its worker.
    let severed = unsafe { (*(*(*engine()).roster.current).thread).severed.as_ref() };
    severed.is_some_and(|severed| {
        touch(ObjectId::of(severed), Access::Reads);
        severed.load(Ordering::SeqCst)
    })
}

/// The number of the iteration under way, from 1; 0 outside a controlled worker.
///
/// Handles made in another iteration are stale.
pub fn iteration() -> u64 {
    let engine = engine();
    if engine.is_null() {
        return 0;
    }
    // SAFETY: a set engine is live.
    unsafe { (*engine).iteration.number }
}

/// How many iterations, replays included, this process has begun; 0 outside a controlled worker.
pub fn run_number() -> u64 {
    let engine = engine();
    if engine.is_null() {
        return 0;
    }
    // SAFETY: a set engine is live.
    unsafe { (*engine).process.runs }
}

/// The caller is not controlled any more, for good: it goes on in a process of its own.
pub fn leave() {
    set_engine(std::ptr::null_mut());
    forget_engine_thread();
}

/// The current worker does something that a claim about all schedules leaves out. Does nothing outside a
/// controlled worker.
pub fn leave_out(exception: Exception) {
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: a set engine is live; no reference is kept.
        unsafe { (*engine).leave_out(exception) };
    }
}

/// True if steps are recorded, with what they are called.
#[inline]
pub fn records() -> bool {
    is_controlled() && has_recorder()
}

fn has_recorder() -> bool {
    // SAFETY: a controlled worker's engine is live; no switch happens in here.
    unsafe { (*engine()).observers.recorder.is_some() }
}
