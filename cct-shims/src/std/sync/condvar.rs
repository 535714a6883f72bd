//! `Condvar`.

use cct::engine;
use cct::primitive::{CondvarMachine, Limit, WaitEnd};
use real::fmt;
use real::time::{Duration, Instant};

use super::mutex::unless;
use super::{LockResult, MutexGuard, PoisonError};

/// `std::sync::Condvar`.
///
/// On a controlled worker a wait ends only by a notification or at its deadline.
pub struct Condvar {
    machine: CondvarMachine,
}

/// `std::sync::WaitTimeoutResult`.
#[derive(Debug, PartialEq, Eq, Copy, Clone)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// See `std::sync::WaitTimeoutResult::timed_out`.
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

impl Condvar {
    /// See `std::sync::Condvar::new`.
    #[must_use]
    #[inline]
    pub const fn new() -> Condvar {
        Condvar {
            machine: CondvarMachine::new(),
        }
    }

    /// See `std::sync::Condvar::wait`.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        self.wait_limited(guard, Limit::Never).0
    }

    /// See `std::sync::Condvar::wait_while`.
    #[track_caller]
    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// See `std::sync::Condvar::wait_timeout_ms`.
    #[deprecated(
        since = "1.6.0",
        note = "replaced by `std::sync::Condvar::wait_timeout`"
    )]
    #[track_caller]
    pub fn wait_timeout_ms<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        ms: u32,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        let limit = Limit::After(Duration::from_millis(u64::from(ms)));
        let (guard, end) = self.wait_limited(guard, limit);
        with(guard, !end.0)
    }

    /// See `std::sync::Condvar::wait_timeout`.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        dur: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let (guard, end) = self.wait_limited(guard, Limit::After(dur));
        with(guard, end)
    }

    /// See `std::sync::Condvar::wait_timeout_while`.
    #[track_caller]
    pub fn wait_timeout_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        dur: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        let countdown = Countdown::start(dur);
        let mut end = WaitTimeoutResult(false);
        while condition(&mut *guard) {
            let Some(limit) = countdown.rest(end) else {
                return Ok((guard, WaitTimeoutResult(true)));
            };
            let (result, now) = self.wait_limited(guard, limit);
            end = now;
            match result {
                Ok(again) => guard = again,
                Err(poisoned) => return with(Err(poisoned), end),
            }
        }
        Ok((guard, WaitTimeoutResult(false)))
    }

    /// See `std::sync::Condvar::notify_one`.
    #[track_caller]
    pub fn notify_one(&self) {
        self.machine.notify_one();
    }

    /// See `std::sync::Condvar::notify_all`.
    #[track_caller]
    pub fn notify_all(&self) {
        self.machine.notify_all();
    }

    #[track_caller]
    fn wait_limited<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        limit: Limit,
    ) -> (LockResult<MutexGuard<'a, T>>, WaitTimeoutResult) {
        let (mutex, hold) = guard.parts();
        let end = self.machine.wait(mutex, hold, limit);
        let poisoned = mutex.poison().get();
        (
            unless(poisoned, guard),
            WaitTimeoutResult(end == WaitEnd::TimedOut),
        )
    }
}

/// The rest of a duration.
enum Countdown {
    /// Until a moment of the engine's time.
    Virtual(u64),
    /// Since a moment of real time.
    Real(Instant, Duration),
}

impl Countdown {
    fn start(duration: Duration) -> Countdown {
        if engine::is_controlled() {
            Countdown::Virtual(engine::deadline_after(duration))
        } else {
            Countdown::Real(Instant::now(), duration)
        }
    }

    /// The limit of the next wait, none when the time is over.
    fn rest(&self, last: WaitTimeoutResult) -> Option<Limit> {
        match *self {
            Countdown::Virtual(deadline) => (!last.timed_out()).then_some(Limit::At(deadline)),
            Countdown::Real(start, duration) => {
                duration.checked_sub(start.elapsed()).map(Limit::After)
            }
        }
    }
}

/// Pairs the guard with the result, on either side.
fn with<G, R>(guard: LockResult<G>, result: R) -> LockResult<(G, R)> {
    match guard {
        Ok(guard) => Ok((guard, result)),
        Err(poisoned) => Err(PoisonError::new((poisoned.into_inner(), result))),
    }
}

impl Default for Condvar {
    fn default() -> Condvar {
        Condvar::new()
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use real::thread;
    use real::time::{Duration, Instant};

    use super::Condvar;
    use crate::std::sync::Mutex;

    #[test]
    fn two_threads_take_turns() {
        let turn = (Mutex::new(0), Condvar::new());
        thread::scope(|scope| {
            for parity in 0..2 {
                let (number, changed) = &turn;
                scope.spawn(move || {
                    for _ in 0..2_000 {
                        let number = number.lock().expect("nobody panics");
                        let mut number = changed
                            .wait_while(number, |number| *number % 2 != parity)
                            .expect("nobody panics");
                        *number += 1;
                        changed.notify_one();
                    }
                });
            }
        });
        assert_eq!(turn.0.into_inner().expect("nobody panics"), 4_000);
    }

    #[test]
    fn notify_all_wakes_everybody() {
        let (open, opened) = (Mutex::new(false), Condvar::new());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let closed = |open: &mut bool| !*open;
                    let open = open.lock().expect("nobody panics");
                    assert!(*opened.wait_while(open, closed).expect("nobody panics"));
                });
            }
            thread::sleep(Duration::from_millis(10));
            *open.lock().expect("nobody panics") = true;
            opened.notify_all();
        });
    }

    #[test]
    fn a_wait_that_nobody_ends_times_out() {
        let (mutex, condvar) = (Mutex::new(()), Condvar::new());
        let wait = Duration::from_millis(20);
        let start = Instant::now();
        let never = |(): &mut ()| true;
        let guard = mutex.lock().expect("free");
        let (guard, end) = condvar
            .wait_timeout_while(guard, wait, never)
            .expect("no panic");
        assert!(end.timed_out() && start.elapsed() >= wait);
        assert!(mutex.try_lock().is_err());
        let (_guard, end) = condvar
            .wait_timeout(guard, Duration::ZERO)
            .expect("no panic");
        assert!(end.timed_out());
    }

    #[test]
    fn a_wait_on_a_poisoned_mutex_says_so() {
        let (mutex, condvar) = (Mutex::new(()), Condvar::new());
        let poison = thread::scope(|scope| {
            let poison = || {
                let _guard = mutex.lock();
                panic!("while locked");
            };
            scope.spawn(poison).join()
        });
        assert!(poison.is_err());
        let guard = mutex.lock().expect_err("poisoned").into_inner();
        assert!(condvar.wait_timeout(guard, Duration::ZERO).is_err());
    }
}
