//! The relays of an iteration: they stand for the wakers of executors.
//!
//! A relay is found by the waker that it stands for. A wake-up through it is [`crate::engine::task`]'s.

use std::mem::ManuallyDrop;
use std::ptr::null_mut;
use std::sync::atomic::AtomicUsize;
use std::task::Waker;

use crate::strategy::WorkerId;

/// Relays are found by their executor's data, in this many lists.
const LISTS: usize = 256;

/// Stands for a waker of an executor's.
///
/// It stays where it is for the rest of the process, and is used again in later iterations. Threads that the
/// engine does not control may have clones: these read the waker and count, and leave the rest alone.
#[derive(Debug)]
pub(crate) struct Relay {
    /// The executor's, which belongs to whoever polls, or to the clones.
    pub(crate) waker: ManuallyDrop<Waker>,
    pub(crate) iteration: u64,
    /// How many clones there are, in each of which is one of the executor's waker.
    pub(crate) clones: AtomicUsize,
    /// How many tasks were polled with it last.
    pub(crate) lent: u32,
    /// The task that is polled when it wakes: one that was polled with it. Then the others of an executor
    /// which has one waker for several.
    pub(crate) task: WorkerId,
    pub(crate) others: Vec<WorkerId>,
    /// The next in its list.
    next: *mut Relay,
}

/// The same waker again, and no clone of it: only one of the two may be dropped.
///
/// # Safety
///
/// Only one of the two is dropped.
pub(crate) unsafe fn copy_of(waker: &Waker) -> Waker {
    // SAFETY: the parts are those of a waker, which the caller leaves undropped.
    unsafe { Waker::new(waker.data(), waker.vtable()) }
}

/// No worker's number.
pub(crate) const NOBODY: WorkerId = WorkerId(u32::MAX);

/// The relays of an iteration.
#[derive(Debug)]
pub(crate) struct Relays {
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
    pub(crate) fn clear(&mut self) {
        if self.used > 0 {
            self.lists.fill(null_mut());
            self.free.clear();
            self.used = 0;
        }
    }

    /// The one that stands for the executor's waker. The caller is outside.
    pub(crate) fn of(&mut self, waker: &Waker, iteration: u64) -> *mut Relay {
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
    ///
    /// # Safety
    ///
    /// The relay is one of these.
    pub(crate) unsafe fn release(&mut self, relay: *mut Relay) {
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
