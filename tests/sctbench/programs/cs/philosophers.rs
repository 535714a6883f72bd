//! Philosophers who take both forks under one global lock, so that they cannot wait for each other. The
//! buggy ones claim that not all of them finish.

use cct_shims::std::thread;

use crate::program::require;
use crate::pthread::{Lock, join};
use crate::racy::RacyCell;

const MOST: usize = 7;
static ATOMIC: Lock = Lock::new();
static FORKS: [Lock; MOST] = [const { Lock::new() }; MOST];

fn eat(philosopher: usize, of: usize) {
    let _atomic = ATOMIC.lock();
    let right = FORKS[(philosopher + 1) % of].lock();
    let left = FORKS[philosopher].lock();
    drop(left);
    drop(right);
}

fn philosophers(count: usize, then: fn(usize)) {
    let live = |philosopher| {
        thread::spawn(move || {
            eat(philosopher, count);
            then(count);
        })
    };
    let philosophers: Vec<_> = (0..count).map(live).collect();
    join(philosophers);
}

/// They only eat.
pub(super) fn dine(count: usize) {
    philosophers(count, |_| {});
}

/// They count themselves without a lock: two to four of them.
pub(super) fn count_racily(count: usize) {
    static FINISHED: RacyCell<usize> = RacyCell::new(0);
    philosophers(count, |all| {
        FINISHED.update(|finished| finished + 1);
        require(FINISHED.get() != all);
    });
}

/// They count themselves under the global lock: five to seven of them.
pub(super) fn count_locked(count: usize) {
    static FINISHED: RacyCell<usize> = RacyCell::ordered(0);
    philosophers(count, |all| {
        let _atomic = ATOMIC.lock();
        FINISHED.update(|finished| finished + 1);
        require(FINISHED.get() != all);
    });
}
