//! Inspect's benchmarks: a parallel quicksort with its pool of threads, and a tracing library.

use std::cmp::Ordering;
use std::sync::Arc;

use cct_shims::std::sync::{Condvar, Mutex, MutexGuard};

use super::flavour::Flavour::{self, Buggy, Fixed};
use super::threads::{join, start};
use crate::heap::Pointer;
use crate::program::{Program, require};
use crate::racy::RacyCell;

const SUITE: &str = "Inspect_benchmarks";

pub(crate) const PROGRAMS: &[Program] = &[
    Program::buggy(SUITE, "qsort_mt", || sort(Buggy)),
    Program::buggy(SUITE, "ctrace-test", || trace(Buggy)),
    Program::clean(SUITE, "qsort_mt_ok", || sort(Fixed)),
    Program::clean(SUITE, "ctrace_ok", || trace(Fixed)),
];

/// `qsort_mt`: a thread is told to work before it is told on what, and may begin in between.
///
/// Main hands 32 elements to the first of two pool threads. A thread that has partitioned its range takes
/// an idle one from the pool, under the pool's lock, for the left part: it sets that one's state to
/// [`WORK`], locks it, and only then writes the range. A thread that comes to look at its state after the
/// first and before the last of these sorts its old range, is idle again, and the new one stays unsorted.
/// Racy: a thread's state and range.
fn sort(flavour: Flavour) {
    let pool = Arc::new(Pool {
        flavour,
        lock: Mutex::new(()),
        idle: RacyCell::ordered(2),
        threads: [(); 2].map(|()| PoolThread {
            state: RacyCell::new(IDLE),
            start: RacyCell::new(0),
            length: RacyCell::new(0),
            lock: Mutex::new(()),
            changed: Condvar::new(),
        }),
        elements: shuffled().map(RacyCell::ordered).collect(),
    });
    let threads = [0, 1].map(|index| start(&pool, move |pool| pool.serve(&pool.threads[index])));
    {
        let first = &pool.threads[0];
        let _guard = first.lock.lock().unwrap();
        first.start.set(0);
        first.length.set(ELEMENTS);
        first.state.set(WORK);
        pool.idle.update(|idle| idle - 1);
        first.changed.notify_one();
    }
    join(threads);
    let sorted: Vec<u32> = pool.elements.iter().map(RacyCell::get).collect();
    require(sorted.is_sorted());
}

const ELEMENTS: usize = 32;
/// Parts of more elements than this are worth a thread.
const FORK: usize = 4;
/// Ranges of fewer elements are sorted by insertion.
const SMALL: usize = 7;

/// The work of a thread of the pool: wait, sort its range, or end.
const IDLE: u8 = 0;
const WORK: u8 = 1;
const END: u8 = 2;

struct Pool {
    flavour: Flavour,
    /// For taking threads from the pool, and for `idle`.
    lock: Mutex<()>,
    idle: RacyCell<usize>,
    threads: [PoolThread; 2],
    elements: Vec<RacyCell<u32>>,
}

struct PoolThread {
    state: RacyCell<u8>,
    start: RacyCell<usize>,
    length: RacyCell<usize>,
    lock: Mutex<()>,
    changed: Condvar,
}

/// The numbers of a linear congruential generator.
fn shuffled() -> impl Iterator<Item = u32> {
    let step = |seed: &u32| Some(seed.wrapping_mul(1_103_515_245).wrapping_add(12_345));
    let numbers = std::iter::successors(Some(1), step);
    numbers.skip(1).map(|number| number >> 16).take(ELEMENTS)
}

impl Pool {
    /// The loop of a thread of the pool, until all are idle.
    fn serve(&self, me: &PoolThread) {
        loop {
            let mut guard = me.lock.lock().unwrap();
            while me.state.get() == IDLE {
                guard = me.changed.wait(guard).unwrap();
            }
            drop(guard);
            if me.state.get() == END {
                return;
            }
            require(me.state.get() == WORK);
            self.sort(me);
            let _guard = self.lock.lock().unwrap();
            me.state.set(IDLE);
            if self.idle.update(|idle| idle + 1) == self.threads.len() {
                return self.end_others(me);
            }
        }
    }

    fn end_others(&self, me: &PoolThread) {
        for other in &self.threads {
            if !std::ptr::eq(other, me) {
                let _guard = other.lock.lock().unwrap();
                other.state.set(END);
                other.changed.notify_one();
            }
        }
    }

    /// Sorts the thread's range.
    fn sort(&self, me: &PoolThread) {
        let (mut start, mut length) = (me.start.get(), me.length.get());
        while length >= SMALL {
            let (left, right) = self.partition(start, length);
            let can_share = left > FORK && right > FORK;
            if can_share && let Some((other, _guard)) = self.take_idle() {
                other.start.set(start);
                other.length.set(left);
                other.changed.notify_one();
            } else if left > 0 {
                me.start.set(start);
                me.length.set(left);
                self.sort(me);
            }
            start += length - right;
            length = right;
        }
        self.insert(start, length);
    }

    /// An idle thread, now to work, with its lock held.
    fn take_idle(&self) -> Option<(&PoolThread, MutexGuard<'_, ()>)> {
        let _guard = self.lock.lock().unwrap();
        let thread = self
            .threads
            .iter()
            .find(|thread| thread.state.get() == IDLE)?;
        self.idle.update(|idle| idle - 1);
        if self.flavour.is_fixed() {
            let guard = thread.lock.lock().unwrap();
            thread.state.set(WORK);
            Some((thread, guard))
        } else {
            thread.state.set(WORK);
            Some((thread, thread.lock.lock().unwrap()))
        }
    }

    /// Puts what is less than the middle element before, and what is more behind what equals it; how many
    /// these are.
    fn partition(&self, start: usize, length: usize) -> (usize, usize) {
        let pivot = self.elements[start + length / 2].get();
        let (mut less, mut next, mut more) = (start, start, start + length);
        while next < more {
            let element = self.elements[next].get();
            match element.cmp(&pivot) {
                Ordering::Less => {
                    self.swap(less, next);
                    less += 1;
                    next += 1;
                }
                Ordering::Equal => next += 1,
                Ordering::Greater => {
                    more -= 1;
                    self.swap(next, more);
                }
            }
        }
        (less - start, start + length - more)
    }

    fn insert(&self, start: usize, length: usize) {
        for end in start + 1..start + length {
            let mut at = end;
            while at > start && self.elements[at - 1].get() > self.elements[at].get() {
                self.swap(at - 1, at);
                at -= 1;
            }
        }
    }

    fn swap(&self, left: usize, right: usize) {
        let element = self.elements[left].get();
        self.elements[left].set(self.elements[right].get());
        self.elements[right].set(element);
    }
}

/// `ctrace`: tracing is ended, and its table of threads freed, by one thread while others record.
///
/// Main and one thread record lines; another ends tracing, without the lock under which the table is
/// read. Racy: the flag that tracing is on, and the table. In the original the table is used again after
/// the end in every schedule; here it is only by those who saw the flag before. Use after free.
fn trace(flavour: Flavour) {
    struct Tracer {
        flavour: Flavour,
        lock: Mutex<()>,
        is_on: RacyCell<bool>,
        lines: RacyCell<Pointer<RacyCell<u32>>>,
    }
    fn record(tracer: &Tracer) {
        if tracer.is_on.get() {
            let _guard = tracer.lock.lock().unwrap();
            let lines = tracer.lines.get();
            if !lines.is_null() {
                lines.get().update(|lines| lines + 1);
            }
        }
    }
    fn end(tracer: &Tracer) {
        tracer.is_on.set(false);
        let _guard = tracer.flavour.lock_if_fixed(&tracer.lock);
        tracer.lines.get().free();
        if tracer.flavour.is_fixed() {
            tracer.lines.set(Pointer::NULL);
        }
    }
    let tracer = Arc::new(Tracer {
        flavour,
        lock: Mutex::new(()),
        is_on: RacyCell::new(true),
        lines: RacyCell::new(Pointer::allocate(RacyCell::ordered(0))),
    });
    let threads = [end, record].map(|body| start(&tracer, body));
    record(&tracer);
    record(&tracer);
    join(threads);
}
