//! `LazyLock`.

use cct::primitive::{OnPoison, OnceMachine};
use real::cell::UnsafeCell;
use real::fmt;
use real::mem;
use real::ops::Deref;
#[cfg(has_lazy_lock_deref_mut)]
use real::ops::DerefMut;
use real::panic::{RefUnwindSafe, UnwindSafe};

/// `std::sync::LazyLock`.
pub struct LazyLock<T, F = fn() -> T> {
    machine: OnceMachine,
    data: UnsafeCell<Data<T, F>>,
}

enum Data<T, F> {
    /// Not asked for yet.
    Initializer(F),
    /// The initialiser runs, or panicked.
    Absent,
    /// The machine is complete.
    Value(T),
}

// SAFETY: it hands out `&T` (hence `Sync`), a value made on one thread can be dropped on another
// (hence `Send`), and `F` is called on whichever thread comes first; the machine orders all that.
unsafe impl<T: Sync + Send, F: Send> Sync for LazyLock<T, F> {}

impl<T: RefUnwindSafe + UnwindSafe, F: UnwindSafe> RefUnwindSafe for LazyLock<T, F> {}
impl<T: UnwindSafe, F: UnwindSafe> UnwindSafe for LazyLock<T, F> {}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// See `std::sync::LazyLock::new`.
    #[inline]
    pub const fn new(f: F) -> LazyLock<T, F> {
        LazyLock {
            machine: OnceMachine::new(),
            data: UnsafeCell::new(Data::Initializer(f)),
        }
    }

    /// See `std::sync::LazyLock::force_mut`.
    #[cfg(has_lazy_lock_get)]
    #[inline]
    #[track_caller]
    pub fn force_mut(this: &mut LazyLock<T, F>) -> &mut T {
        LazyLock::forced_mut(this)
    }

    #[cfg(any(has_lazy_lock_get, has_lazy_lock_deref_mut))]
    #[inline]
    #[track_caller]
    fn forced_mut(this: &mut LazyLock<T, F>) -> &mut T {
        if !this.machine.is_complete() {
            let data = this.data.get_mut();
            let initializer = data.take_initializer(&this.machine);
            *data = Data::Value(initializer());
            this.machine = OnceMachine::completed();
        }
        match this.data.get_mut() {
            Data::Value(value) => value,
            _ => poisoned(&this.machine),
        }
    }

    /// See `std::sync::LazyLock::force`.
    #[inline]
    #[track_caller]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        if let Some(running) = this.machine.begin(OnPoison::Panic("LazyLock")) {
            // SAFETY: only the one who runs the initialiser touches the data of an incomplete
            // lock.
            let initializer = unsafe { (*this.data.get()).take_initializer(&this.machine) };
            let value = initializer();
            // SAFETY: as above.
            unsafe { *this.data.get() = Data::Value(value) };
            running.complete();
        }
        this.peek().unwrap_or_else(|| poisoned(&this.machine))
    }
}

impl<T, F> LazyLock<T, F> {
    /// See `std::sync::LazyLock::get_mut`.
    #[cfg(has_lazy_lock_get)]
    #[inline]
    pub fn get_mut(this: &mut LazyLock<T, F>) -> Option<&mut T> {
        match this.data.get_mut() {
            Data::Value(value) => Some(value),
            _ => None,
        }
    }

    /// See `std::sync::LazyLock::get`.
    #[cfg(has_lazy_lock_get)]
    #[inline]
    #[track_caller]
    pub fn get(this: &LazyLock<T, F>) -> Option<&T> {
        this.if_forced()
    }

    /// The value if there is one, by a step.
    #[inline]
    #[track_caller]
    fn if_forced(&self) -> Option<&T> {
        if self.machine.get() {
            self.peek()
        } else {
            None
        }
    }

    /// The value if there is one, no scheduling point.
    fn peek(&self) -> Option<&T> {
        if !self.machine.is_complete() {
            return None;
        }
        // SAFETY: nobody writes the data of a complete lock through a shared reference.
        match unsafe { &*self.data.get() } {
            Data::Value(value) => Some(value),
            _ => None,
        }
    }
}

impl<T, F> Data<T, F> {
    /// Gone from here on, also if it panics.
    #[track_caller]
    fn take_initializer(&mut self, machine: &OnceMachine) -> F {
        match mem::replace(self, Data::Absent) {
            Data::Initializer(initializer) => initializer,
            _ => poisoned(machine),
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn poisoned(machine: &OnceMachine) -> ! {
    machine.tell_of_panic();
    panic!("LazyLock instance has previously been poisoned")
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[inline]
    #[track_caller]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

#[cfg(has_lazy_lock_deref_mut)]
impl<T, F: FnOnce() -> T> DerefMut for LazyLock<T, F> {
    #[inline]
    #[track_caller]
    fn deref_mut(&mut self) -> &mut T {
        LazyLock::forced_mut(self)
    }
}

#[cfg(has_lazy_lock_from)]
impl<T, F> From<T> for LazyLock<T, F> {
    #[inline]
    fn from(value: T) -> LazyLock<T, F> {
        LazyLock {
            machine: OnceMachine::completed(),
            data: UnsafeCell::new(Data::Value(value)),
        }
    }
}

impl<T: Default> Default for LazyLock<T> {
    #[inline]
    fn default() -> LazyLock<T> {
        LazyLock::new(T::default)
    }
}

impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lock = f.debug_tuple("LazyLock");
        match self.if_forced() {
            Some(value) => lock.field(value),
            None => lock.field(&format_args!("<uninit>")),
        };
        lock.finish()
    }
}

#[cfg(test)]
mod tests {
    use real::panic::{AssertUnwindSafe, catch_unwind};
    use real::sync::atomic::{AtomicUsize, Ordering};
    use real::thread;

    use super::LazyLock;

    #[test]
    fn the_initialiser_runs_once() {
        let runs = AtomicUsize::new(0);
        let lazy = LazyLock::new(|| runs.fetch_add(1, Ordering::Relaxed));
        assert_eq!(lazy.if_forced(), None);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(*lazy, 0));
            }
        });
        assert_eq!(
            (lazy.if_forced(), runs.load(Ordering::Relaxed)),
            (Some(&0), 1)
        );
    }

    #[cfg(has_lazy_lock_get)]
    #[test]
    fn mutable_access_forces_too() {
        let mut lazy = LazyLock::new(|| vec![1]);
        assert_eq!(LazyLock::get_mut(&mut lazy), None);
        lazy.push(2);
        assert_eq!(
            (
                LazyLock::force(&lazy).len(),
                LazyLock::force_mut(&mut lazy).len()
            ),
            (2, 2)
        );
    }

    #[test]
    fn a_panic_poisons_for_good() {
        let lazy = LazyLock::<u8>::new(|| panic!("while running"));
        for _ in 0..2 {
            assert!(catch_unwind(AssertUnwindSafe(|| *lazy)).is_err());
        }
        assert_eq!(lazy.if_forced(), None);
    }

    #[cfg(has_lazy_lock_deref_mut)]
    #[test]
    fn a_panic_poisons_for_mutable_access_as_well() {
        let mut lazy = LazyLock::<u8>::new(|| panic!("while running"));
        for _ in 0..2 {
            assert!(catch_unwind(AssertUnwindSafe(|| *lazy += 1)).is_err());
        }
        assert_eq!(lazy.if_forced(), None);
    }

    #[cfg(has_lazy_lock_from)]
    #[test]
    fn a_value_needs_no_initialiser() {
        let lazy: LazyLock<u8> = LazyLock::from(3);
        assert_eq!((lazy.if_forced(), *lazy), (Some(&3), 3));
    }
}
