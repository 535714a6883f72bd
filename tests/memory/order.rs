//! Happens-before of C++20, kept as sets of accesses: each thread knows which accesses are before all that it
//! does from here on.

use std::sync::atomic::Ordering;

use crate::memory::program::{Part, Place};

/// All that is before something.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Known {
    /// The accesses, a bit for each.
    accesses: u128,
    /// Of each atomic the number of the store that is read at least; 0 where memory is not weak.
    oldest: [usize; 2],
}

impl Known {
    pub(crate) fn join(&mut self, other: Known) {
        self.accesses |= other.accesses;
        for (mine, theirs) in self.oldest.iter_mut().zip(other.oldest) {
            *mine = theirs.max(*mine);
        }
    }
}

/// The most accesses of a thread.
const MOST: usize = 32;

/// A part of memory that a thread has accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Access {
    pub(crate) place: Place,
    pub(crate) part: Part,
    pub(crate) writes: bool,
    pub(crate) is_atomic: bool,
    /// The number of its operation.
    pub(crate) op: usize,
}

impl Access {
    fn conflicts(&self, other: &Access) -> bool {
        let overlap =
            self.part == other.part || self.part == Part::Whole || other.part == Part::Whole;
        self.place == other.place
            && overlap
            && (self.writes || other.writes)
            && !(self.is_atomic && other.is_atomic)
    }
}

/// The share of a thread in the order.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct View {
    /// All that is before what comes now.
    pub(crate) known: Known,
    /// All that was known at the last release fence.
    released: Known,
    /// All that an acquire fence makes known.
    pending: Known,
    accesses: Vec<Access>,
}

/// A store to an atomic, or to a count the last one: the value, and what those know who acquire it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Atomic {
    pub(crate) value: u64,
    published: Known,
}

impl Atomic {
    /// One whose value nobody has published.
    pub(crate) fn of(value: u64) -> Atomic {
        Atomic {
            value,
            published: Known::default(),
        }
    }
}

fn acquires(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst
    )
}

fn releases(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Release | Ordering::AcqRel | Ordering::SeqCst
    )
}

impl View {
    /// The number of the first store to the atomic that a load may read.
    pub(crate) fn oldest(&self, atomic: usize) -> usize {
        self.known.oldest[atomic]
    }

    /// The thread reads or makes a store to the atomic, and none that is older from here on.
    pub(crate) fn comes_upon(&mut self, atomic: usize, store: usize) {
        let oldest = &mut self.known.oldest[atomic];
        *oldest = store.max(*oldest);
    }

    pub(crate) fn load(&mut self, atomic: &Atomic, order: Ordering) {
        self.pending.join(atomic.published);
        if acquires(order) {
            self.known.join(atomic.published);
        }
    }

    /// Begins a release sequence, or one of nothing.
    pub(crate) fn store(&self, atomic: &mut Atomic, value: u64, order: Ordering) {
        *atomic = Atomic {
            value,
            published: self.publishes(order),
        };
    }

    /// Goes on with the release sequence that is there.
    pub(crate) fn replace(&mut self, atomic: &mut Atomic, value: u64, order: Ordering) {
        self.load(atomic, order);
        atomic.published.join(self.publishes(order));
        atomic.value = value;
    }

    fn publishes(&self, order: Ordering) -> Known {
        if releases(order) {
            self.known
        } else {
            self.released
        }
    }

    pub(crate) fn fence(&mut self, order: Ordering) {
        if acquires(order) {
            self.known.join(self.pending);
        }
        if releases(order) {
            self.released = self.known;
        }
    }
}

/// Adds an access by a thread; returns the operations of others that race with it.
pub(crate) fn access(views: &mut [&mut View], thread: usize, access: Access) -> Vec<usize> {
    let known = views[thread].known.accesses;
    let mut racing = Vec::new();
    for (other, view) in views.iter().enumerate() {
        for (index, earlier) in view.accesses.iter().enumerate() {
            let is_before = other == thread || known >> (other * MOST + index) & 1 != 0;
            if !is_before && access.conflicts(earlier) {
                racing.push(earlier.op);
            }
        }
    }
    let index = views[thread].accesses.len();
    assert!(index < MOST, "a thread has too many accesses");
    views[thread].known.accesses |= 1 << (thread * MOST + index);
    views[thread].accesses.push(access);
    racing
}
