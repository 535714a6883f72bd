//! The pace of a runtime's actors, by which faults come: how many events they have taken.

use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::engine::{self, NEVER};
use crate::object::ObjectId;
use crate::operation::{Access, Operation};

/// The number of events that were taken since the runtime began, under the engine.
#[derive(Default)]
pub(super) struct Pace {
    taken: AtomicU64,
    /// How often somebody has waited until there was nothing to do.
    rests: AtomicU64,
    /// True once somebody has waited.
    is_watched: AtomicBool,
    /// The numbers that are waited for, and whether it is work from then on.
    awaited: Mutex<Vec<(u64, bool)>>,
}

// Not generic, so that it is the same code for all actors. As long as nobody has waited the order of two
// takes cannot be told: they commute.
impl Pace {
    /// An actor takes an event. Returns how many waits end by it that were no work.
    #[inline(never)]
    pub(super) fn take(&self) -> usize {
        let taken = self.taken.load(Ordering::Relaxed) + 1;
        self.taken.store(taken, Ordering::Relaxed);
        if !self.is_watched.load(Ordering::Relaxed) {
            return 0;
        }
        engine::touch(self.object(), Access::Writes);
        let (mut come, mut begin) = (0, 0);
        self.awaited().retain(|&(number, is_new)| {
            let has_come = number <= taken;
            come += usize::from(has_come);
            begin += usize::from(has_come && is_new);
            !has_come
        });
        if come > 0 {
            engine::wake_all(self.object());
        }
        begin
    }

    /// How many were taken.
    pub(super) fn taken(&self) -> u64 {
        engine::touch(self.object(), Access::Reads);
        self.taken.load(Ordering::Relaxed)
    }

    /// How often there was a rest.
    pub(super) fn rests(&self) -> u64 {
        engine::touch(self.object(), Access::Reads);
        self.rests.load(Ordering::Relaxed)
    }

    /// Somebody has waited until there was nothing to do.
    pub(super) fn rest(&self) {
        if self.is_watched.load(Ordering::Relaxed) {
            engine::touch(self.object(), Access::Writes);
        }
        self.rests.fetch_add(1, Ordering::Relaxed);
        self.awaited().retain(|&(_, is_new)| !is_new);
    }

    /// Waits until so many were taken, or for the deadline, a virtual time.
    pub(super) fn wait_until(&self, number: u64, deadline: u64, site: &'static Location<'static>) {
        self.is_watched.store(true, Ordering::Relaxed);
        if self.taken() >= number {
            return;
        }
        self.awaited().push((number, false));
        while self.taken() < number {
            let woken = engine::wait_at(Operation::Custom, self.object(), deadline, None, site);
            if woken == engine::Wakeup::TimedOut {
                break;
            }
        }
    }

    /// The same until the next rest after this many, and for ever from then on. The wait is no work, which
    /// `rests` is told if there is a wait.
    pub(super) fn wait_before_rest(
        &self,
        (number, rest): (u64, u64),
        rests: impl FnOnce(),
        site: &'static Location<'static>,
    ) {
        self.is_watched.store(true, Ordering::Relaxed);
        let is_due = || self.rests() == rest && self.taken() >= number;
        if is_due() {
            return;
        }
        self.awaited().push((number, true));
        rests();
        while !is_due() {
            engine::wait_at(Operation::Custom, self.object(), NEVER, None, site);
        }
    }

    fn awaited(&self) -> MutexGuard<'_, Vec<(u64, bool)>> {
        self.awaited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(&self.taken)
    }
}
