//! Tasks are held back, and woken when they are picked.

use std::panic::Location;
use std::ptr::null_mut;
use std::task::Waker;

use crate::engine::decide::{Engine, Request, outside};
use crate::engine::state::driven::Driven;
use crate::engine::state::worker::{State, Worker};
use crate::engine::worker::{OnWorker, hand_over, touch};
use crate::object::ObjectId;
use crate::operation::{Access, Effect, Operation};
use crate::strategy::Next;

/// Asks the strategy whether the current worker, a task, goes on. If not it is held back: the caller
/// returns `Pending` at once, in the name of the worker below.
///
/// # Safety
///
/// The engine is live and set, and its current worker is a task.
pub(super) unsafe fn may_go_on(
    (engine, on): (*mut Engine, OnWorker),
    operation: Operation,
    site: &'static Location<'static>,
    waker: &Waker,
) -> bool {
    // SAFETY: the caller's; no reference is kept across the switch.
    unsafe {
        let task = (*engine).roster.current;
        ask_at_gate((engine, on), operation, site);
        let goes_on = (*engine).roster.current == task;
        if !goes_on {
            hold_back((engine, on), task, waker);
        }
        goes_on
    }
}

/// The current worker, a task, was woken in the poll that ends now, and is held back until it is picked,
/// which it may be at once. The caller returns `Pending`, in the name of the worker below.
///
/// # Safety
///
/// The engine is live and set, and its current worker is a task.
pub(super) unsafe fn gives_way((engine, on): (*mut Engine, OnWorker), waker: &Waker) {
    // SAFETY: the caller's; no reference is kept across the switch.
    unsafe {
        let task = (*engine).roster.current;
        let (operation, site) = Driven::of(task).goes_on_with((*task).spawned_at);
        ask_at_gate((engine, on), operation, site);
        hold_back((engine, on), task, waker);
    }
}

/// Asks the strategy who goes on at this point of the current worker, a task.
///
/// # Safety
///
/// The engine is live and set, and its current worker is a task.
unsafe fn ask_at_gate(
    (engine, on): (*mut Engine, OnWorker),
    operation: Operation,
    site: &'static Location<'static>,
) {
    // SAFETY: the caller's engine is live; no reference is kept across the switch.
    unsafe {
        let task = (*engine).roster.current;
        let below = Driven::of(task).below;
        // Going on where it went on before, and nothing done in between, may be waiting for others.
        if has_changed_something(task) {
            Driven::of(task).went_on_at = None;
        }
        let resumes = Driven::of(task).awaits.is_some();
        let again = resumes && Driven::of(task).went_on_at == Some(site);
        if resumes {
            Driven::of(task).went_on_at = Some(site);
        }
        (*task).set_operation(operation, site);
        (*engine).budget.idle = 0;
        (*engine).decision.request = if again {
            Request::Yield
        } else {
            Request::Point
        };
        Driven::of(task).is_at_gate = true;
        let offers = (*engine).tasks.queued() > u32::from(Driven::of(task).is_queued);
        if offers {
            Driven::of(task).offers_place = true;
            (*engine).attend();
            (*below).set_operation(Operation::Poll, site);
            outside(|| {
                (*engine).go_on_in_chain(below);
                (*engine).start(below);
            });
        }
        touch(ObjectId::POLLS, Access::Writes);
        hand_over(engine, on);
        touch(ObjectId::POLLS, Access::Writes);
        Driven::of(task).is_at_gate = false;
        Driven::of(task).offers_place = false;
        if offers && (*engine).roster.current != below {
            outside(|| (*engine).leave(below, State::Away));
        }
    }
}

/// The task, at whose gate somebody has been picked, leaves its place to that one: to the worker below, or
/// to a task that was held back, which the worker below wakes. That may be the task itself.
///
/// # Safety
///
/// The engine is live and set, and the task is one of its workers.
unsafe fn hold_back((engine, on): (*mut Engine, OnWorker), task: *mut Worker, waker: &Waker) {
    // SAFETY: the caller's engine and task are live; no reference is kept across a switch.
    unsafe {
        let below = std::mem::replace(&mut Driven::of(task).below, null_mut());
        (*task).thread = null_mut();
        if (*task).operation == Operation::Await {
            // Awaits around this one need not be noted.
            Driven::of(task).awaits = Some((*task).site);
        }
        outside(|| {
            Driven::of(task).waker = Some(waker.clone());
            if Driven::of(task).is_told {
                // It counts as one that is held back, and not as one that its executor is going to poll.
                (*engine).tasks.forget_queued(Driven::of(task));
            }
        });
        let current = (*engine).roster.current;
        if current != below {
            wake((engine, on), current, below);
        }
    }
}

/// True if the last operation of the task changed what others see.
///
/// # Safety
///
/// The task is live.
unsafe fn has_changed_something(task: *const Worker) -> bool {
    // SAFETY: the caller's task is live.
    let (operation, object) = unsafe { ((*task).operation, (*task).object) };
    match operation.effect() {
        Effect::Writes => !matches!(operation, Operation::Await | Operation::Start),
        // An operation that has succeeded is about no object any more, see `Step`.
        Effect::MayWrite => object == ObjectId::SUCCEEDED,
        Effect::Reads | Effect::Yields => false,
    }
}

/// The task was held back and picked, or chosen: `waker` is the current worker, or takes its place, and
/// calls the task's executor.
///
/// That goes undisturbed until it has to wait: the task is to run, and not those who come in between.
///
/// # Safety
///
/// The engine is live and set, and both are its workers; the task is a candidate that is held back.
pub(super) unsafe fn wake(
    (engine, _): (*mut Engine, OnWorker),
    task: *mut Worker,
    waker: *mut Worker,
) {
    // SAFETY: the caller's engine is live; no reference is kept while the executor's code runs.
    unsafe {
        let was_told = std::mem::take(&mut Driven::of(task).is_told);
        let handle = outside(|| {
            (*engine).end_turn(Next::Waits((*task).action()));
            (*engine).leave(task, State::Away);
            (*engine).tasks.queue((*task).id, Driven::of(task));
            (*task).thread = null_mut();
            (*engine).tasks.release(Driven::of(task));
            if (*engine).roster.current == task {
                (*engine).start(waker);
                (*engine).run_as(waker);
                (*engine).watch_turn(waker);
            }
            (*engine).change_width();
            Driven::of(task).waker.take()
        });
        let before = std::mem::replace(&mut (*engine).roster.undisturbed, waker);
        (*engine).attend();
        if let Some(handle) = handle {
            if was_told {
                drop(handle);
            } else {
                Driven::of(task).is_being_woken = true;
                handle.wake();
                Driven::of(task).is_being_woken = false;
            }
            let home = Driven::of(task).home;
            if !home.is_null() {
                outside(|| (*engine).resume_waiting_executor(home));
            }
        }
        (*engine).roster.undisturbed = before;
        (*engine).attend();
    }
}
