//! Operations on atomics under weak memory: what a load may read, and what is before it then.
//!
//! [`super::history`] has the stores of one atomic. Here is what all have in common: the order of
//! sequentially consistent operations, and its fences.

use std::sync::atomic::Ordering;

use super::clock::{Clock, ThreadNumber};
use super::detector::{Detector, acquires, releases};
use super::history::{Act, History, Readable, Store};
use super::meeting::Meetings;

/// An atomic, as it is before an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// The key of its object.
    pub(crate) key: u64,
    /// How many bytes it has.
    pub(crate) size: usize,
    /// The value that it holds, as bits.
    pub(crate) value: u64,
}

/// A store that was read, and was not the latest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Older {
    pub(crate) value: u64,
    /// The step that made it; none for the value before the first store, and if nobody records.
    pub(crate) step: Option<u32>,
}

/// After so many nanoseconds by the program's clock a store is seen by all: [intro.progress] 18 has it that
/// this takes a finite time, and to a processor ten microseconds are long.
const SEEN_AFTER: u64 = 10_000;

/// All atomics of an iteration.
#[derive(Debug, Default)]
pub(super) struct Atomics {
    histories: Meetings<History>,
    /// The sequentially consistent fences so far.
    fences: Vec<Fence>,
    /// All that is before one of them.
    covered: Clock,
    /// Counts operations.
    time: u64,
    /// The moment of the operation at hand by the program's clock, in nanoseconds.
    now: u64,
}

/// A sequentially consistent fence.
#[derive(Debug)]
struct Fence {
    by: ThreadNumber,
    /// That thread's own count.
    count: u32,
    time: u64,
    /// All that is before this fence or an earlier one.
    covered: Clock,
}

impl Atomics {
    /// No operation has been made.
    pub(super) fn begin(&mut self) {
        self.histories.begin();
        self.fences.clear();
        self.covered = Clock::default();
        self.time = 0;
        self.now = 0;
    }

    /// A thread with this clock passes a sequentially consistent fence.
    fn fence(&mut self, by: ThreadNumber, clock: &Clock) {
        self.time += 1;
        self.covered.join(clock);
        self.fences.push(Fence {
            by,
            count: clock.at(by),
            time: self.time,
            covered: self.covered.clone(),
        });
    }

    /// Whether a load must know of an act: it happens before the load, was long ago, or else would come after
    /// it in the order of what is sequentially consistent, by [atomics.order] 4.
    fn knows<'a>(&'a self, clock: &'a Clock, order: Ordering) -> impl Fn(&Act) -> bool + 'a {
        let passed = self.fences.iter().rev();
        let fence = passed
            .clone()
            .find(|fence| fence.count <= clock.at(fence.by));
        let is_before = |act: &Act, clock: &Clock| act.count <= clock.at(act.by);
        let is_sequential = order == Ordering::SeqCst;
        move |act: &Act| {
            is_before(act, clock)
                || act.moment.saturating_add(SEEN_AFTER) <= self.now
                || is_sequential && (act.is_sequential || is_before(act, &self.covered))
                || fence.is_some_and(|fence| {
                    act.is_sequential && act.time < fence.time || is_before(act, &fence.covered)
                })
        }
    }
}

impl Detector {
    /// The operations that follow are at this moment by the program's clock, in nanoseconds.
    pub(crate) fn set_moment(&mut self, now: u64) {
        self.atomics.now = now;
    }

    /// The stores that the thread may read from this atomic, of those whose value is not `but`.
    pub(crate) fn readable(
        &mut self,
        number: ThreadNumber,
        cell: Cell,
        order: Ordering,
        but: Option<u64>,
    ) -> Readable {
        self.atomics
            .histories
            .get_or_make(cell.key)
            .look(cell.size, cell.value);
        let clock = &self.threads[usize::from(number)].clock;
        let knows = self.atomics.knows(clock, order);
        let history = self.atomics.histories.get(cell.key);
        let history = history.expect("it was made");
        history.readable(number, knows, |value| but != Some(value))
    }

    /// The thread loads from this atomic: the latest store for 0 as `back`, or an older one of those that it
    /// [may read](Detector::readable).
    pub(crate) fn load_from(
        &mut self,
        number: ThreadNumber,
        (cell, order): (Cell, Ordering),
        (back, but): (u32, Option<u64>),
    ) -> Option<Older> {
        let act = self.act(number, order);
        let history = self.atomics.histories.get_or_make(cell.key);
        history.look(cell.size, cell.value);
        let place = history.place(back, |value| but != Some(value));
        history.read(Act { place, ..act });
        let store = history.at(place);
        let thread = &mut self.threads[usize::from(number)];
        if acquires(order) {
            thread.clock.join(&store.left);
        } else {
            thread.read.join(&store.left);
        }
        (place != history.latest()).then_some(Older {
            value: store.value,
            step: store.step,
        })
    }

    /// The thread stores to this atomic. An operation that replaces the value `reads` it.
    pub(crate) fn store_to(
        &mut self,
        number: ThreadNumber,
        (cell, order, reads): (Cell, Ordering, bool),
        (value, step): (u64, Option<u32>),
    ) {
        if reads {
            self.load_from(number, (cell, order), (0, None));
        }
        let act = self.act(number, order);
        let thread = &self.threads[usize::from(number)];
        let own = if releases(order) {
            &thread.clock
        } else {
            &thread.fenced
        };
        let mut left = own.clone();
        let history = self.atomics.histories.get_or_make(cell.key);
        history.look(cell.size, cell.value);
        if reads {
            // The release sequence goes on.
            left.join(&history.at(history.latest()).left);
        }
        history.store(Store { value, left, step }, act);
        if releases(order) {
            self.advance(number);
        }
    }

    /// The thread passes a fence, in an iteration with weak memory.
    pub(crate) fn pass_fence(&mut self, number: ThreadNumber, order: Ordering) {
        if acquires(order) {
            self.fence(number, Ordering::Acquire);
        }
        if order == Ordering::SeqCst {
            let clock = &self.threads[usize::from(number)].clock;
            self.atomics.fence(number, clock);
        }
        if releases(order) {
            self.fence(number, Ordering::Release);
        }
    }

    /// An operation of the thread, now, on a store that is not known yet.
    fn act(&mut self, number: ThreadNumber, order: Ordering) -> Act {
        self.atomics.time += 1;
        Act {
            by: number,
            count: self.threads[usize::from(number)].clock.at(number),
            time: self.atomics.time,
            moment: self.atomics.now,
            is_sequential: order == Ordering::SeqCst,
            place: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::detector::{Accessed, Way};
    use super::*;

    /// The engine may clone a waker in between, say.
    #[test]
    fn a_release_sequence_goes_on_over_a_value_that_nobody_is_seen_to_store() {
        let mut detector = Detector::new().expect("there is address space");
        detector.begin();
        let other = detector.fork(0);
        let (memory, cell) = ((0x2000_0000_0000, 8), |value| Cell {
            key: 1,
            size: 8,
            value,
        });
        detector.access(other, memory, Way::Write, 0);
        detector.store_to(other, (cell(0), Ordering::Release, false), (5, None));
        detector.load_from(0, (cell(6), Ordering::Acquire), (0, None));
        let read = detector.access(0, memory, Way::Read, 0);
        assert!(matches!(read, Accessed::Kept(_)), "{read:?}");
    }
}
