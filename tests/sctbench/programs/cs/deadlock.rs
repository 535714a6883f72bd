//! Threads that wait for each other, or for what nobody will do.

use std::mem;

use crate::pthread::{Condition, Lock, join, start};
use crate::racy::RacyCell;

static A: Lock = Lock::new();
static B: Lock = Lock::new();

/// Two locks, taken in either order.
pub(in crate::programs) fn deadlock01() {
    static COUNTER: RacyCell<i32> = RacyCell::ordered(1);
    fn upwards() {
        let a = A.lock();
        let b = B.lock();
        COUNTER.update(|counter| counter + 1);
        drop(b);
        drop(a);
    }
    fn downwards() {
        let b = B.lock();
        let a = A.lock();
        COUNTER.update(|counter| counter - 1);
        drop(a);
        drop(b);
    }
    join(start(&[upwards, downwards]));
}

/// Each class of workers takes the resource with its first member and gives it back with its last. The
/// count is under a lock that is still held while the resource is waited for: whoever has the resource
/// cannot give it back.
pub(in crate::programs) fn carter01() {
    static COUNTS: Lock = Lock::new();
    static RESOURCE: Lock = Lock::new();
    static MEMBERS: [RacyCell<i32>; 2] = [const { RacyCell::ordered(0) }; 2];
    fn work(class: usize) {
        let mut resource = None;
        {
            let _counts = COUNTS.lock();
            if MEMBERS[class].update(|members| members + 1) == 1 {
                resource = Some(RESOURCE.lock());
            }
        }
        let _counts = COUNTS.lock();
        if MEMBERS[class].update(|members| members - 1) == 0 {
            drop(resource);
        }
    }
    fn idle() {}
    join(start(&[|| work(0), || work(1), idle, idle]));
}

/// Each thread ends with a lock that it never releases, in every schedule.
pub(super) fn phase01() {
    fn phases() {
        drop(A.lock());
        mem::forget(A.lock());
        drop(B.lock());
        drop(B.lock());
    }
    join(start(&[phases, phases]));
}

/// The same with all of them released.
pub(super) fn phase01_ok() {
    fn phases() {
        drop(A.lock());
        drop(A.lock());
        drop(B.lock());
        drop(B.lock());
    }
    join(start(&[phases, phases]));
}

static LOCK: Lock = Lock::new();
static EMPTY: Condition = Condition::new();
static FULL: Condition = Condition::new();
/// How many things are there.
static STOCK: RacyCell<i32> = RacyCell::ordered(0);

fn produce(count: usize) {
    for _ in 0..count {
        let mut guard = LOCK.lock();
        while STOCK.get() > 0 {
            guard = EMPTY.wait(guard);
        }
        STOCK.update(|stock| stock + 1);
        drop(guard);
        FULL.signal();
    }
}

fn consume(count: usize) {
    for _ in 0..count {
        let mut guard = LOCK.lock();
        while STOCK.get() == 0 {
            guard = FULL.wait(guard);
        }
        STOCK.update(|stock| stock - 1);
        drop(guard);
        EMPTY.signal();
    }
}

/// The consumer signals and takes nothing: the producer waits in every schedule.
pub(super) fn sync01() {
    fn look() {
        let mut guard = LOCK.lock();
        while STOCK.get() == 0 {
            guard = FULL.wait(guard);
        }
        drop(guard);
        EMPTY.signal();
    }
    STOCK.set(1);
    join(start(&[|| produce(1), look]));
}

pub(super) fn sync01_ok() {
    join(start(&[|| produce(1), || consume(1)]));
}

/// More is there from the start than is ever taken: the producer waits in every schedule.
pub(super) fn sync02() {
    STOCK.set(2);
    join(start(&[|| produce(2), || consume(2)]));
}

pub(super) fn sync02_ok() {
    join(start(&[|| produce(20), || consume(20)]));
}
