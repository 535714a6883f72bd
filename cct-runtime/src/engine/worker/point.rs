//! The scheduling point: where a worker says what it is about to do.

use std::panic::Location;

use super::interrupt::take_signals;
use super::step::Step;
use super::touch::touch;
use super::{OnWorker, hand_over, on_worker};
use crate::engine::decide::onlooker::Onlooker;
use crate::engine::decide::{Engine, Request, engine, outside};
use crate::engine::state::worker::Worker;
use crate::object::ObjectId;
use crate::operation::{Effect, Operation};
use crate::strategy::Action;

/// Declares a visible operation and lets the strategy decide who runs; returns when the caller may carry
/// it out.
///
/// Outside a controlled worker it does nothing, for
/// the price of a thread-local read.
#[inline]
#[track_caller]
pub fn point(operation: Operation, object: ObjectId) -> Step {
    point_at(operation, object, Location::caller())
}

/// [`point`] at a given site, for a guard, which keeps the site of its acquire.
#[inline]
pub fn point_at(operation: Operation, object: ObjectId, site: &'static Location<'static>) -> Step {
    point_on_both(operation, object, ObjectId::NONE, site)
}

/// [`point_at`] for an operation that changes a second object as well.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "each operation knows what it is, which folds most of this"
)]
pub fn point_on_both(
    operation: Operation,
    object: ObjectId,
    also: ObjectId,
    site: &'static Location<'static>,
) -> Step {
    let Some((engine, on)) = on_worker() else {
        return Step::of(std::ptr::null_mut());
    };
    // SAFETY: a set engine is live, and the caller is its current worker.
    if unsafe { declare((engine, on), operation, object, also, site) } {
        Step::of(engine)
    } else {
        Step::part_of(engine)
    }
}

/// [`point`] at a plain access in code whose accesses are steps, whatever the granularity. It has no site of
/// its own.
pub(super) fn point_at_plain(operation: Operation, object: ObjectId) {
    let Some((engine, on)) = on_worker() else {
        return;
    };
    // SAFETY: a set engine is live, and the caller is its current worker; no reference is kept across the
    // switch.
    unsafe {
        let worker = (*engine).roster.current;
        let (none, site) = (ObjectId::NONE, (*worker).site);
        let spins = prepare((engine, worker), operation, object, none, site);
        declare_step((engine, on), operation, spins);
    }
}

/// The site of the current worker's last operation, for operations that come from the C library and have
/// none of their own. Controlled workers only.
pub fn last_site() -> &'static Location<'static> {
    // SAFETY: a controlled worker's engine is live and has a current worker.
    unsafe { (*(*engine()).roster.current).site }
}

/// `yield_now` and `spin_loop`: the worker says that it waits for others.
///
/// Gives way within the yield budget. Controlled workers only.
#[track_caller]
pub fn give_way(operation: Operation) {
    point_at(operation, ObjectId::NONE, Location::caller()).done();
}

/// False if the operation is no step of its own.
///
/// # Safety
///
/// The engine is live and set, and the caller is its current worker.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "each operation knows what it is, which folds most of this"
)]
unsafe fn declare(
    (engine, on): (*mut Engine, OnWorker),
    operation: Operation,
    object: ObjectId,
    also: ObjectId,
    site: &'static Location<'static>,
) -> bool {
    // SAFETY: the caller's; no reference is kept across the switch.
    unsafe {
        let worker = (*engine).roster.current;
        let spins = prepare((engine, worker), operation, object, also, site);
        if (*engine).granularity.is_on {
            if std::ptr::eq((*worker).interleaved_site, site) {
                (*engine).granularity.interleave(&mut *worker);
            } else {
                return declare_coarsely((engine, on), operation, object, site, spins);
            }
        }
        declare_step((engine, on), operation, spins)
    }
}

/// The current worker's next operation is this one. True if it spins.
///
/// # Safety
///
/// The engine is live and set, and the worker is its current one, and the caller.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "each operation knows what it is, which folds most of this"
)]
unsafe fn prepare(
    (engine, worker): (*mut Engine, *mut Worker),
    operation: Operation,
    object: ObjectId,
    also: ObjectId,
    site: &'static Location<'static>,
) -> bool {
    // SAFETY: the caller's.
    unsafe {
        let spins = match operation.effect() {
            Effect::Writes => {
                (*engine).budget.idle = 0;
                false
            }
            Effect::Yields => {
                (*engine).budget.idle += 1;
                true
            }
            Effect::Reads | Effect::MayWrite => {
                (*engine).budget.idle += 1;
                // Looking again from the same place: nothing else happened to this worker in between,
                // or a success would have cleared the object.
                let again = operation.can_spin()
                    // All operations in a macro have one site.
                    && (*worker).operation == operation
                    && (*worker).object == object
                    && std::ptr::eq((*worker).site, site);
                if operation.counts_references() || operation.is_plain() {
                    // It has no site of its own: the next look may be from elsewhere.
                    (*worker).looks = if again { (*worker).looks + 1 } else { 0 };
                    again && (*worker).looks > Worker::LOOKS
                } else {
                    again
                }
            }
        };
        (*worker).operation = operation;
        (*worker).object = object;
        (*worker).also = also;
        (*worker).site = site;
        spins
    }
}

/// [`declare`] where some crates are atomic. It leaves its rare work to other functions, as its last call,
/// so that it has no registers to save.
///
/// # Safety
///
/// The engine is live and set, and the caller is its current worker.
unsafe fn declare_coarsely(
    (engine, on): (*mut Engine, OnWorker),
    operation: Operation,
    object: ObjectId,
    site: &'static Location<'static>,
    spins: bool,
) -> bool {
    // SAFETY: the caller's; no reference is kept across the switch.
    unsafe {
        if !spins {
            let Some(place) = (*engine).granularity.known_place(site) else {
                return declare_at_new_site((engine, on), operation, object, site);
            };
            if (*engine)
                .granularity
                .is_within_call(&mut *(*engine).roster.current, place, site)
            {
                return (*engine).observers.watch.is_on
                    && note_part(&(*(*engine).roster.current).action());
            }
        }
        declare_step((engine, on), operation, spins)
    }
}

/// [`declare_coarsely`] at a site that was not looked up lately.
///
/// # Safety
///
/// The engine is live and set, and the caller is its current worker.
#[cold]
unsafe fn declare_at_new_site(
    (engine, on): (*mut Engine, OnWorker),
    operation: Operation,
    object: ObjectId,
    site: &'static Location<'static>,
) -> bool {
    // SAFETY: the caller's.
    unsafe {
        (*engine).granularity.learn(site);
        declare_coarsely((engine, on), operation, object, site, false)
    }
}

/// The operation is part of the step under way. Returns false, for [`declare_coarsely`].
#[cold]
fn note_part(action: &Action) -> bool {
    for (object, access) in action.accesses() {
        if !object.is_none() {
            touch(object, access);
        }
    }
    false
}

/// The operation is a step.
///
/// # Safety
///
/// The engine is live and set, and the caller is its current worker.
#[inline]
unsafe fn declare_step(
    (engine, on): (*mut Engine, OnWorker),
    operation: Operation,
    spins: bool,
) -> bool {
    // SAFETY: the caller's.
    unsafe {
        if !spins && (*engine).budget.spend() {
            true
        } else {
            decide_at_point((engine, on), operation, spins)
        }
    }
}

/// A decision is due. Returns true, so that it is the last that its callers do.
///
/// # Safety
///
/// The engine is live and set, and the caller is its current worker.
#[inline(never)]
unsafe fn decide_at_point(
    (engine, on): (*mut Engine, OnWorker),
    operation: Operation,
    spins: bool,
) -> bool {
    // SAFETY: the caller's; no reference is kept across the switch.
    unsafe {
        match (*engine).aside.onlooker() {
            None => {
                note_calls(engine);
                (*engine).decision.request = if spins {
                    Request::Yield
                } else {
                    Request::Point
                };
                hand_over(engine, on);
                while take_signals(engine).is_some() {
                    // Handlers come before the operation, which is declared once more.
                    note_calls(engine);
                    (*engine).decision.request = Request::Point;
                    hand_over(engine, on);
                }
                if matches!(operation.effect(), Effect::Writes) {
                    // It happens only now: others may have spun since it was declared.
                    (*engine).budget.idle = 0;
                }
            }
            Some(Onlooker::Allocator) if spins => give_way_hushed((engine, on)),
            Some(_) => {}
        }
        true
    }
}

/// The program's allocator waits for somebody who is not in it.
///
/// # Safety
///
/// The engine is live and set, and the caller is its current worker.
#[cold]
unsafe fn give_way_hushed((engine, on): (*mut Engine, OnWorker)) {
    // SAFETY: the caller's; no reference is kept across the switch.
    unsafe {
        let worker = (*engine).roster.current;
        let (action, idle) = ((*worker).action(), (*engine).budget.idle);
        (*engine).leave_allocator();
        (*worker).set_action(action);
        (*engine).budget.idle = idle;
        (*engine).decision.request = Request::Yield;
        hand_over(engine, on);
        (*engine).enter_allocator();
    }
}

/// Remembers the calls by which the current worker comes to its pending operation, if somebody wants to know.
///
/// # Safety
///
/// The engine is live and set, and has a current worker.
#[inline]
pub(super) unsafe fn note_calls(engine: *mut Engine) {
    /// # Safety
    ///
    /// As for `note_calls`.
    #[cold]
    unsafe fn note(engine: *mut Engine) {
        // SAFETY: the caller's; no switch happens in here.
        outside(|| unsafe {
            let worker = &mut *(*engine).roster.current;
            let recorder = (*engine).observers.recorder.as_mut();
            worker.called_by = recorder.and_then(|recorder| recorder.stack());
        });
    }
    // SAFETY: the caller's.
    unsafe {
        if (*engine).observers.recorder.is_some() {
            note(engine);
        }
    }
}
