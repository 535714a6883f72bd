//! `Once`.

use cct::primitive::{OnPoison, OnceMachine};
use real::cell::Cell;
use real::fmt;
use real::marker::PhantomData;
use real::panic::{RefUnwindSafe, UnwindSafe};

/// `std::sync::Once`.
pub struct Once {
    machine: OnceMachine,
}

/// `std::sync::OnceState`.
pub struct OnceState {
    poisoned: bool,
    /// Neither `Sync` nor `RefUnwindSafe`, as std's.
    like_a_cell: PhantomData<Cell<()>>,
}

/// `std::sync::ONCE_INIT`.
#[deprecated(since = "1.38.0", note = "the `Once::new()` function is now preferred")]
#[expect(clippy::declare_interior_mutable_const, reason = "std declares it")]
pub const ONCE_INIT: Once = Once::new();

#[cfg(has_once_default)]
impl Default for Once {
    #[inline]
    fn default() -> Once {
        Once::new()
    }
}

impl UnwindSafe for Once {}
impl RefUnwindSafe for Once {}

impl Once {
    /// See `std::sync::Once::new`.
    #[inline]
    #[must_use]
    #[cfg_attr(
        not(has_once_default),
        expect(clippy::new_without_default, reason = "std's has no `Default` either")
    )]
    pub const fn new() -> Once {
        Once {
            machine: OnceMachine::new(),
        }
    }

    /// See `std::sync::Once::call_once`.
    #[track_caller]
    pub fn call_once<F>(&self, f: F)
    where
        F: FnOnce(),
    {
        if let Some(running) = self.machine.begin(OnPoison::Panic("Once")) {
            f();
            running.complete();
        }
    }

    /// See `std::sync::Once::call_once_force`.
    #[track_caller]
    pub fn call_once_force<F>(&self, f: F)
    where
        F: FnOnce(&OnceState),
    {
        if let Some(running) = self.machine.begin(OnPoison::Ignore) {
            f(&OnceState {
                poisoned: running.was_poisoned(),
                like_a_cell: PhantomData,
            });
            running.complete();
        }
    }

    /// See `std::sync::Once::is_completed`.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        self.machine.get()
    }

    /// See `std::sync::Once::wait`.
    #[track_caller]
    pub fn wait(&self) {
        self.machine.wait(OnPoison::Panic("Once"));
    }

    /// See `std::sync::Once::wait_force`.
    #[track_caller]
    pub fn wait_force(&self) {
        self.machine.wait(OnPoison::Ignore);
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

impl OnceState {
    /// See `std::sync::OnceState::is_poisoned`.
    #[inline]
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }
}

impl fmt::Debug for OnceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceState")
            .field("poisoned", &self.is_poisoned())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use real::panic::catch_unwind;
    use real::sync::atomic::{AtomicUsize, Ordering};
    use real::thread;

    use super::Once;

    #[test]
    fn one_of_many_runs_and_the_others_wait_for_it() {
        for _ in 0..200 {
            let (once, runs) = (Once::new(), AtomicUsize::new(0));
            thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        once.call_once(|| {
                            thread::yield_now();
                            runs.fetch_add(1, Ordering::Relaxed);
                        });
                        assert_eq!(runs.load(Ordering::Relaxed), 1);
                    });
                }
                scope.spawn(|| {
                    once.wait();
                    assert!(once.is_completed());
                });
            });
        }
    }

    #[test]
    fn a_panic_poisons_until_forced() {
        let once = Once::new();
        assert!(catch_unwind(|| once.call_once(|| panic!("while running"))).is_err());
        assert!(!once.is_completed());
        assert!(catch_unwind(|| once.call_once(|| ())).is_err());
        assert!(catch_unwind(|| once.wait()).is_err());
        once.call_once_force(|state| assert!(state.is_poisoned()));
        once.call_once(|| unreachable!("it has run"));
        once.wait();
        assert!(once.is_completed());
    }

    #[test]
    fn wait_force_outlasts_a_panic() {
        let once = Once::new();
        thread::scope(|scope| {
            let waiter = scope.spawn(|| once.wait_force());
            assert!(catch_unwind(|| once.call_once(|| panic!("while running"))).is_err());
            once.call_once_force(|_| ());
            assert!(waiter.join().is_ok());
        });
    }
}
