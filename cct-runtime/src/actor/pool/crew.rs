//! Which threads of a pool are idle, and who is called when there are tasks.
//!
//! A task is queued, and then a thread is called; a thread is idle, and then looks at the queues once
//! more. A fence stands between the two on both sides, so that one of them sees the other. One thread is
//! called at a time: it calls the next if there is more than it can take.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The seats of a pool, with a thread on each or none.
pub(super) struct Crew {
    seats: Mutex<Seats>,
    /// The thread on each seat sleeps on its own.
    is_called: Box<[Condvar]>,
    /// How many seats are idle or free.
    callable: AtomicUsize,
    /// Somebody was called, and has not found anything yet.
    is_calling: AtomicBool,
    /// An idle thread is the sentry.
    has_sentry: AtomicBool,
    /// Nobody is to wait for long.
    is_closed: AtomicBool,
}

struct Seats {
    /// Their threads wait.
    idle: Vec<usize>,
    /// They have no thread.
    free: Vec<usize>,
}

/// How a thread's rest has ended.
pub(super) enum Rest {
    /// It was called.
    Called,
    /// By itself.
    Over,
    /// Nobody has called for long: the seat is free now.
    TooLong,
}

impl Rest {
    pub(super) fn of_end(is_called: bool) -> Rest {
        if is_called { Rest::Called } else { Rest::Over }
    }
}

impl Crew {
    pub(super) fn new(threads: usize) -> Crew {
        Crew {
            seats: Mutex::new(Seats {
                idle: Vec::with_capacity(threads),
                free: (0..threads).rev().collect(),
            }),
            is_called: (0..threads).map(|_| Condvar::new()).collect(),
            callable: AtomicUsize::new(threads),
            is_calling: AtomicBool::new(false),
            has_sentry: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
        }
    }

    /// Asked after a task was queued: whether there is anybody to call.
    pub(super) fn is_callable(&self) -> bool {
        fence(Ordering::SeqCst);
        self.callable.load(Ordering::Relaxed) > 0
    }

    /// Calls an idle thread, unless one is under way. If all are busy and there is a free seat, returns
    /// that: its thread begins as one that was called.
    pub(super) fn call(&self) -> Option<usize> {
        if self.is_calling.load(Ordering::Relaxed) || self.is_calling.swap(true, Ordering::SeqCst) {
            return None;
        }
        let mut seats = self.seats();
        let idle = seats.idle.pop();
        let free = if idle.is_none() {
            seats.free.pop()
        } else {
            None
        };
        self.count(&seats);
        if idle.or(free).is_none() {
            self.is_calling.store(false, Ordering::SeqCst);
        }
        drop(seats);
        if let Some(seat) = idle {
            self.is_called[seat].notify_one();
        }
        free
    }

    /// The thread that was called has found something. The next may be called.
    pub(super) fn end_call(&self) {
        self.is_calling.store(false, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// The thread is idle from here on; if it was called, it has found nothing.
    pub(super) fn begin_rest(&self, seat: usize, was_called: bool) {
        let mut seats = self.seats();
        seats.idle.push(seat);
        self.count(&seats);
        drop(seats);
        if was_called {
            self.is_calling.store(false, Ordering::Relaxed);
        }
        fence(Ordering::SeqCst);
    }

    /// The thread is idle no longer. True if it was called already.
    pub(super) fn end_rest(&self, seat: usize) -> bool {
        let mut seats = self.seats();
        let is_called = !seats.leave(seat);
        self.count(&seats);
        is_called
    }

    /// The idle thread sleeps until it is called, or for this long, which ends its rest for good.
    pub(super) fn wait(&self, seat: usize, patience: Duration) -> Rest {
        let mut seats = self.sleep(seat, patience);
        if !seats.leave(seat) {
            return Rest::Called;
        }
        seats.free.push(seat);
        Rest::TooLong
    }

    /// The same, and its rest goes on. True if it was called.
    pub(super) fn doze(&self, seat: usize, time: Duration) -> bool {
        let seats = self.sleep(seat, time);
        !seats.idle.contains(&seat)
    }

    fn sleep(&self, seat: usize, time: Duration) -> MutexGuard<'_, Seats> {
        let is_idle = |seats: &mut Seats| {
            seats.idle.contains(&seat) && !self.is_closed.load(Ordering::Relaxed)
        };
        let slept = self.is_called[seat].wait_timeout_while(self.seats(), time, is_idle);
        slept.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Rests end at once from here on.
    pub(super) fn close(&self) {
        let seats = self.seats();
        self.is_closed.store(true, Ordering::Relaxed);
        drop(seats);
        self.is_called.iter().for_each(Condvar::notify_all);
    }

    /// False if somebody is the sentry.
    pub(super) fn begin_sentry(&self) -> bool {
        !self.has_sentry.swap(true, Ordering::SeqCst)
    }

    pub(super) fn end_sentry(&self) {
        self.has_sentry.store(false, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Asked as [`is_callable`](Self::is_callable) is, and after it.
    pub(super) fn has_sentry(&self) -> bool {
        self.has_sentry.load(Ordering::Relaxed)
    }

    fn count(&self, seats: &Seats) {
        let callable = seats.idle.len() + seats.free.len();
        self.callable.store(callable, Ordering::Relaxed);
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seats {
    /// False if the thread has been called, and is idle no longer.
    fn leave(&mut self, seat: usize) -> bool {
        let at = self.idle.iter().position(|&idle| idle == seat);
        at.map(|at| self.idle.remove(at)).is_some()
    }
}
