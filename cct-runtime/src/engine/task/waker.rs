//! The wakers that a task's futures see: each tells the engine who wakes whom, and then does what its
//! executor's does.
//!
//! So the engine knows which tasks are in their executors' queues, and who made a continuation runnable. A
//! waker of ours is a *relay* for one of an executor's, whichever task is polled with it: two of ours are
//! equal exactly if the executor's are. Its clones are clones of the executor's, one for one, and nothing
//! else keeps that alive: executors may free a task that nobody can wake any more. [`Waker::noop`] needs no
//! relay, since it wakes nobody.

use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};

use crate::engine::decide::{Engine, engine, outside};
use crate::engine::state::driven::{Driven, Told};
use crate::engine::state::relays::{NOBODY, Relay, copy_of};
use crate::engine::state::worker::{State, Worker};
use crate::object::ObjectId;
use crate::strategy::WorkerId;

/// Polls the task with a waker that tells the engine before it wakes.
///
/// # Safety
///
/// The engine is live and set, and the task is one of its workers.
pub(crate) unsafe fn told_of_wakes<R>(
    engine: *mut Engine,
    task: *mut Worker,
    context: &mut Context<'_>,
    inner: impl FnOnce(&mut Context<'_>) -> Poll<R>,
) -> Poll<R> {
    if is_noop(context.waker()) {
        return inner(context);
    }
    // SAFETY: the caller's engine and task are live.
    let relay = unsafe { lend(engine, task, context.waker()) };
    // SAFETY: the table's functions take the data for a relay, which the task has until its next poll; what
    // is lent is not dropped, and whoever keeps the waker clones it.
    let waker = ManuallyDrop::new(unsafe { Waker::new(relay.cast_const().cast(), &RELAYED) });
    inner(&mut Context::from_waker(&waker))
}

static RELAYED: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_clone);

/// A clone of a relay's waker.
///
/// # Safety
///
/// The data is that of a relay which a clone, or a poll, keeps.
unsafe fn clone(data: *const ()) -> RawWaker {
    let relay = relay_at(data);
    // SAFETY: there is a clone, or a poll, that has the relay; so the executor's waker lives as well.
    unsafe {
        let waker = ManuallyDrop::new(Waker::clone(&(*relay).waker));
        if waker.will_wake(&(*relay).waker) {
            (*relay).clones.fetch_add(1, Ordering::Relaxed);
            return RawWaker::new(data, &RELAYED);
        }
        // Clones of this executor's differ from each other, natively too.
        let engine = engine();
        if !is_of_iteration(engine, relay) || is_noop(&waker) || is_relayed(&waker) {
            return RawWaker::new(waker.data(), waker.vtable());
        }
        let own = outside(|| {
            let own = (*engine)
                .tasks
                .relays
                .of(&waker, (*engine).iteration.number);
            wakes_also(engine, own, (*relay).task);
            let others = &(*relay).others;
            for &task in others {
                wakes_also(engine, own, task);
            }
            own
        });
        (*own).clones.fetch_add(1, Ordering::Relaxed);
        RawWaker::new(own.cast_const().cast(), &RELAYED)
    }
}

/// Wakes by a clone, which goes.
///
/// # Safety
///
/// The data is that of a relay which a clone, or a poll, keeps. The clone goes.
unsafe fn wake(data: *const ()) {
    let relay = relay_at(data);
    // SAFETY: the caller has a clone, which goes.
    unsafe {
        tell(relay);
        take_clone(relay).wake();
    }
}

/// Wakes by a clone, or by what is lent.
///
/// # Safety
///
/// The data is that of a relay which a clone, or a poll, keeps.
unsafe fn wake_by_ref(data: *const ()) {
    let relay = relay_at(data);
    // SAFETY: as in `clone`.
    unsafe {
        tell(relay);
        (*relay).waker.wake_by_ref();
    }
}

/// A clone goes.
///
/// # Safety
///
/// The data is that of a relay which a clone, or a poll, keeps. The clone goes.
unsafe fn drop_clone(data: *const ()) {
    // SAFETY: as in `wake`.
    drop(unsafe { take_clone(relay_at(data)) });
}

fn relay_at(data: *const ()) -> *mut Relay {
    data.cast_mut().cast()
}

fn is_relayed(waker: &Waker) -> bool {
    ptr::eq(waker.vtable(), &raw const RELAYED)
}

/// True for [`Waker::noop`], of which each crate may have a copy.
fn is_noop(waker: &Waker) -> bool {
    waker.data().is_null() && functions(waker) == functions(Waker::noop())
}

/// The functions that a waker's table is made of.
fn functions(waker: &Waker) -> [usize; 4] {
    const { assert!(size_of::<RawWakerVTable>() == size_of::<[usize; 4]>()) };
    // SAFETY: a table is four pointers to functions, in the same order for all of them.
    unsafe { *ptr::from_ref(waker.vtable()).cast::<[usize; 4]>() }
}

/// True if the relay is one of the iteration under way, and the caller is controlled.
///
/// # Safety
///
/// The engine is live if it is set, and the relay is.
unsafe fn is_of_iteration(engine: *mut Engine, relay: *mut Relay) -> bool {
    // SAFETY: a set engine is live, and so are relays.
    unsafe { !engine.is_null() && (*engine).iteration.number == (*relay).iteration }
}

/// Tells the engine that the tasks are woken.
///
/// # Safety
///
/// The relay is live.
unsafe fn tell(relay: *mut Relay) {
    let engine = engine();
    // SAFETY: the caller's relay is live, and of this iteration; no switch happens in here.
    unsafe {
        if is_of_iteration(engine, relay) {
            outside(|| {
                note_wake(engine, (*relay).task, relay);
                let others = &(*relay).others;
                for &task in others {
                    note_wake(engine, task, relay);
                }
            });
        }
    }
}

/// The executor's waker that is in a clone, which goes.
///
/// # Safety
///
/// The relay is live, and the caller has a clone of it, which goes.
unsafe fn take_clone(relay: *mut Relay) -> Waker {
    // SAFETY: the caller's clone has one reference to the executor's waker, and passes it on.
    unsafe {
        let waker = copy_of(&(*relay).waker);
        let is_last = (*relay).clones.fetch_sub(1, Ordering::Relaxed) == 1;
        let engine = engine();
        if is_last && is_of_iteration(engine, relay) && (*relay).lent == 0 {
            outside(|| (*engine).tasks.relays.release(relay));
        }
        waker
    }
}

/// The relay for the waker that the task is polled with.
///
/// # Safety
///
/// The engine is live and set, and the task is one of its workers.
unsafe fn lend(engine: *mut Engine, task: *mut Worker, waker: &Waker) -> *mut Relay {
    // SAFETY: the caller's engine and task are live, and relays are.
    unsafe {
        let id = (*task).id;
        let part = Driven::of(task);
        let last = (*part).relay;
        if !last.is_null() && (*last).task == id && (*last).waker.will_wake(waker) {
            return last;
        }
        // A task that another one drives is polled with a relay already: with that one's.
        let given = if is_relayed(waker) && is_of_iteration(engine, relay_at(waker.data())) {
            relay_at(waker.data())
        } else if !last.is_null() && (*last).waker.will_wake(waker) {
            last
        } else {
            outside(|| (*engine).tasks.relays.of(waker, (*engine).iteration.number))
        };
        if given != last {
            (*given).lent += 1;
            outside(|| (*engine).tasks.give_back(&mut *part));
            (*part).relay = given;
        }
        if (*given).task != id {
            outside(|| wakes_also(engine, given, id));
        }
        given
    }
}

/// A wake-up by this relay wakes that task, too. Tasks that nobody can wake by it any more are forgotten.
///
/// # Safety
///
/// The engine and the relay are live; the caller is outside.
unsafe fn wakes_also(engine: *mut Engine, relay: *mut Relay, task: WorkerId) {
    // SAFETY: the caller's engine is live, and relays are.
    unsafe {
        // While there are no clones, it can only be kept by those that are polled.
        let is_kept = (*relay).clones.load(Ordering::Relaxed) > 0;
        let goes = |other: WorkerId| {
            let other = (*engine).roster.worker(other);
            (*other).state() == State::Ended || !is_kept && !(*Driven::of(other)).is_polled()
        };
        let others = &mut (*relay).others;
        others.retain(|&other| !goes(other));
        if (*relay).task == NOBODY || goes((*relay).task) {
            others.retain(|&other| other != task);
            (*relay).task = task;
        } else if (*relay).task != task && !others.contains(&task) {
            others.push(task);
        }
    }
}

/// The task is being woken, by the current worker and this relay. The caller is outside.
///
/// # Safety
///
/// The engine and the relay are live, and the task is one of the iteration.
unsafe fn note_wake(engine: *mut Engine, task: WorkerId, relay: *mut Relay) {
    // SAFETY: the caller's engine is live, and it is the task's iteration; no switch happens in here.
    unsafe {
        let task = (*engine).roster.worker(task);
        if (*task).state() == State::Ended {
            return;
        }
        (*engine).note_touched(ObjectId::POLLS);
        let part = Driven::of(task);
        let is_executor = (*part).polls_executor;
        if let Some(poll) = (*part).polled() {
            poll.is_woken |= !is_executor;
        }
        let how = if (*part).relay == relay {
            Told::ByItsWaker
        } else {
            Told::ToPoll
        };
        (*engine).tasks.tell((*task).id, &mut *part, how);
        let home = (*part).home();
        if !home.is_null() {
            (*engine).resume_waiting_executor(home);
        }
        // The woken task continues the work of the one that wakes it; a timer has done none.
        let waker = (*engine).roster.current;
        let goes_on = (*task).state() == State::Away && !(*part).is_being_woken();
        if goes_on && waker != task && (*waker).task.is_some() {
            (*task).chain = (*waker).chain;
            (*engine)
                .decision
                .driver
                .tell_continued((*task).id, (*waker).chain);
        }
    }
}
