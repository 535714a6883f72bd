//! How much there is to do in a runtime, and the wait for the end of it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use super::pool;

/// The pieces of work that have begun, and that have ended: an actor that is not at rest is one, and a timer
/// that will make work.
///
/// Each thread of a pool counts on a cache line of its own. Both counts only grow, and no piece ends before
/// it begins. So if all that has begun, read after all that has ended, is as much, there was nothing to do
/// in between: Mattern, *Algorithms for distributed termination detection* (1987).
pub(super) struct Workload {
    /// The first is for threads that are none of a pool's.
    counts: Box<[Count]>,
    /// How many threads wait, outside of the engine.
    waiting: AtomicUsize,
    lock: Mutex<()>,
    over: Condvar,
}

#[repr(align(128))]
#[derive(Default)]
struct Count {
    begun: AtomicU64,
    ended: AtomicU64,
}

impl Workload {
    /// No work, which a pool of so many threads will do.
    pub(super) fn new(threads: usize) -> Workload {
        Workload {
            counts: (0..=threads).map(|_| Count::default()).collect(),
            waiting: AtomicUsize::new(0),
            lock: Mutex::new(()),
            over: Condvar::new(),
        }
    }

    pub(super) fn begin(&self) {
        self.count().begun.fetch_add(1, Ordering::SeqCst);
    }

    /// It began before.
    pub(super) fn end(&self) {
        self.count().ended.fetch_add(1, Ordering::SeqCst);
    }

    /// True if there was something to do at some time during the call.
    pub(super) fn is_any(&self) -> bool {
        let sum = |of: fn(&Count) -> &AtomicU64| -> u64 {
            let counts = self.counts.iter();
            counts.map(|it| of(it).load(Ordering::SeqCst)).sum()
        };
        let ended = sum(|count| &count.ended);
        ended != sum(|count| &count.begun)
    }

    /// Blocks the thread while this holds; it is asked again after each [`tell`](Workload::tell).
    pub(super) fn wait_while(&self, mut holds: impl FnMut() -> bool) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while holds() {
            let waited = self.over.wait(guard);
            guard = waited.unwrap_or_else(PoisonError::into_inner);
        }
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// True if a thread waits.
    pub(super) fn is_awaited(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// Wakes those that wait.
    pub(super) fn tell(&self) {
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.over.notify_all();
    }

    fn count(&self) -> &Count {
        // One that a thread of another pool has as well is no harm.
        let number = pool::seat().map_or(0, |seat| 1 + seat);
        &self.counts[number % self.counts.len()]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    #[test]
    fn work_is_over_when_all_that_began_has_ended() {
        let workload = Workload::new(2);
        assert!(!workload.is_any());
        workload.begin();
        workload.begin();
        workload.end();
        assert!(workload.is_any());
        workload.end();
        assert!(!workload.is_any());
    }

    /// Each piece is handed on by who has one: there is always one until the last has ended.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "no engine runs")]
    fn while_work_is_handed_on_it_is_never_over() {
        let workload = Arc::new(Workload::new(2));
        workload.begin();
        let hands_on = |seat: usize| {
            let workload = Arc::clone(&workload);
            thread::spawn(move || {
                pool::sit(seat);
                workload.begin();
                for _ in 0..20_000 {
                    workload.begin();
                    workload.end();
                }
                workload.end();
            })
        };
        let threads = [0, 1].map(hands_on);
        while !threads.iter().all(thread::JoinHandle::is_finished) {
            assert!(workload.is_any());
        }
        workload.end();
        assert!(!workload.is_any());
    }
}
