//! `RwLock` and its guards.

use cct::primitive::{Hold, RwLockMachine};
use real::cell::UnsafeCell;
use real::fmt;
use real::marker::PhantomData;
use real::mem::ManuallyDrop;
use real::ops::{Deref, DerefMut};
use real::panic::{RefUnwindSafe, UnwindSafe};
use real::ptr::NonNull;

use super::mutex::unless;
use super::{LockResult, TryLockError, TryLockResult};

/// `std::sync::RwLock`.
pub struct RwLock<T: ?Sized> {
    machine: RwLockMachine,
    data: UnsafeCell<T>,
}

/// `std::sync::RwLockReadGuard`.
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockReadGuard<'rwlock, T: ?Sized + 'rwlock> {
    /// Not a reference to the lock: readers are covariant in `T`, as std's are.
    data: NonNull<T>,
    machine: &'rwlock RwLockMachine,
    hold: Hold,
}

/// `std::sync::RwLockWriteGuard`.
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockWriteGuard<'rwlock, T: ?Sized> {
    lock: &'rwlock RwLock<T>,
    hold: Hold,
    /// A guard stays on the thread that locked.
    not_send: PhantomData<*const ()>,
}

// SAFETY: the value moves with the lock.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: one writer alone or readers together reach the value, from any thread.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}
// SAFETY: a shared guard gives shared access to the value only.
unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}

// A panic while it is locked for writing is seen through the poison flag.
impl<T: ?Sized> UnwindSafe for RwLock<T> {}
impl<T: ?Sized> RefUnwindSafe for RwLock<T> {}

impl<T> RwLock<T> {
    /// See `std::sync::RwLock::new`.
    #[inline]
    pub const fn new(t: T) -> RwLock<T> {
        RwLock {
            machine: RwLockMachine::new(),
            data: UnsafeCell::new(t),
        }
    }
}

impl<T: ?Sized> RwLock<T> {
    /// See `std::sync::RwLock::read`.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        RwLockReadGuard::new(self, self.machine.read())
    }

    /// See `std::sync::RwLock::try_read`.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        match self.machine.try_read() {
            Some(hold) => Ok(RwLockReadGuard::new(self, hold)?),
            None => Err(TryLockError::WouldBlock),
        }
    }

    /// See `std::sync::RwLock::write`.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        RwLockWriteGuard::new(self, self.machine.write())
    }

    /// See `std::sync::RwLock::try_write`.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        match self.machine.try_write() {
            Some(hold) => Ok(RwLockWriteGuard::new(self, hold)?),
            None => Err(TryLockError::WouldBlock),
        }
    }

    /// See `std::sync::RwLock::is_poisoned`.
    #[inline]
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        self.machine.is_poisoned()
    }

    /// See `std::sync::RwLock::clear_poison`.
    #[inline]
    #[track_caller]
    pub fn clear_poison(&self) {
        self.machine.clear_poison();
    }

    /// See `std::sync::RwLock::into_inner`.
    pub fn into_inner(self) -> LockResult<T>
    where
        T: Sized,
    {
        let poisoned = self.machine.poison().get();
        unless(poisoned, self.data.into_inner())
    }

    /// See `std::sync::RwLock::get_mut`.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let poisoned = self.machine.poison().get();
        unless(poisoned, self.data.get_mut())
    }
}

impl<'rwlock, T: ?Sized> RwLockReadGuard<'rwlock, T> {
    fn new(lock: &'rwlock RwLock<T>, hold: Hold) -> LockResult<Self> {
        unless(lock.machine.poison().get(), Self::unchecked(lock, hold))
    }

    fn unchecked(lock: &'rwlock RwLock<T>, hold: Hold) -> Self {
        // SAFETY: the address of a field is not null.
        let data = unsafe { NonNull::new_unchecked(lock.data.get()) };
        RwLockReadGuard {
            data,
            machine: &lock.machine,
            hold,
        }
    }
}

impl<'rwlock, T: ?Sized> RwLockWriteGuard<'rwlock, T> {
    fn new(lock: &'rwlock RwLock<T>, hold: Hold) -> LockResult<Self> {
        let guard = RwLockWriteGuard {
            lock,
            hold,
            not_send: PhantomData,
        };
        unless(lock.machine.poison().get(), guard)
    }

    /// See `std::sync::RwLockWriteGuard::downgrade`.
    #[cfg(has_rwlock_downgrade)]
    pub fn downgrade(s: Self) -> RwLockReadGuard<'rwlock, T> {
        let writer = ManuallyDrop::new(s);
        writer.lock.machine.downgrade(writer.hold);
        RwLockReadGuard::unchecked(writer.lock, writer.hold)
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(t: T) -> Self {
        RwLock::new(t)
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> RwLock<T> {
        RwLock::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lock = f.debug_struct("RwLock");
        match self.try_read() {
            Ok(guard) => lock.field("data", &&*guard),
            Err(TryLockError::Poisoned(error)) => lock.field("data", &&**error.get_ref()),
            Err(TryLockError::WouldBlock) => lock.field("data", &format_args!("<locked>")),
        };
        lock.field("poisoned", &self.is_poisoned())
            .finish_non_exhaustive()
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: while the guard lives, nobody writes, and the borrowed lock keeps the value in
        // place.
        unsafe { self.data.as_ref() }
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: while the guard lives, nobody else has the lock.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`, and the guard is borrowed mutably.
        unsafe { &mut *self.lock.data.get() }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.machine.read_unlock(self.hold);
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.machine.write_unlock(self.hold);
    }
}

macro_rules! formatted {
    ($($guard:ident)*) => { $(
        impl<T: ?Sized + fmt::Debug> fmt::Debug for $guard<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&**self, f)
            }
        }

        impl<T: ?Sized + fmt::Display> fmt::Display for $guard<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&**self, f)
            }
        }
    )* };
}
formatted!(RwLockReadGuard RwLockWriteGuard);

#[cfg(test)]
mod tests {
    use real::sync::mpsc;
    use real::thread;
    use real::time::Duration;

    use super::{RwLock, RwLockWriteGuard};

    #[test]
    fn readers_see_whole_writes() {
        let pair = RwLock::new((0, 0));
        thread::scope(|scope| {
            for worker in 0..4 {
                let pair = &pair;
                scope.spawn(move || {
                    for round in 0..10_000 {
                        if (round + worker) % 4 == 0 {
                            let mut pair = pair.write().expect("nobody panics");
                            pair.0 += 1;
                            pair.1 += 1;
                        } else {
                            let pair = pair.read().expect("nobody panics");
                            assert_eq!(pair.0, pair.1);
                        }
                    }
                });
            }
        });
        assert_eq!(pair.into_inner().expect("nobody panics"), (10_000, 10_000));
    }

    #[test]
    fn readers_share_and_writers_do_not() {
        let lock = RwLock::new(1);
        let first = lock.read().expect("free");
        assert_eq!(*lock.try_read().expect("shared"), *first);
        assert!(lock.try_write().is_err());
        drop(first);
        let writer = lock.write().expect("free");
        assert!(lock.try_read().is_err() && lock.try_write().is_err());
        let reader = RwLockWriteGuard::downgrade(writer);
        assert_eq!(*lock.try_read().expect("shared"), *reader);
        assert!(lock.try_write().is_err());
    }

    #[test]
    fn readers_wait_behind_a_waiting_writer() {
        let lock = RwLock::new(0);
        let (send, receive) = mpsc::channel();
        thread::scope(|scope| {
            let reader = lock.read().expect("free");
            scope.spawn(|| *lock.write().expect("nobody panics") = 1);
            while lock.try_read().is_ok() {
                thread::yield_now();
            }
            scope.spawn(|| send.send(*lock.read().expect("nobody panics")));
            assert!(receive.recv_timeout(Duration::from_millis(50)).is_err());
            drop(reader);
            assert!(receive.recv().is_ok());
        });
    }

    #[test]
    fn only_writers_poison() {
        let lock = RwLock::new(0);
        let reading = thread::scope(|scope| {
            let reader = || {
                let _guard = lock.read();
                panic!("while reading");
            };
            scope.spawn(reader).join()
        });
        assert!(reading.is_err() && !lock.is_poisoned());
        let writing = thread::scope(|scope| {
            let writer = || {
                let _guard = lock.write();
                panic!("while writing");
            };
            scope.spawn(writer).join()
        });
        assert!(writing.is_err() && lock.is_poisoned());
        assert!(lock.read().is_err() && lock.try_write().is_err());
    }
}
