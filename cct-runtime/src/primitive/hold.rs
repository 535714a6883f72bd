//! A guard's memory of its acquire, and the poison flag.
//!
//! Whether a caller panics is a matter of its worker on the engine and of its thread elsewhere.

use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};

use super::owner;
use crate::engine;
use crate::object::ObjectId;
use crate::operation::Operation;

/// An acquired lock, as its guard keeps it.
#[derive(Clone, Copy, Debug)]
pub struct Hold {
    /// Where the lock was acquired: a guard's drop has no site of its own.
    pub(super) site: &'static Location<'static>,
    /// Whether the holder was unwinding already; then its panic does not poison.
    pub(super) panicking: bool,
    /// The holder's code, for locks that have several.
    pub(super) code: u32,
}

impl Hold {
    pub(super) fn new(site: &'static Location<'static>, caller: Caller) -> Hold {
        Hold {
            site,
            panicking: caller.panicking(),
            code: owner::NATIVE,
        }
    }

    /// That of the worker with this code.
    pub(super) fn of_worker(site: &'static Location<'static>, code: u32) -> Hold {
        Hold {
            code,
            ..Hold::new(site, Caller::Worker)
        }
    }
}

/// Acquires a lock in a step of its own if `take` does, which is told who asks. The lock goes by `object`.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "an operation that is known at its point folds most of that"
)]
pub(super) fn attempt(
    operation: Operation,
    object: ObjectId,
    site: &'static Location<'static>,
    take: impl FnOnce(u32) -> bool,
) -> Option<Hold> {
    let Some(me) = engine::current() else {
        return take(owner::NATIVE).then(|| Hold::new(site, Caller::Thread));
    };
    let step = engine::point_at(operation, object, site);
    let code = owner::code(me);
    if take(code) {
        step.succeeded();
        Some(Hold::of_worker(site, code))
    } else {
        step.refused(None);
        None
    }
}

/// The caller of a machine; asked once per call, since the answer costs a thread-local read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Caller {
    /// A controlled worker.
    Worker,
    /// A thread outside the engine.
    Thread,
}

impl Caller {
    /// True while the caller unwinds: per worker, since several workers can be unwinding at once.
    fn panicking(self) -> bool {
        match self {
            Caller::Worker => engine::panic_count() > 0,
            Caller::Thread => std::thread::panicking(),
        }
    }
}

/// Whether a holder of the lock panicked.
///
/// A worker that gets the lock sees the flag in the same step. Every other access is a step of its own:
/// a holder that panics sets it before it lets go, and others can tell.
#[derive(Debug)]
pub struct Poison(AtomicBool);

impl Poison {
    /// Not poisoned.
    #[expect(
        clippy::new_without_default,
        reason = "machines live in statics and need `const`"
    )]
    pub const fn new() -> Poison {
        Poison(AtomicBool::new(false))
    }

    /// True after a holder panicked; for who has the lock, or cannot be surprised by others.
    pub fn get(&self) -> bool {
        let is_poisoned = self.0.load(Ordering::Relaxed);
        if is_poisoned {
            engine::told_at(self.object(), Some("PoisonError { .. }"));
        }
        is_poisoned
    }

    /// True after a holder of this lock panicked.
    #[track_caller]
    pub(super) fn ask(&self, lock: ObjectId) -> bool {
        let step = engine::point_at(
            Operation::IsPoisoned,
            ObjectId::poison_of(lock),
            Location::caller(),
        );
        let is_poisoned = self.get();
        step.read(is_poisoned);
        is_poisoned
    }

    /// Forgets that a holder of this lock panicked.
    #[track_caller]
    pub(super) fn clear(&self, lock: ObjectId) {
        let object = ObjectId::poison_of(lock);
        engine::point_at(Operation::ClearPoison, object, Location::caller()).done();
        self.0.store(false, Ordering::Relaxed);
    }

    /// The holder is about to give the lock back by this operation: its panic poisons, in a step of its own.
    ///
    /// The point comes first, so that others can still find the lock held.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "an operation that is known at its point folds most of that"
    )]
    pub(super) fn give_back(&self, operation: Operation, hold: Hold, lock: ObjectId) {
        if engine::is_controlled() {
            self.note(hold, Caller::Worker, lock);
            engine::point_at(operation, lock, hold.site).done();
        } else {
            self.note(hold, Caller::Thread, lock);
        }
    }

    /// Poisons when the holder's panic began while it had this lock.
    fn note(&self, hold: Hold, caller: Caller, lock: ObjectId) {
        if !hold.panicking && caller.panicking() {
            engine::point_at(Operation::Poison, ObjectId::poison_of(lock), hold.site).done();
            self.0.store(true, Ordering::Relaxed);
            if caller == Caller::Worker {
                engine::leave_panic(self.object());
            }
        }
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(self)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    const LOCK: ObjectId = ObjectId::sample(1);

    /// The flag of a lock that was taken by a thread that unwinds, or not yet, and given back while it does.
    fn given_back_unwinding(is_taken_unwinding: bool) -> bool {
        struct OnDrop<F: FnMut()>(F);
        impl<F: FnMut()> Drop for OnDrop<F> {
            fn drop(&mut self) {
                (self.0)();
            }
        }
        let poison = Poison::new();
        let take = || Hold::new(Location::caller(), Caller::Thread);
        let early = take();
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            let _given_back = OnDrop(|| {
                let hold = if is_taken_unwinding { take() } else { early };
                poison.note(hold, Caller::Thread, LOCK);
            });
            std::panic::resume_unwind(Box::new(()));
        }));
        assert!(unwound.is_err());
        poison.get()
    }

    #[test]
    fn a_panic_poisons_if_it_began_while_the_lock_was_held() {
        assert!(given_back_unwinding(false));
        assert!(!given_back_unwinding(true));
    }

    #[test]
    fn a_holder_that_returns_poisons_nothing_and_poison_can_be_cleared() {
        let poison = Poison::new();
        poison.note(
            Hold::new(Location::caller(), Caller::Thread),
            Caller::Thread,
            LOCK,
        );
        assert!(!poison.ask(LOCK));
        poison.0.store(true, Ordering::Relaxed);
        assert!(poison.ask(LOCK));
        poison.clear(LOCK);
        assert!(!poison.ask(LOCK));
    }
}
