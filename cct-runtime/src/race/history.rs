//! The stores that a load of an atomic may still read from: weak memory.
//!
//! Each atomic has its stores in the order in which they were made, which is its modification order. A load
//! may read any of them that coherence and happens-before leave it, as C++20 has it ([intro.races] and
//! [atomics.order]): none before one that it must know of. The total order of sequentially consistent
//! operations is that in which they were made. So all that is done here is allowed; what would need a store
//! to come before one that was made earlier, or a load to read what is stored later, is not done: the
//! fragment of Lidbury and Donaldson (Dynamic Race Detection for C++11, POPL 2017).

use super::clock::{Clock, ThreadNumber};
use super::meeting::Left;

/// How many stores of an atomic are kept.
const KEPT: usize = 16;
/// How many acts are kept before those are dropped that matter no more.
const ACTS: usize = 64;
/// How many times in a row a thread may read something else than the latest store, so that loops end.
const STALE_LOOKS: u8 = 2;

/// The stores of one atomic, and who knows of them.
#[derive(Debug, Default)]
pub(super) struct History {
    size: usize,
    /// The place in the modification order of the first that is kept.
    first: u32,
    stores: Vec<Store>,
    acts: Vec<Act>,
    /// How many times each thread has not read the latest store, if it did so the last time.
    stale: Vec<(ThreadNumber, u8)>,
}

/// A store, or the value that was there before all that is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    pub(super) value: u64,
    /// All that is before what comes after an acquire of it.
    pub(super) left: Clock,
    /// The step that made it, if somebody records.
    pub(super) step: Option<u32>,
}

/// An operation on the atomic, by which others may come to know of a store.
#[derive(Clone, Copy, Debug)]
pub(super) struct Act {
    pub(super) by: ThreadNumber,
    /// That thread's own count.
    pub(super) count: u32,
    /// The operations before it, as [`super::weak::Atomics`] counts them.
    pub(super) time: u64,
    /// The moment by the program's clock, in nanoseconds.
    pub(super) moment: u64,
    pub(super) is_sequential: bool,
    /// The place in the modification order of what it stored or read.
    pub(super) place: u32,
}

/// The stores that a load may read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Readable {
    /// How many there are beside the latest.
    pub(crate) older: u32,
    /// There would be more, but for what is kept, and how often a thread may read what is not the latest.
    pub(crate) is_cut: bool,
}

impl History {
    /// The atomic has this size and value now, before the operation at hand. If that is not what was stored
    /// last, it is another atomic, or was written to in another way, by somebody who had it alone; or by an
    /// operation that was not seen, as when the engine clones a waker: its release sequence may go on.
    pub(super) fn look(&mut self, size: usize, value: u64) {
        let last = self.stores.last().filter(|_| self.size == size);
        if last.is_some_and(|it| it.value == value) {
            return;
        }
        let left = last.map_or_else(Clock::default, |it| it.left.clone());
        self.clear();
        self.size = size;
        self.stores.push(Store {
            value,
            left,
            step: None,
        });
    }

    /// The stores that may be read by somebody who knows of these acts, and whose value `counts`.
    pub(super) fn readable(
        &self,
        reader: ThreadNumber,
        knows: impl Fn(&Act) -> bool,
        counts: impl Fn(u64) -> bool,
    ) -> Readable {
        let before = self.acts.iter().filter(|&act| knows(act));
        let floor = before.map(|act| act.place).max().unwrap_or(0);
        let is_cut = floor < self.first;
        let from = floor.saturating_sub(self.first) as usize;
        let latest = self.stores.len() - 1;
        let older = self.stores[from..latest].iter();
        let older = older.filter(|store| counts(store.value)).count() as u32;
        let mut stale = self.stale.iter();
        let is_over = stale.any(|&(thread, times)| thread == reader && times >= STALE_LOOKS);
        Readable {
            older: if is_over { 0 } else { older },
            is_cut: is_cut || is_over && older > 0,
        }
    }

    /// The place of the store that is so many before the latest, among those whose value counts; the latest
    /// for 0.
    pub(super) fn place(&self, back: u32, counts: impl Fn(u64) -> bool) -> u32 {
        let latest = self.stores.len() - 1;
        let mut older = (0..latest)
            .rev()
            .filter(|&at| counts(self.stores[at].value));
        let at = back
            .checked_sub(1)
            .and_then(|skipped| older.nth(skipped as usize));
        self.first + at.unwrap_or(latest) as u32
    }

    /// The store at this place, which is kept.
    pub(super) fn at(&self, place: u32) -> &Store {
        &self.stores[(place - self.first) as usize]
    }

    /// The last store's place.
    pub(super) fn latest(&self) -> u32 {
        self.first + self.stores.len() as u32 - 1
    }

    /// The thread reads the store at this place.
    pub(super) fn read(&mut self, act: Act) {
        let is_latest = act.place == self.latest();
        let entry = self.stale.iter_mut().find(|entry| entry.0 == act.by);
        match entry {
            Some(entry) if is_latest => entry.1 = 0,
            Some(entry) => entry.1 += 1,
            None if is_latest => {}
            None => self.stale.push((act.by, 1)),
        }
        self.add(act);
    }

    /// The thread stores this; the act has another place yet.
    pub(super) fn store(&mut self, store: Store, act: Act) {
        if self.stores.len() == KEPT {
            self.stores.remove(0);
            self.first += 1;
        }
        self.stores.push(store);
        let place = self.latest();
        self.add(Act { place, ..act });
    }

    fn add(&mut self, act: Act) {
        // To know of the new one is to know of such a one.
        let says_it = |other: &Act| {
            (other.by, other.place) == (act.by, act.place)
                && other.count <= act.count
                && (other.is_sequential || !act.is_sequential)
        };
        if self.acts.iter().any(says_it) {
            return;
        }
        if self.acts.len() == ACTS {
            let first = self.first;
            self.acts.retain(|act| act.place > first);
        }
        self.acts.push(act);
    }
}

impl Left for History {
    fn clear(&mut self) {
        self.size = 0;
        self.first = 0;
        self.stores.clear();
        self.acts.clear();
        self.stale.clear();
    }
}
