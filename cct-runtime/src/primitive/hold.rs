//! What a guard remembers of its acquire, and the poison flag.
//!
//! Whether a caller panics is a matter of its worker on the engine and of its thread elsewhere.

use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine;

/// An acquired lock, as its guard keeps it.
#[derive(Clone, Copy, Debug)]
pub struct Hold {
    /// Where the lock was acquired: a guard's drop has no site of its own.
    pub(super) site: &'static Location<'static>,
    /// Whether the holder was unwinding already; then its panic does not poison.
    pub(super) panicking: bool,
}

impl Hold {
    pub(super) fn new(site: &'static Location<'static>, caller: Caller) -> Hold {
        Hold {
            site,
            panicking: caller.panicking(),
        }
    }
}

/// Who calls a machine; asked once per call, since the answer costs a thread-local read.
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

    /// True after a holder panicked.
    pub fn get(&self) -> bool {
        let is_poisoned = self.0.load(Ordering::Relaxed);
        if is_poisoned {
            engine::told_at(self.address(), Some("PoisonError { .. }"));
        }
        is_poisoned
    }

    /// Forgets that a holder panicked.
    pub fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Poisons when the holder's panic began while it had the lock.
    pub(super) fn note(&self, hold: Hold, caller: Caller) {
        if !hold.panicking && caller.panicking() {
            self.0.store(true, Ordering::Relaxed);
            if caller == Caller::Worker {
                engine::leave_panic(self.address());
            }
        }
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}
