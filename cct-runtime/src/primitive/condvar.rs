//! The machine of `Condvar`.
//!
//! Workers that wait are counted: one is either *waiting* or *called* by a notification and about
//! to return. A wake-up without a call sends the worker back to wait, so that no spurious wake-up
//! reaches the user. Called, it waits for the mutex as others do that want to lock it, and is no
//! candidate while another holds it. Which worker a `notify_one` wakes is the strategy's choice.

use std::panic::Location;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use super::futex;
use super::hold::Hold;
use super::mutex::MutexMachine;
use super::update::Update as _;
use crate::engine::{self, NEVER, Wakeup, WorkerId};
use crate::object::ObjectId;
use crate::operation::{Access, Operation};

/// The workers that wait for a notification.
#[derive(Debug)]
pub struct CondvarMachine {
    /// How many workers wait, in the lower half; how many have been called and have not returned
    /// yet, in the upper one. They change together.
    workers: AtomicU64,
    /// Counts notifications; native threads sleep on it.
    sequence: AtomicU32,
    /// How many native threads wait.
    natives: AtomicU32,
}

const WAITING: u64 = 1;
const CALLED: u64 = 1 << 32;

/// How long to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// Until notified.
    Never,
    /// At most this long.
    After(Duration),
    /// Until this moment of virtual time; controlled workers only.
    At(u64),
}

/// Why a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitEnd {
    /// By a notification; outside the engine also without one.
    Notified,
    /// The time was over.
    TimedOut,
}

impl CondvarMachine {
    /// Nobody waits.
    #[expect(
        clippy::new_without_default,
        reason = "machines live in statics and need `const`"
    )]
    pub const fn new() -> CondvarMachine {
        CondvarMachine {
            workers: AtomicU64::new(0),
            sequence: AtomicU32::new(0),
            natives: AtomicU32::new(0),
        }
    }

    /// Releases the mutex, waits, and acquires it again; `hold` then names this site.
    #[track_caller]
    pub fn wait(&self, mutex: &MutexMachine, hold: &mut Hold, limit: Limit) -> WaitEnd {
        let site = Location::caller();
        let end = match engine::current() {
            Some(_) => self.wait_controlled(mutex, limit, site),
            None => self.wait_native(mutex, limit),
        };
        mutex.reacquire(site);
        hold.site = site;
        end
    }

    /// Wakes one waiter, if there is any.
    #[track_caller]
    pub fn notify_one(&self) {
        let controlled = engine::is_controlled();
        if controlled {
            engine::point(Operation::NotifyOne, self.object()).done();
        }
        if self.call(|_| 1) {
            if controlled {
                engine::wake_one(self.object());
            } else {
                // A thread outside cannot choose: all look, and one of them takes the call.
                engine::wake_all(self.object());
            }
        } else {
            self.sequence.fetch_add(1, Ordering::SeqCst);
            if self.natives.load(Ordering::SeqCst) > 0 {
                futex::wake_one(&self.sequence);
            }
        }
    }

    /// Wakes all waiters.
    #[track_caller]
    pub fn notify_all(&self) {
        if engine::is_controlled() {
            engine::point(Operation::NotifyAll, self.object()).done();
        }
        if self.call(|waiting| waiting) {
            engine::wake_all(self.object());
        }
        self.sequence.fetch_add(1, Ordering::SeqCst);
        if self.natives.load(Ordering::SeqCst) > 0 {
            futex::wake_all(&self.sequence);
        }
    }

    fn wait_controlled(
        &self,
        mutex: &MutexMachine,
        limit: Limit,
        site: &'static Location<'static>,
    ) -> WaitEnd {
        let (operation, deadline) = match limit {
            Limit::Never => (Operation::Wait, NEVER),
            Limit::After(duration) => (Operation::WaitTimeout, engine::deadline_after(duration)),
            Limit::At(deadline) => (Operation::WaitTimeout, deadline),
        };
        let lock = mutex.takes_next();
        let object = self.object();
        engine::point_on_both(operation, object, lock.object(), site).done();
        self.workers.fetch_add(WAITING, Ordering::SeqCst);
        mutex.release();
        loop {
            let holder: Option<WorkerId> = None;
            let wakeup =
                engine::wait_and_take(operation, object, deadline, holder, Some(lock), site);
            if wakeup == Wakeup::TimedOut {
                // A call that comes now finds one waiter less.
                engine::touch(object, Access::Writes);
                if self.change(leave) {
                    return WaitEnd::TimedOut;
                }
            }
            // When nobody is left waiting, a call came before the deadline and is this worker's.
            if self.change(|state| state.checked_sub(CALLED)) {
                return WaitEnd::Notified;
            }
        }
    }

    fn wait_native(&self, mutex: &MutexMachine, limit: Limit) -> WaitEnd {
        let timeout = match limit {
            Limit::After(duration) => Some(duration),
            Limit::Never | Limit::At(_) => None,
        };
        self.natives.fetch_add(1, Ordering::SeqCst);
        let seen = self.sequence.load(Ordering::SeqCst);
        mutex.release();
        let woken = futex::wait(&self.sequence, seen, timeout);
        self.natives.fetch_sub(1, Ordering::SeqCst);
        if woken {
            WaitEnd::Notified
        } else {
            WaitEnd::TimedOut
        }
    }

    /// Calls as many workers as `count` makes of those that wait; false when nobody waits.
    fn call(&self, count: fn(u64) -> u64) -> bool {
        self.change(|state| match waiting(state) {
            0 => None,
            waiting => Some(state + count(waiting) * (CALLED - WAITING)),
        })
    }

    /// True unless `next` has no answer to the counts.
    fn change(&self, next: impl FnMut(u64) -> Option<u64>) -> bool {
        self.workers
            .replace_if(Ordering::SeqCst, Ordering::SeqCst, next)
            .is_ok()
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(self)
    }
}

fn waiting(state: u64) -> u64 {
    state & (CALLED - WAITING)
}

fn leave(state: u64) -> Option<u64> {
    (waiting(state) > 0).then(|| state - WAITING)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// Asserts how many wait, and how many are called and have not returned.
    fn assert_counts(condvar: &CondvarMachine, waiting: u64, called: u64) {
        let state = condvar.workers.load(Ordering::Relaxed);
        assert_eq!(state, waiting * WAITING + called * CALLED);
    }

    /// A condition variable on which so many workers wait.
    fn awaited(waiting: u64) -> CondvarMachine {
        let condvar = CondvarMachine::new();
        condvar.workers.store(waiting * WAITING, Ordering::Relaxed);
        condvar
    }

    #[test]
    fn a_notification_calls_workers_that_wait_and_nobody_else() {
        let condvar = awaited(3);
        assert!(condvar.call(|_| 1));
        assert_counts(&condvar, 2, 1);
        assert!(condvar.call(|waiting| waiting));
        assert_counts(&condvar, 0, 3);
        assert!(!condvar.call(|_| 1), "it is lost");
        assert_counts(&condvar, 0, 3);
    }

    #[test]
    fn each_call_lets_one_worker_return() {
        let condvar = awaited(2);
        let takes_call = || condvar.change(|state| state.checked_sub(CALLED));
        assert!(!takes_call(), "a wake-up without a call");
        condvar.call(|_| 1);
        assert!(takes_call());
        assert!(!takes_call());
        assert_counts(&condvar, 1, 0);
    }

    #[test]
    fn a_time_out_that_comes_after_the_call_is_none() {
        let condvar = awaited(2);
        assert!(condvar.change(leave), "nobody has been called");
        assert_counts(&condvar, 1, 0);
        condvar.call(|_| 1);
        assert!(!condvar.change(leave), "the call is this worker's");
        assert_counts(&condvar, 0, 1);
    }

    #[test]
    fn a_thread_gives_up_the_mutex_and_has_it_again() {
        let (condvar, mutex) = (CondvarMachine::new(), MutexMachine::new());
        let mut hold = mutex.lock();
        let limit = Limit::After(Duration::from_millis(1));
        assert_eq!(condvar.wait(&mutex, &mut hold, limit), WaitEnd::TimedOut);
        assert!(mutex.try_lock().is_none());
        mutex.unlock(hold);
    }

    #[test]
    fn a_thread_that_waits_is_notified() {
        for all in [false, true] {
            let (condvar, mutex) = (CondvarMachine::new(), MutexMachine::new());
            thread::scope(|scope| {
                let waiter = scope.spawn(|| {
                    let mut hold = mutex.lock();
                    let end = condvar.wait(&mutex, &mut hold, Limit::Never);
                    mutex.unlock(hold);
                    end
                });
                while condvar.natives.load(Ordering::SeqCst) == 0 {
                    thread::yield_now();
                }
                // The one that waits lets go of the mutex only when it has looked at the sequence.
                let hold = mutex.lock();
                if all {
                    condvar.notify_all();
                } else {
                    condvar.notify_one();
                }
                mutex.unlock(hold);
                assert_eq!(waiter.join().expect("no panic"), WaitEnd::Notified);
            });
            assert_eq!(condvar.natives.into_inner(), 0);
        }
    }
}
