//! Controls that are not the repaired twin of a buggy program.

use crate::program::require;
use crate::pthread::{Condition, Lock, join, start, start_many};
use crate::racy::RacyCell;

static LOCK: Lock = Lock::new();
static DATA: RacyCell<i32> = RacyCell::ordered(0);

/// Two producers and two consumers with room for one thing. A consumer looks only once before it takes,
/// so that the stock can become negative; everybody finishes all the same.
pub(super) fn fanger01() {
    const EACH: usize = 3;
    static FULL: Condition = Condition::new();
    static EMPTY: Condition = Condition::new();
    fn produce() {
        for _ in 0..EACH {
            let mut guard = LOCK.lock();
            while DATA.get() == 1 {
                guard = FULL.wait(guard);
            }
            EMPTY.signal();
            DATA.update(|stock| stock + 1);
        }
    }
    fn consume() {
        for _ in 0..EACH {
            let mut guard = LOCK.lock();
            if DATA.get() == 0 {
                guard = EMPTY.wait(guard);
            }
            FULL.signal();
            DATA.update(|stock| stock - 1);
            drop(guard);
        }
    }
    join(start(&[produce, consume, produce, consume]));
}

/// Thirteen threads put four words each into a hash table with a lock for each place. Their numbers
/// reach them through one variable, so that some may share one.
pub(super) fn indexer() {
    const PLACES: usize = 128;
    const WORDS: usize = 4;
    const THREADS: usize = 13;
    static LOCKS: [Lock; PLACES] = [const { Lock::new() }; PLACES];
    static TABLE: [RacyCell<usize>; PLACES] = [const { RacyCell::ordered(0) }; PLACES];
    static NUMBER: RacyCell<usize> = RacyCell::new(0);
    fn put_if_free(place: usize, word: usize) -> bool {
        let _guard = LOCKS[place].lock();
        let is_free = TABLE[place].get() == 0;
        if is_free {
            TABLE[place].set(word);
        }
        is_free
    }
    fn index() {
        let thread = NUMBER.get();
        for count in 1..=WORDS {
            let word = count * 11 + thread;
            let mut place = word * 7 % PLACES;
            while !put_if_free(place, word) {
                place = (place + 1) % PLACES;
            }
        }
    }
    let mut threads = Vec::new();
    for number in 0..THREADS {
        NUMBER.set(number);
        threads.extend(start(&[index]));
    }
    join(threads);
}

/// Threads increment one plain variable a hundred times each; it never falls below one. Nobody is joined.
pub(super) fn micro(threads: usize) {
    static COUNTER: RacyCell<i32> = RacyCell::new(0);
    fn increment() {
        for _ in 0..100 {
            COUNTER.update(|counter| counter + 1);
        }
        require(COUNTER.get() > 0);
    }
    start_many(threads, increment);
}

/// Two variables under one lock, each section one of them.
pub(super) fn stateful01() {
    static OTHER: RacyCell<i32> = RacyCell::ordered(10);
    fn section(data: &RacyCell<i32>, by: i32) {
        let _guard = LOCK.lock();
        data.update(|data| data + by);
    }
    fn up() {
        section(&DATA, 1);
        section(&OTHER, 1);
    }
    fn down() {
        section(&DATA, 5);
        section(&OTHER, -6);
    }
    DATA.set(10);
    join(start(&[up, down]));
}

/// Adds fives.
fn add_fives(times: i32) {
    for _ in 0..times {
        let _guard = LOCK.lock();
        DATA.update(|data| data + 5);
    }
}

/// Adds 0, 1, 2, …: what has been added is a triangular number, which never leaves 2 when divided by 5.
fn add_up(times: i32) {
    for number in 0..times {
        let _guard = LOCK.lock();
        DATA.update(|data| data + number);
        require(DATA.get() % 5 != 2);
    }
}

pub(super) fn stateful06() {
    DATA.set(10);
    join(start(&[|| add_fives(19), || add_up(19)]));
}

/// The last thread is not joined.
pub(super) fn stateful20() {
    DATA.set(10);
    let threads = start(&[|| add_fives(20), || add_up(20), || add_fives(20)]);
    join(threads.into_iter().take(2));
}
