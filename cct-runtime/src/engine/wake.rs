//! The wakers that a task's futures see: each tells the engine who wakes whom, and then does what its
//! executor's does.
//!
//! So the engine knows which tasks are in their executors' queues, and who made a continuation runnable. A
//! waker of ours is a *relay* for one of an executor's, whichever task is polled with it: two of ours are
//! equal exactly if the executor's are. Its clones are clones of the executor's, one for one, and nothing
//! else keeps that alive: executors may free a task that nobody can wake any more. [`Waker::noop`] needs no
//! relay, since it wakes nobody.

use std::mem::ManuallyDrop;
use std::ptr::{self, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};

use super::state::{Engine, engine, outside};
use super::task::{has_ended, is_polled, note_wake, relay_of};
use super::worker::Worker;
use crate::strategy::WorkerId;

/// Relays are found by their executor's data, in this many lists.
const LISTS: usize = 256;

/// Polls the task with a waker that tells the engine before it wakes.
pub(super) unsafe fn told_of_wakes<R>(
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

/// Stands for a waker of an executor's.
///
/// It stays where it is for the rest of the process, and is used again in later iterations. Threads that the
/// engine does not control may have clones: these read the waker and count, and leave the rest alone.
#[derive(Debug)]
pub(super) struct Relay {
    /// The executor's, which belongs to whoever polls, or to the clones.
    waker: ManuallyDrop<Waker>,
    iteration: u64,
    /// How many clones there are, in each of which is one of the executor's waker.
    clones: AtomicUsize,
    /// How many tasks were polled with it last.
    lent: u32,
    /// The task that is polled when it wakes: one that was polled with it. Then the others of an executor
    /// which has one waker for several.
    task: WorkerId,
    others: Vec<WorkerId>,
    /// The next in its list.
    next: *mut Relay,
}

static RELAYED: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_clone);

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
            let own = (*engine).relays.of(&waker, (*engine).iteration);
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

unsafe fn wake(data: *const ()) {
    let relay = relay_at(data);
    // SAFETY: the caller has a clone, which goes.
    unsafe {
        tell(relay);
        take_clone(relay).wake();
    }
}

unsafe fn wake_by_ref(data: *const ()) {
    let relay = relay_at(data);
    // SAFETY: as in `clone`.
    unsafe {
        tell(relay);
        (*relay).waker.wake_by_ref();
    }
}

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
unsafe fn is_of_iteration(engine: *mut Engine, relay: *mut Relay) -> bool {
    // SAFETY: a set engine is live, and so are relays.
    unsafe { !engine.is_null() && (*engine).iteration == (*relay).iteration }
}

/// Tells the engine that the tasks are woken.
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
unsafe fn take_clone(relay: *mut Relay) -> Waker {
    // SAFETY: the caller's clone has one reference to the executor's waker, and passes it on.
    unsafe {
        let waker = copy_of(&(*relay).waker);
        let is_last = (*relay).clones.fetch_sub(1, Ordering::Relaxed) == 1;
        let engine = engine();
        if is_last && is_of_iteration(engine, relay) && (*relay).lent == 0 {
            outside(|| (*engine).relays.release(relay));
        }
        waker
    }
}

/// The same waker again, and no clone of it: only one of the two may be dropped.
unsafe fn copy_of(waker: &Waker) -> Waker {
    // SAFETY: the parts are those of a waker, which the caller leaves undropped.
    unsafe { Waker::new(waker.data(), waker.vtable()) }
}

/// The relay for the waker that the task is polled with.
unsafe fn lend(engine: *mut Engine, task: *mut Worker, waker: &Waker) -> *mut Relay {
    // SAFETY: the caller's engine and task are live, and relays are.
    unsafe {
        let id = (*task).id;
        let last = *relay_of(task);
        // A task that another one drives is polled with a relay already: with that one's.
        let given = if is_relayed(waker) && is_of_iteration(engine, relay_at(waker.data())) {
            relay_at(waker.data())
        } else if !last.is_null() && (*last).waker.will_wake(waker) {
            last
        } else {
            outside(|| (*engine).relays.of(waker, (*engine).iteration))
        };
        if given != last {
            (*given).lent += 1;
            give_back(engine, task);
            *relay_of(task) = given;
        }
        if (*given).task != id {
            outside(|| wakes_also(engine, given, id));
        }
        given
    }
}

/// The task is over, or polled with another waker from here on.
pub(super) unsafe fn give_back(engine: *mut Engine, task: *mut Worker) {
    // SAFETY: the caller's engine and task are live, and relays are.
    unsafe {
        let relay = std::mem::replace(relay_of(task), null_mut());
        if relay.is_null() {
            return;
        }
        (*relay).lent -= 1;
        if (*relay).lent == 0 && (*relay).clones.load(Ordering::Relaxed) == 0 {
            outside(|| (*engine).relays.release(relay));
        }
    }
}

/// A wake-up by this relay wakes that task, too. Tasks that nobody can wake by it any more are forgotten.
unsafe fn wakes_also(engine: *mut Engine, relay: *mut Relay, task: WorkerId) {
    // SAFETY: the caller's engine is live, and relays are.
    unsafe {
        // While there are no clones, it can only be kept by those that are polled.
        let is_kept = (*relay).clones.load(Ordering::Relaxed) > 0;
        let goes = |other: WorkerId| {
            let other = (*engine).worker(other);
            has_ended(other) || !is_kept && !is_polled(other)
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

/// No worker's number.
const NOBODY: WorkerId = WorkerId(u32::MAX);

/// The relays of an iteration.
#[derive(Debug)]
pub(super) struct Relays {
    lists: Box<[*mut Relay; LISTS]>,
    /// The iteration's own come first; the rest wait to be used again.
    all: Vec<*mut Relay>,
    used: usize,
    /// Used, and no longer needed.
    free: Vec<*mut Relay>,
}

impl Default for Relays {
    fn default() -> Relays {
        Relays {
            lists: Box::new([null_mut(); LISTS]),
            all: Vec::new(),
            used: 0,
            free: Vec::new(),
        }
    }
}

impl Relays {
    /// Begins an iteration; nobody has wakers of the last one.
    pub(super) fn clear(&mut self) {
        if self.used > 0 {
            self.lists.fill(null_mut());
            self.free.clear();
            self.used = 0;
        }
    }

    /// The one that stands for the executor's waker. The caller is outside.
    fn of(&mut self, waker: &Waker, iteration: u64) -> *mut Relay {
        let list = list_of(waker);
        let mut relay = self.lists[list];
        // SAFETY: relays stay where they are.
        unsafe {
            while !relay.is_null() {
                if (*relay).waker.will_wake(waker) {
                    return relay;
                }
                relay = (*relay).next;
            }
        }
        let fresh = Relay {
            // SAFETY: it is not dropped; clones have one each, and a poll has its executor's.
            waker: ManuallyDrop::new(unsafe { copy_of(waker) }),
            iteration,
            clones: AtomicUsize::new(0),
            lent: 0,
            task: NOBODY,
            others: Vec::new(),
            next: self.lists[list],
        };
        let relay = self.place(fresh);
        self.lists[list] = relay;
        relay
    }

    fn place(&mut self, fresh: Relay) -> *mut Relay {
        let place = match self.free.pop() {
            Some(place) => place,
            None if self.used < self.all.len() => {
                self.used += 1;
                self.all[self.used - 1]
            }
            None => {
                let place = Box::into_raw(Box::new(fresh));
                self.all.push(place);
                self.used += 1;
                return place;
            }
        };
        // SAFETY: nobody has a clone of what was there, and its executor's waker is not its own.
        unsafe { *place = fresh };
        place
    }

    /// Nobody has a clone of it, and nobody is polled with it. The caller is outside.
    unsafe fn release(&mut self, relay: *mut Relay) {
        // SAFETY: the caller's relay is in its list, and relays stay where they are.
        unsafe {
            let mut link = &raw mut self.lists[list_of(&(*relay).waker)];
            while *link != relay {
                link = &raw mut (**link).next;
            }
            *link = (*relay).next;
        }
        self.free.push(relay);
    }
}

fn list_of(waker: &Waker) -> usize {
    let data = waker.data() as usize;
    (data >> 4 ^ data >> 12) % LISTS
}
