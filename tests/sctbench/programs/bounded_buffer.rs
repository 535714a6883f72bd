//! A bounded buffer of the suite Inspect, whose `get` looks and takes in two critical sections.

use crate::program::{Program, require};
use crate::pthread::{Condition, Lock, join, start};
use crate::racy::RacyCell;

pub(super) const PROGRAMS: &[Program] = &[Program::buggy(
    "Inspect_benchmarks",
    "boundedBuffer",
    bounded_buffer,
)];

/// One place is always left free.
const SIZE: usize = 3;
/// The number of items that each producer puts, and each consumer gets.
const EACH: i32 = 4;

static LOCK: Lock = Lock::new();
static NOT_FULL: Condition = Condition::new();
static NOT_EMPTY: Condition = Condition::new();
static ITEMS: [RacyCell<i32>; SIZE] = [const { RacyCell::ordered(0) }; SIZE];
static HEAD: RacyCell<usize> = RacyCell::ordered(0);
static REAR: RacyCell<usize> = RacyCell::ordered(0);
static WAITING_PRODUCERS: RacyCell<usize> = RacyCell::ordered(0);
static WAITING_CONSUMERS: RacyCell<usize> = RacyCell::ordered(0);

/// Two producers and two consumers; a consumer finds the buffer empty that it has just seen filled.
fn bounded_buffer() {
    fn produce() {
        (0..EACH).for_each(put);
    }
    fn consume() {
        for _ in 0..EACH {
            get();
        }
    }
    join(start(&[produce, produce, consume, consume]));
}

fn is_empty() -> bool {
    HEAD.get() == REAR.get()
}

fn is_full() -> bool {
    (REAR.get() + 1) % SIZE == HEAD.get()
}

fn put(item: i32) {
    let mut guard = LOCK.lock();
    if is_full() {
        WAITING_PRODUCERS.update(|waiting| waiting + 1);
        while is_full() {
            guard = NOT_FULL.wait(guard);
        }
        WAITING_PRODUCERS.update(|waiting| waiting - 1);
    }
    let rear = REAR.get();
    ITEMS[rear].set(item);
    REAR.set((rear + 1) % SIZE);
    if WAITING_CONSUMERS.get() > 0 {
        NOT_EMPTY.signal();
    }
    drop(guard);
}

fn get() -> i32 {
    let mut guard = LOCK.lock();
    if is_empty() {
        WAITING_CONSUMERS.update(|waiting| waiting + 1);
        while is_empty() {
            guard = NOT_EMPTY.wait(guard);
        }
        WAITING_CONSUMERS.update(|waiting| waiting - 1);
    }
    drop(guard);
    let _guard = LOCK.lock();
    require(!is_empty());
    let head = HEAD.get();
    let item = ITEMS[head].get();
    HEAD.set((head + 1) % SIZE);
    if WAITING_PRODUCERS.get() > 0 {
        NOT_FULL.signal();
    }
    item
}
