//! Tasks are held back, and woken when they are picked.

use std::panic::Location;
use std::ptr::{self, null_mut};
use std::task::Waker;

use crate::engine::decide::{Engine, Request, outside};
use crate::engine::state::driven::Driven;
use crate::engine::state::worker::{State, Worker};
use crate::engine::worker::order::{acquire_of, release_of};
use crate::engine::worker::{OnWorker, hand_over, hand_over_with_place, touch};
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
        let (operation, site) = (*Driven::of(task)).goes_on_with((*task).spawned_at);
        ask_at_gate((engine, on), operation, site);
        hold_back((engine, on), task, waker);
    }
}

/// Asks the strategy who goes on at this point of the current worker, a task.
///
/// # Safety
///
/// The engine is live and set, and its current worker is a task that is polled.
unsafe fn ask_at_gate(
    (engine, on): (*mut Engine, OnWorker),
    operation: Operation,
    site: &'static Location<'static>,
) {
    // SAFETY: the caller's engine is live; no reference is kept across the switch.
    unsafe {
        let task = (*engine).roster.current;
        let part = Driven::of(task);
        let below = set_at_gate(part, true);
        // Going on where it went on before, and nothing done in between, may be waiting for others.
        let resumes = (*part).awaits.is_some();
        let again = resumes
            && (*part).went_on_at.is_some_and(|last| is_same(last, site))
            && !has_changed_something(task);
        if resumes {
            (*part).went_on_at = Some(site);
        } else if (*part).went_on_at.is_some() && has_changed_something(task) {
            (*part).went_on_at = None;
        }
        (*task).set_operation(operation, site);
        (*engine).budget.idle = 0;
        (*engine).decision.request = if again {
            Request::Yield
        } else {
            Request::Point
        };
        let offers = (*engine).tasks.queued() > u32::from((*part).told().is_queued());
        touch(ObjectId::POLLS, Access::Writes);
        if offers {
            (*below).set_operation(Operation::Poll, site);
            outside(|| {
                (*engine).go_on_in_chain(below);
                (*engine).start(below);
            });
            hand_over_with_place(engine, on);
        } else {
            hand_over(engine, on);
        }
        touch(ObjectId::POLLS, Access::Writes);
        set_at_gate(part, false);
        if offers && (*engine).roster.current != below {
            outside(|| {
                (*engine).leave(below, State::Away);
                (*engine).change_width();
            });
        }
    }
}

/// The task is at its gate, or no longer. Returns the worker below.
///
/// # Safety
///
/// The task is live, and is polled.
unsafe fn set_at_gate(task: *mut Driven, is_at_gate: bool) -> *mut Worker {
    // SAFETY: the caller's.
    let poll = unsafe { (*task).polled() };
    let poll = poll.expect("a task at its gate is polled");
    poll.is_at_gate = is_at_gate;
    poll.below
}

/// True if these are one place in the source; a generic function may have several of it.
#[inline]
pub(super) fn is_same(one: &'static Location<'static>, other: &'static Location<'static>) -> bool {
    ptr::eq(one, other)
        || (one.line(), one.column()) == (other.line(), other.column())
            && one.file() == other.file()
}

/// The task, at whose gate somebody has been picked, leaves its place to that one: to the worker below, or
/// to a task that was held back, which the worker below wakes. That may be the task itself.
///
/// # Safety
///
/// The engine is live and set, and the task is one of its workers, and polled.
unsafe fn hold_back((engine, on): (*mut Engine, OnWorker), task: *mut Worker, waker: &Waker) {
    // SAFETY: the caller's engine and task are live; no reference is kept across a switch.
    unsafe {
        let part = Driven::of(task);
        let below = set_at_gate(part, false);
        release_of(engine, (*task).thread, woken(task));
        (*task).thread = null_mut();
        if (*task).operation == Operation::Await {
            // Awaits around this one need not be noted.
            (*part).awaits = Some((*task).site);
        }
        outside(|| {
            let waker = waker.clone();
            (*engine).tasks.hold_back(&mut *part, waker);
        });
        let current = (*engine).roster.current;
        if current != below {
            wake((engine, on), current, below);
        }
    }
}

/// The object by which a task's waker goes from the thread that holds it back to the one that wakes it.
///
/// # Safety
///
/// The task is live.
unsafe fn woken(task: *const Worker) -> ObjectId {
    // SAFETY: the caller's.
    ObjectId::park_of(unsafe { (*task).id })
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
        let part = Driven::of(task);
        let was_told = (*part).told().is_by_its_waker();
        let handle = outside(|| {
            (*engine).end_turn(Next::Waits((*task).action()));
            (*engine).leave(task, State::Away);
            (*task).thread = null_mut();
            let handle = (*engine).tasks.release((*task).id, &mut *part);
            if (*engine).roster.current == task {
                (*engine).start(waker);
                (*engine).run_as(waker);
                (*engine).watch_turn(waker);
            } else {
                (*engine).change_width();
            }
            handle
        });
        let before = std::mem::replace(&mut (*engine).roster.undisturbed, waker);
        acquire_of(engine, (*waker).thread, woken(task));
        if was_told {
            drop(handle);
        } else {
            handle.wake();
            (*engine).tasks.end_telling(&mut *part);
        }
        let home = (*part).home();
        if !home.is_null() && !(*home).executor_waits.is_null() {
            outside(|| (*engine).resume_waiting_executor(home));
        }
        (*engine).roster.undisturbed = before;
    }
}
