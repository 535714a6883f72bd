//! `OnceLock`.

use cct::primitive::{OnPoison, OnceMachine};
use real::cell::UnsafeCell;
use real::fmt;
use real::panic::{RefUnwindSafe, UnwindSafe};

/// `std::sync::OnceLock`.
pub struct OnceLock<T> {
    machine: OnceMachine,
    /// Set exactly when the machine is complete. An `Option` and no `Drop` here, so that a value
    /// may borrow what dies together with the lock, as std's may.
    value: UnsafeCell<Option<T>>,
}

// SAFETY: it hands out `&T` (hence `Sync`), and a value set on one thread can be taken on another
// (hence `Send`); the machine orders the write before every read.
unsafe impl<T: Sync + Send> Sync for OnceLock<T> {}

impl<T: RefUnwindSafe + UnwindSafe> RefUnwindSafe for OnceLock<T> {}
impl<T: UnwindSafe> UnwindSafe for OnceLock<T> {}

impl<T> OnceLock<T> {
    /// See `std::sync::OnceLock::new`.
    #[inline]
    #[must_use]
    pub const fn new() -> OnceLock<T> {
        OnceLock {
            machine: OnceMachine::new(),
            value: UnsafeCell::new(None),
        }
    }

    /// See `std::sync::OnceLock::get`.
    #[inline]
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        if self.machine.get() {
            self.peek()
        } else {
            None
        }
    }

    /// See `std::sync::OnceLock::get_mut`.
    #[inline]
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.value.get_mut().as_mut()
    }

    /// See `std::sync::OnceLock::wait`.
    #[inline]
    #[track_caller]
    pub fn wait(&self) -> &T {
        self.machine.wait(OnPoison::Ignore);
        self.present()
    }

    /// See `std::sync::OnceLock::set`.
    #[inline]
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.initialize(|| value.take());
        match value {
            None => Ok(()),
            Some(value) => Err(value),
        }
    }

    /// See `std::sync::OnceLock::get_or_init`.
    #[inline]
    #[track_caller]
    pub fn get_or_init<F>(&self, f: F) -> &T
    where
        F: FnOnce() -> T,
    {
        self.initialize(|| Some(f()));
        self.present()
    }

    /// See `std::sync::OnceLock::into_inner`.
    #[inline]
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }

    /// See `std::sync::OnceLock::take`.
    #[inline]
    pub fn take(&mut self) -> Option<T> {
        self.machine = OnceMachine::new();
        self.value.get_mut().take()
    }

    /// Stores what `f` returns unless there is a value; after a panic the lock is as new.
    #[track_caller]
    fn initialize(&self, f: impl FnOnce() -> Option<T>) {
        if let Some(running) = self.machine.begin(OnPoison::Ignore) {
            let value = f();
            // SAFETY: only the one who runs the initialiser touches the value of an incomplete
            // lock.
            unsafe { *self.value.get() = value };
            running.complete();
        }
    }

    fn present(&self) -> &T {
        match self.peek() {
            Some(value) => value,
            None => unreachable!("a complete lock has a value"),
        }
    }

    /// The value if there is one, no scheduling point.
    fn peek(&self) -> Option<&T> {
        if !self.machine.is_complete() {
            return None;
        }
        // SAFETY: nobody writes the value of a complete lock through a shared reference.
        unsafe { (*self.value.get()).as_ref() }
    }
}

impl<T> Default for OnceLock<T> {
    #[inline]
    fn default() -> OnceLock<T> {
        OnceLock::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    #[inline]
    fn from(value: T) -> Self {
        OnceLock {
            machine: OnceMachine::completed(),
            value: UnsafeCell::new(Some(value)),
        }
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    #[inline]
    fn clone(&self) -> OnceLock<T> {
        self.get()
            .cloned()
            .map_or_else(OnceLock::new, OnceLock::from)
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    #[inline]
    fn eq(&self, other: &OnceLock<T>) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lock = f.debug_tuple("OnceLock");
        match self.get() {
            Some(value) => lock.field(value),
            None => lock.field(&format_args!("<uninit>")),
        };
        lock.finish()
    }
}

#[cfg(test)]
mod tests {
    use real::panic::catch_unwind;
    use real::thread;

    use super::OnceLock;

    #[test]
    fn all_threads_get_the_one_value() {
        for _ in 0..200 {
            let cell = OnceLock::new();
            thread::scope(|scope| {
                for number in 0..4 {
                    let cell = &cell;
                    scope.spawn(move || {
                        let value = *cell.get_or_init(|| number);
                        assert_eq!(cell.get(), Some(&value));
                        assert_eq!(cell.set(9), Err(9));
                    });
                }
                scope.spawn(|| assert!(*cell.wait() < 4));
            });
        }
    }

    #[test]
    fn a_panic_leaves_it_empty() {
        let cell = OnceLock::new();
        assert!(catch_unwind(|| *cell.get_or_init(|| panic!("while running"))).is_err());
        assert_eq!(cell.get(), None);
        assert_eq!(*cell.get_or_init(|| 5), 5);
    }

    #[test]
    fn a_taken_value_leaves_it_as_new() {
        let mut cell = OnceLock::from(1);
        assert_eq!(cell.clone(), OnceLock::from(1));
        assert_eq!(cell.take(), Some(1));
        assert_eq!(cell.get_mut(), None);
        assert_eq!(cell.set(2), Ok(()));
        assert_eq!(cell.into_inner(), Some(2));
    }
}
