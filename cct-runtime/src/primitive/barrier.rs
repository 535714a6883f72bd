//! The machine of `Barrier`.

use std::panic::Location;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::futex;
use super::update::Update as _;
use crate::engine::{self, NEVER};
use crate::object::ObjectId;
use crate::operation::Operation;

/// How many have arrived, and in which round.
#[derive(Debug)]
pub struct BarrierMachine {
    /// The round in the upper half, the number of arrivals in the lower: they change together.
    state: AtomicU64,
    /// Counts the rounds that ended, for native threads to sleep on.
    ended: AtomicU32,
    /// How many native threads sleep.
    natives: AtomicU32,
    size: usize,
}

const ARRIVALS: u64 = u32::MAX as u64;
const ROUND: u64 = ARRIVALS + 1;

impl BarrierMachine {
    /// A barrier for this many; for 0 as for 1.
    pub const fn new(size: usize) -> BarrierMachine {
        BarrierMachine {
            state: AtomicU64::new(0),
            ended: AtomicU32::new(0),
            natives: AtomicU32::new(0),
            size,
        }
    }

    /// Waits for the others of the round; true for the one that came last.
    #[track_caller]
    pub fn wait(&self) -> bool {
        let site = Location::caller();
        let controlled = engine::is_controlled();
        if controlled {
            engine::point_at(Operation::BarrierWait, self.object(), site).done();
        }
        engine::release(self.object());
        let before = self.arrive();
        if self.is_last(before) {
            self.release();
            engine::acquire(self.object());
            return true;
        }
        let same_round = || self.state.load(Ordering::Acquire) & !ARRIVALS == before & !ARRIVALS;
        if controlled {
            while same_round() {
                engine::wait_at(Operation::BarrierWait, self.object(), NEVER, None, site);
            }
        } else {
            self.sleep_while(same_round);
        }
        engine::acquire(self.object());
        false
    }

    /// Counts an arrival, the last one by beginning the next round; returns the state before.
    fn arrive(&self) -> u64 {
        self.state
            .replace_with(Ordering::AcqRel, Ordering::Acquire, |state| {
                if self.is_last(state) {
                    (state & !ARRIVALS).wrapping_add(ROUND)
                } else {
                    state + 1
                }
            })
    }

    fn is_last(&self, before: u64) -> bool {
        (before & ARRIVALS) + 1 >= self.size as u64
    }

    fn release(&self) {
        self.ended.fetch_add(1, Ordering::SeqCst);
        if self.natives.load(Ordering::SeqCst) > 0 {
            futex::wake_all(&self.ended);
        }
        engine::wake_all(self.object());
    }

    fn sleep_while(&self, same_round: impl Fn() -> bool) {
        self.natives.fetch_add(1, Ordering::SeqCst);
        loop {
            let ended = self.ended.load(Ordering::SeqCst);
            if !same_round() {
                break;
            }
            futex::wait(&self.ended, ended, None);
        }
        self.natives.fetch_sub(1, Ordering::SeqCst);
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(self)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// The arrivals of a barrier of this size, as whether each is the last of its round.
    fn arrivals(size: usize, count: usize) -> Vec<bool> {
        let barrier = BarrierMachine::new(size);
        let arrive = |_| barrier.is_last(barrier.arrive());
        (0..count).map(arrive).collect()
    }

    #[test]
    fn the_last_of_each_round_is_told_so() {
        for size in [0, 1] {
            assert_eq!(arrivals(size, 3), [true; 3]);
        }
        let round = [false, false, true];
        assert_eq!(arrivals(3, 6), [round, round].concat());
    }

    #[test]
    fn a_round_begins_with_nobody() {
        let barrier = BarrierMachine::new(2);
        let states = [0; 5].map(|_| barrier.arrive());
        assert_eq!(states, [0, 1, ROUND, ROUND + 1, 2 * ROUND]);
        // Rounds are told apart, and nothing else is.
        barrier.state.store(!ARRIVALS, Ordering::Relaxed);
        assert!(!barrier.is_last(barrier.arrive()));
        assert!(barrier.is_last(barrier.arrive()));
        assert_eq!(barrier.state.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn nobody_leaves_before_all_have_come() {
        const THREADS: u32 = 3;
        let (barrier, come) = (BarrierMachine::new(THREADS as usize), AtomicU32::new(0));
        let leaders = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    for round in 1..=50 {
                        come.fetch_add(1, Ordering::SeqCst);
                        let is_leader = barrier.wait();
                        assert!(come.load(Ordering::SeqCst) >= round * THREADS);
                        leaders.fetch_add(is_leader.into(), Ordering::SeqCst);
                        barrier.wait();
                    }
                });
            }
        });
        assert_eq!(leaders.into_inner(), 50);
    }
}
