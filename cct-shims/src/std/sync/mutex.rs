//! `Mutex` and its guard.

use cct::primitive::{Hold, MutexMachine};
use real::cell::UnsafeCell;
use real::fmt;
use real::marker::PhantomData;
use real::ops::{Deref, DerefMut};
use real::panic::{RefUnwindSafe, UnwindSafe};

use super::{LockResult, PoisonError, TryLockError, TryLockResult};

/// `std::sync::Mutex`.
pub struct Mutex<T: ?Sized> {
    machine: MutexMachine,
    data: UnsafeCell<T>,
}

/// `std::sync::MutexGuard`.
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    hold: Hold,
    /// A guard stays on the thread that locked.
    not_send: PhantomData<*const ()>,
}

// SAFETY: the value moves with the mutex, and only one thread at a time can reach it through the
// mutex.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}
// SAFETY: a shared guard gives shared access to the value only.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

// A panic while it is locked is seen through the poison flag.
impl<T: ?Sized> UnwindSafe for Mutex<T> {}
impl<T: ?Sized> RefUnwindSafe for Mutex<T> {}

impl<T> Mutex<T> {
    /// See `std::sync::Mutex::new`.
    #[inline]
    pub const fn new(t: T) -> Mutex<T> {
        Mutex {
            machine: MutexMachine::new(),
            data: UnsafeCell::new(t),
        }
    }
}

impl<T: ?Sized> Mutex<T> {
    /// See `std::sync::Mutex::lock`.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        MutexGuard::new(self, self.machine.lock())
    }

    /// See `std::sync::Mutex::try_lock`.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        match self.machine.try_lock() {
            Some(hold) => Ok(MutexGuard::new(self, hold)?),
            None => Err(TryLockError::WouldBlock),
        }
    }

    /// See `std::sync::Mutex::is_poisoned`.
    #[inline]
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        self.machine.is_poisoned()
    }

    /// See `std::sync::Mutex::clear_poison`.
    #[inline]
    #[track_caller]
    pub fn clear_poison(&self) {
        self.machine.clear_poison();
    }

    /// See `std::sync::Mutex::into_inner`.
    pub fn into_inner(self) -> LockResult<T>
    where
        T: Sized,
    {
        let poisoned = self.machine.poison().get();
        unless(poisoned, self.data.into_inner())
    }

    /// See `std::sync::Mutex::get_mut`.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let poisoned = self.machine.poison().get();
        unless(poisoned, self.data.get_mut())
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    fn new(mutex: &'a Mutex<T>, hold: Hold) -> LockResult<Self> {
        let guard = MutexGuard {
            mutex,
            hold,
            not_send: PhantomData,
        };
        unless(mutex.machine.poison().get(), guard)
    }

    /// The parts that `Condvar` needs to let go of the mutex for a while.
    pub(super) fn parts(&mut self) -> (&'a MutexMachine, &mut Hold) {
        (&self.mutex.machine, &mut self.hold)
    }
}

/// The value, as a lock returns it.
pub(super) fn unless<T>(poisoned: bool, value: T) -> LockResult<T> {
    if poisoned {
        Err(PoisonError::new(value))
    } else {
        Ok(value)
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(t: T) -> Self {
        Mutex::new(t)
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut mutex = f.debug_struct("Mutex");
        match self.try_lock() {
            Ok(guard) => mutex.field("data", &&*guard),
            Err(TryLockError::Poisoned(error)) => mutex.field("data", &&**error.get_ref()),
            Err(TryLockError::WouldBlock) => mutex.field("data", &"<locked>"),
        };
        mutex
            .field("poisoned", &self.is_poisoned())
            .finish_non_exhaustive()
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: while the guard lives, nobody else has the mutex.
        unsafe { &*self.mutex.data.get() }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`, and the guard is borrowed mutably.
        unsafe { &mut *self.mutex.data.get() }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.mutex.machine.unlock(self.hold);
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use real::panic::{AssertUnwindSafe, catch_unwind};
    use real::thread;

    use super::{Mutex, TryLockError};

    #[test]
    fn threads_exclude_each_other() {
        let count = Mutex::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        *count.lock().expect("nobody panics") += 1;
                    }
                });
            }
        });
        assert_eq!(count.into_inner().expect("nobody panics"), 80_000);
    }

    #[test]
    fn a_held_mutex_refuses() {
        let mutex = Mutex::new(());
        let guard = mutex.lock();
        assert!(matches!(mutex.try_lock(), Err(TryLockError::WouldBlock)));
        drop(guard);
        assert!(mutex.try_lock().is_ok());
    }

    #[test]
    fn a_poisoned_mutex_still_excludes() {
        let mut mutex = Mutex::new(1);
        let panicked = catch_unwind(|| {
            let _guard = mutex.lock();
            panic!("while locked");
        });
        assert!(panicked.is_err() && mutex.is_poisoned());
        let guard = mutex.lock().expect_err("poisoned").into_inner();
        assert!(matches!(mutex.try_lock(), Err(TryLockError::WouldBlock)));
        drop(guard);
        assert!(matches!(mutex.try_lock(), Err(TryLockError::Poisoned(_))));
        assert!(mutex.get_mut().is_err());
        mutex.clear_poison();
        assert_eq!(*mutex.lock().expect("clear again"), 1);
    }

    #[test]
    fn a_lock_taken_while_unwinding_does_not_poison() {
        struct LocksInDrop<'a>(&'a Mutex<i32>);
        impl Drop for LocksInDrop<'_> {
            fn drop(&mut self) {
                *self.0.lock().expect("not poisoned") += 1;
            }
        }
        let mutex = Mutex::new(0);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _locks = LocksInDrop(&mutex);
            panic!("with a destructor to run");
        }));
        assert!(panicked.is_err() && !mutex.is_poisoned());
        assert_eq!(*mutex.lock().expect("not poisoned"), 1);
    }
}
