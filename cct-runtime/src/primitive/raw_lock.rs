//! A lock for a few instructions, which the engine does not know of.
//!
//! Threads that wait for it sleep, unlike those that wait for a channel's counts: actors run in
//! production, where a holder that is not running would keep them all busy. That costs an exchange more.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, Ordering};

use super::futex;

/// Its holder must neither switch to another worker nor take long.
#[derive(Debug, Default)]
pub(crate) struct RawLock(AtomicU32);

const FREE: u32 = 0;
const HELD: u32 = 1;
/// It is held, and somebody may sleep.
const AWAITED: u32 = 2;

impl RawLock {
    pub(crate) const fn new() -> RawLock {
        RawLock(AtomicU32::new(FREE))
    }

    #[inline]
    fn take(&self) {
        let free = (self.0).compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed);
        if free.is_err() {
            self.take_contended();
        }
    }

    #[cold]
    fn take_contended(&self) {
        if futex::spin(&self.0, |word| word == FREE) == FREE
            && (self.0)
                .compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
        {
            return;
        }
        while self.0.swap(AWAITED, Ordering::Acquire) != FREE {
            futex::wait(&self.0, AWAITED, None);
        }
    }

    #[inline]
    fn give_back(&self) {
        if self.0.swap(FREE, Ordering::Release) == AWAITED {
            futex::wake_one(&self.0);
        }
    }

    /// Takes it, for generic code: that is compiled with the program, where atomics are the program's.
    #[inline(never)]
    pub(crate) fn lock(&self) -> RawGuard<'_> {
        self.take();
        RawGuard(self)
    }
}

/// The lock is held while this lives.
#[derive(Debug)]
pub(crate) struct RawGuard<'a>(&'a RawLock);

impl Drop for RawGuard<'_> {
    #[inline(never)]
    fn drop(&mut self) {
        self.0.give_back();
    }
}

/// A value behind such a lock.
#[derive(Debug, Default)]
pub(super) struct Guarded<T> {
    lock: RawLock,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached only by who holds the lock.
unsafe impl<T: Send> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    pub(super) const fn new(value: T) -> Guarded<T> {
        Guarded {
            lock: RawLock::new(),
            value: UnsafeCell::new(value),
        }
    }

    /// Runs `access`, which does not come back here.
    #[inline]
    pub(super) fn with<R>(&self, access: impl FnOnce(&mut T) -> R) -> R {
        self.lock.take();
        let _guard = RawGuard(&self.lock);
        // SAFETY: the lock is held.
        access(unsafe { &mut *self.value.get() })
    }
}
