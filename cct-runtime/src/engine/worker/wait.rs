//! Waiting for an object, and waking those that do.

use std::panic::Location;
use std::panic::resume_unwind;

use super::choice::choose_index;
use super::ending::{bad_memory, end_with};
use super::interrupt::take_signals;
use super::point::note_calls;
use super::{controlled, hand_over};
use crate::engine::decide::deadlines::NEVER;
use crate::engine::decide::onlooker::{Onlooker, Waits};
use crate::engine::decide::outside::notify;
use crate::engine::decide::{Engine, Request, engine, outside};
use crate::engine::state::worker::{TakesNext, Worker};
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::strategy::WorkerId;
use crate::verdict::BugKind;

/// Why a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wakeup {
    /// Somebody woke the worker.
    Woken,
    /// Its deadline has come.
    TimedOut,
    /// Handlers of signals have run on the worker's thread.
    Interrupted {
        /// Natively the call would go on waiting, if it is one that does.
        restarts: bool,
    },
}

/// Takes the current worker out of the candidates until somebody wakes `object` or `deadline` comes.
///
/// This is the scheduling point of an operation that cannot go ahead; it stands *instead* of
/// [`point`](super::point::point()). Wake-ups may be spurious, so the caller looks again:
///
/// ```text
/// if free { point(Lock, address) }
/// while !acquire() { wait(Lock, address, NEVER, holder) }
/// ```
///
/// `holder` is the worker that has what is waited for, if that is known. Panics outside a controlled
/// worker.
#[track_caller]
pub fn wait(
    operation: Operation,
    object: ObjectId,
    deadline: u64,
    holder: Option<WorkerId>,
) -> Wakeup {
    wait_at(operation, object, deadline, holder, Location::caller())
}

/// Says that the wait to come is the first that is heard of the current worker's operation: it stands
/// instead of a scheduling point, and does not go on with an operation of the same kind. Does nothing
/// outside a controlled worker.
pub fn declare_wait() {
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: a set engine is live and the caller is its current worker.
        unsafe { (*(*engine).roster.current).declares_wait = true };
    }
}

/// [`wait`] at a given site.
pub fn wait_at(
    operation: Operation,
    object: ObjectId,
    deadline: u64,
    holder: Option<WorkerId>,
    site: &'static Location<'static>,
) -> Wakeup {
    wait_and_take(operation, object, deadline, holder, None, site)
}

/// [`wait_at`] for a worker that others know by this mark, see [`wake_if`].
pub fn wait_marked(
    operation: Operation,
    object: ObjectId,
    deadline: u64,
    holder: Option<WorkerId>,
    mark: u64,
    site: &'static Location<'static>,
) -> Wakeup {
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: a set engine is live and the caller is its current worker.
        unsafe { (*(*engine).roster.current).mark = mark };
    }
    wait_at(operation, object, deadline, holder, site)
}

/// [`wait_at`] for a worker that takes a lock before it goes on.
///
/// Once the wait is over it is a candidate only when the lock is free: it then is about to take it, as
/// others that wait for the lock.
pub fn wait_and_take(
    operation: Operation,
    object: ObjectId,
    deadline: u64,
    holder: Option<WorkerId>,
    takes_next: Option<TakesNext>,
    site: &'static Location<'static>,
) -> Wakeup {
    let (engine, on) = controlled();
    // SAFETY: a set engine is live and the caller is its current worker; no reference is kept.
    unsafe {
        let was_hushed = (*engine).leave_allocator();
        if (*engine).aside.onlooker().is_some() {
            refuse(engine, operation, site);
        }
        let worker = (*engine).roster.current;
        (*worker).operation = operation;
        (*worker).object = object;
        (*worker).also = takes_next.map_or(ObjectId::NONE, |lock| lock.object());
        (*worker).takes_next = takes_next;
        (*worker).site = site;
        note_calls(engine);
        if holder.is_some_and(|holder| holder.0 as usize >= (*engine).roster.len()) {
            let message = "a lock is used whose memory was freed, or never initialised";
            bad_memory(message, object.key() as usize);
        }
        (*worker).deadline = deadline;
        (*worker).holder = holder;
        (*worker).timed_out = false;
        (*worker).is_interrupted = false;
        if deadline != NEVER {
            (*engine).attend();
            outside(|| (*engine).deadline_changes(deadline));
        }
        (*engine).budget.idle = 0;
        (*engine).decision.request = Request::Wait;
        hand_over(engine, on);
        let (timed_out, is_interrupted) = ((*worker).timed_out, (*worker).is_interrupted);
        let taken = if was_hushed {
            (*engine).enter_allocator();
            None
        } else {
            take_signals(engine)
        };
        match taken {
            _ if timed_out => Wakeup::TimedOut,
            Some(taken) if is_interrupted => taken.wakeup(),
            _ => Wakeup::Woken,
        }
    }
}

/// Wakes all workers that wait for `object`. From an uncontrolled thread: tells the engine to look.
pub fn wake_all(object: ObjectId) {
    let engine = engine();
    if engine.is_null() {
        notify();
    } else {
        // SAFETY: a set engine is live.
        unsafe { wake_all_of(engine, object) };
    }
}

/// Wakes those of the workers that wait for `object` of whom this holds, by their operation and their mark,
/// which is 0 unless they [have one](wait_marked). From an uncontrolled thread: tells the engine to look.
pub fn wake_if(object: ObjectId, is_meant: impl Fn(Operation, u64) -> bool) {
    let engine = engine();
    if engine.is_null() {
        notify();
        return;
    }
    // SAFETY: a set engine is live; no switch happens in here.
    unsafe {
        if (*engine).roster.anyone_waits() {
            outside(|| {
                let is_meant = |worker: &Worker| is_meant(worker.operation, worker.mark);
                if (*engine).wake_those(object, is_meant) {
                    (*engine).change_width();
                }
            });
        }
    }
}

/// Wakes one of the workers that wait for `object`, chosen by the strategy; false if there is none.
///
/// From an uncontrolled thread it wakes all of them, and they look again.
pub fn wake_one(object: ObjectId) -> bool {
    let engine = engine();
    if engine.is_null() {
        notify();
        return false;
    }
    // SAFETY: a set engine is live; the waiters do not change while one is chosen.
    unsafe {
        let count = (*engine).roster.count_waiters(object);
        if count == 0 {
            return false;
        }
        let chosen = if count == 1 { 0 } else { choose_index(count) };
        let worker = (*engine).roster.nth_waiter(object, chosen);
        (*engine).roster.take_waiter(worker);
        outside(|| {
            (*engine).wake(worker);
            (*engine).change_width();
        });
    }
    true
}

/// The current worker has taken the lock `object`: all candidates that were about to take it wait from here
/// on, for `holder`. True if there are any. Without it each of them would be a candidate that cannot go
/// ahead. Code that looks on releases before any of them runs.
pub fn retract(object: ObjectId, holder: WorkerId) -> bool {
    retract_if(Operation::takes_lock, object, Some(holder))
}

/// [`retract`] for those that were about to do this, whatever `object` is; nobody need hold it.
pub fn retract_those(
    operation: Operation,
    object: ObjectId,
    holder: impl Into<Option<WorkerId>>,
) -> bool {
    retract_if(|other| other == operation, object, holder.into())
}

fn retract_if(
    wanted: impl Fn(Operation) -> bool,
    object: ObjectId,
    holder: Option<WorkerId>,
) -> bool {
    let engine = engine();
    // SAFETY: a set engine is live; no switch happens in here.
    unsafe {
        if engine.is_null()
            || !(*engine).roster.anyone_contends()
            || (*engine).aside.onlooker().is_some()
        {
            return false;
        }
        outside(|| (*engine).retract_contenders(wanted, object, holder))
    }
}

/// From here on those workers that wait for `object` with this operation wait for `holder`.
pub fn wait_for(operation: Operation, object: ObjectId, holder: impl Into<Option<WorkerId>>) {
    let engine = engine();
    let holder = holder.into();
    // SAFETY: a set engine is live, and so is who waits; no switch happens in here.
    unsafe {
        if engine.is_null() || !(*engine).roster.anyone_waits() {
            return;
        }
        for index in 0..(*engine).roster.count_waiters(object) {
            let worker = (*engine).roster.nth_waiter(object, index);
            if (*worker).operation == operation {
                (*worker).holder = holder;
            }
        }
    }
}

/// [`wake_all`] with the engine at hand.
///
/// # Safety
///
/// The engine is live and set.
pub(crate) unsafe fn wake_all_of(engine: *mut Engine, object: ObjectId) {
    // SAFETY: the caller's.
    unsafe {
        if (*engine).roster.anyone_waits() {
            outside(|| (*engine).wake_waiters(object));
        }
    }
}

/// Code that looks on would have to do what only a worker can: wait, or spawn.
///
/// # Safety
///
/// The engine is live and set, and somebody looks on.
pub(super) unsafe fn refuse(
    engine: *mut Engine,
    operation: Operation,
    site: &'static Location<'static>,
) -> ! {
    // SAFETY: the caller's.
    let onlooker = unsafe { (*engine).aside.onlooker() };
    // A futex is reached through C, which nothing unwinds through.
    let can_unwind = !matches!(operation, Operation::FutexWait | Operation::Spawn);
    if onlooker == Some(Onlooker::Condition) && can_unwind {
        resume_unwind(Box::new(Waits));
    }
    let message = format!(
        "a specification is atomic, and this one would have to switch at `{}`",
        operation.name()
    );
    end_with(BugKind::Safety, &message, site)
}
