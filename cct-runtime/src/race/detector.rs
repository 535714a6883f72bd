//! The detector: clocks of threads, and the shadow that they are compared with.

use std::sync::atomic::Ordering;

use super::clock::{Clock, ThreadNumber};
use super::known;
use super::meeting::{Left, Meetings};
use super::shadow::{Found, Shadow, Slot, SlotId, epoch};
use super::weak::Atomics;

/// The ways to access memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Way {
    Read = 0,
    Write = 1,
    AtomicRead = 2,
    AtomicWrite = 3,
    /// The memory is given back, which is a write to all of it, and to use it later is a mistake in any case.
    Free = 5,
}

impl Way {
    #[inline]
    pub(super) const fn from_bits(bits: u8) -> Way {
        match bits {
            0 => Way::Read,
            1 => Way::Write,
            2 => Way::AtomicRead,
            3 => Way::AtomicWrite,
            _ => Way::Free,
        }
    }

    #[inline]
    const fn writes(self) -> bool {
        self as u8 & 1 != 0
    }

    #[inline]
    const fn is_atomic(self) -> bool {
        self as u8 & 2 != 0
    }

    /// True if two of these, of different threads, are a race when nothing orders them.
    #[inline]
    pub(super) const fn conflicts_with(self, other: Way) -> bool {
        (self.writes() || other.writes()) && !(self.is_atomic() && other.is_atomic())
    }

    /// True if this conflicts with all that the other conflicts with. It is not so of freed memory, which is
    /// not to be accessed any more by anybody.
    #[inline]
    pub(super) const fn covers(self, other: Way) -> bool {
        !matches!(self, Way::Free)
            && !matches!(other, Way::Free)
            && (self.writes() || !other.writes())
            && (!self.is_atomic() || other.is_atomic())
    }
}

/// A thread, as the detector knows it.
#[derive(Debug, Default)]
pub(super) struct Thread {
    /// All that is before its next act. Its own count is that of its accesses from here on.
    pub(super) clock: Clock,
    /// The stamp, its number and its own count, as its accesses have them.
    epoch: u64,
    /// The clocks that it has read by relaxed loads, for an acquire fence to make use of.
    pub(super) read: Clock,
    /// Its clock at its last release fence, for relaxed stores after it to publish.
    pub(super) fenced: Clock,
}

/// Finds races in an iteration. Slots are compared by a stamp, and nothing has to be cleared in between.
#[derive(Debug)]
pub(crate) struct Detector {
    shadow: Shadow,
    /// The iteration's come first.
    pub(super) threads: Vec<Thread>,
    count: usize,
    meetings: Meetings<Clock>,
    /// The stores of atomics, where memory is weak.
    pub(super) atomics: Atomics,
    stamp: u16,
}

/// The result of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Accessed {
    /// The thread has accessed this memory like this already, and has released nothing since.
    Known,
    /// It is kept in this slot.
    Kept(SlotId),
    /// It conflicts with an earlier one.
    Conflict(Conflict),
}

/// An earlier access that is in the way of a new one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Conflict {
    pub(crate) slot: SlotId,
    /// The first byte that both are of.
    pub(crate) address: usize,
    pub(crate) thread: ThreadNumber,
    pub(crate) way: Way,
    /// How many bytes it was of, among eight.
    pub(crate) size: u32,
    /// Of which code it was, as an offset in the executable.
    pub(crate) place: u32,
    /// It was before the new one: the memory had been given back.
    pub(crate) is_before: bool,
}

impl Detector {
    /// One that has seen nothing; none if there is no address space for its shadow.
    pub(crate) fn new() -> Option<Detector> {
        Some(Detector {
            shadow: Shadow::reserve()?,
            threads: Vec::new(),
            count: 0,
            meetings: Meetings::default(),
            atomics: Atomics::default(),
            stamp: 0,
        })
    }

    /// A new iteration begins, with one thread, 0.
    pub(crate) fn begin(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.shadow.clear();
            self.stamp = 1;
        }
        self.shadow.begin();
        self.meetings.begin();
        self.atomics.begin();
        self.count = 0;
        self.add_thread();
    }

    fn add_thread(&mut self) -> ThreadNumber {
        if self.count == self.threads.len() {
            self.threads.push(Thread::default());
        }
        let number = self.count as ThreadNumber;
        self.count += 1;
        let thread = &mut self.threads[usize::from(number)];
        thread.clock.clear();
        thread.read.clear();
        thread.fenced.clear();
        self.advance(number);
        number
    }

    /// The thread makes another one, which begins after what it has done so far.
    pub(crate) fn fork(&mut self, parent: ThreadNumber) -> ThreadNumber {
        let child = self.add_thread();
        if let [Some(child), Some(parent)] = self.two(child, parent) {
            child.clock.join(&parent.clock);
        }
        self.advance(parent);
        child
    }

    fn two(&mut self, one: ThreadNumber, other: ThreadNumber) -> [Option<&mut Thread>; 2] {
        let places = [usize::from(one), usize::from(other)];
        match self.threads.get_disjoint_mut(places) {
            Ok([one, other]) => [Some(one), Some(other)],
            Err(_) => [None, None],
        }
    }

    fn thread(&mut self, number: ThreadNumber) -> &mut Thread {
        &mut self.threads[usize::from(number)]
    }

    /// From here on the thread's accesses are after what others may have taken over from it.
    pub(super) fn advance(&mut self, number: ThreadNumber) {
        let stamp = self.stamp;
        let thread = self.thread(number);
        thread.clock.advance(number);
        thread.epoch = epoch(stamp, number, thread.clock.at(number));
        known::forget_epoch();
    }

    /// It is this thread that runs, and only races are looked for.
    #[inline]
    pub(crate) fn runs(&self, number: ThreadNumber) {
        known::know_epoch(self.threads[usize::from(number)].epoch);
    }

    /// All that the thread has done so far is before whatever comes upon this key.
    pub(crate) fn release(&mut self, number: ThreadNumber, key: u64) {
        let thread = &self.threads[usize::from(number)];
        self.meetings.get_or_make(key).join(&thread.clock);
        self.advance(number);
    }

    /// All that was released to this key is before what the thread does from here on.
    pub(crate) fn acquire(&mut self, number: ThreadNumber, key: u64) {
        if let Some(left) = self.meetings.get(key) {
            self.threads[usize::from(number)].clock.join(left);
        }
    }

    /// All that others have done so far is before what the thread does from here on.
    pub(crate) fn acquire_all(&mut self, number: ThreadNumber) {
        for other in (0..self.count as ThreadNumber).filter(|&other| other != number) {
            if let [Some(thread), Some(other)] = self.two(number, other) {
                thread.clock.join(&other.clock);
            }
            self.advance(other);
        }
    }

    /// Nobody sees what the thread does here: it may take over all that others have done so far, and they may
    /// take over from it.
    pub(crate) fn meet_all(&mut self, number: ThreadNumber) {
        self.acquire_all(number);
        for other in (0..self.count as ThreadNumber).filter(|&other| other != number) {
            if let [Some(thread), Some(other)] = self.two(number, other) {
                other.clock.join(&thread.clock);
            }
        }
        self.advance(number);
    }

    /// The thread has loaded what the atomic with this key holds.
    pub(crate) fn load(&mut self, number: ThreadNumber, key: u64, order: Ordering) {
        let Some(left) = self.meetings.get(key) else {
            return;
        };
        let thread = &mut self.threads[usize::from(number)];
        if acquires(order) {
            thread.clock.join(left);
        } else {
            thread.read.join(left);
        }
    }

    /// The thread has stored to the atomic with this key: what others have left there is gone.
    pub(crate) fn store(&mut self, number: ThreadNumber, key: u64, order: Ordering) {
        let thread = &self.threads[usize::from(number)];
        let left = self.meetings.get_or_make(key);
        if releases(order) {
            left.copy(&thread.clock);
            self.advance(number);
        } else {
            left.copy(&thread.fenced);
        }
    }

    /// The thread has replaced the value of the atomic with this key by another: what others have left there
    /// stays.
    pub(crate) fn replace(&mut self, number: ThreadNumber, key: u64, order: Ordering) {
        self.load(number, key, order);
        let thread = &self.threads[usize::from(number)];
        if releases(order) {
            self.meetings.get_or_make(key).join(&thread.clock);
            self.advance(number);
        } else {
            self.meetings.get_or_make(key).join(&thread.fenced);
        }
    }

    /// The thread has passed a fence.
    pub(crate) fn fence(&mut self, number: ThreadNumber, order: Ordering) {
        let thread = self.thread(number);
        if acquires(order) {
            thread.clock.join(&thread.read);
        }
        if releases(order) {
            thread.fenced.copy(&thread.clock);
            self.advance(number);
        }
    }

    /// The thread accesses one of the [`parts`](super::parts) of some memory.
    #[inline]
    pub(crate) fn access(
        &mut self,
        number: ThreadNumber,
        (address, size): (usize, usize),
        way: Way,
        place: u32,
    ) -> Accessed {
        let thread = &self.threads[usize::from(number)];
        let by = (thread.epoch, &thread.clock);
        match self.shadow.access(by, (address, size), way, place) {
            Found::Known => Accessed::Known,
            Found::Nothing(slot) => Accessed::Kept(slot),
            Found::Conflict(slot, id, byte) => {
                Accessed::Conflict(conflict(slot, id, byte, &thread.clock, number))
            }
        }
    }

    /// [`Detector::access`] of whole pieces of eight bytes, as long as there is nothing but to keep it, or
    /// not even that; returns where that ends.
    #[inline]
    pub(crate) fn access_many(
        &mut self,
        number: ThreadNumber,
        (address, end): (usize, usize),
        way: Way,
        place: u32,
    ) -> usize {
        let epoch = self.threads[usize::from(number)].epoch;
        self.shadow.access_many(epoch, (address, end), way, place)
    }

    /// The conflict of an access that is no part of a race, but not to be made to memory that was given back.
    pub(crate) fn use_after_free(
        &self,
        number: ThreadNumber,
        part: (usize, usize),
    ) -> Option<Conflict> {
        let thread = &self.threads[usize::from(number)];
        let (slot, id, byte) = self.shadow.freed(thread.epoch, part)?;
        Some(conflict(slot, id, byte, &thread.clock, number))
    }

    /// [`known::is_known`] of an access of this thread.
    #[cfg(test)]
    pub(super) fn is_known(
        &self,
        number: ThreadNumber,
        part: (usize, usize),
        writes: bool,
    ) -> bool {
        let epoch = self.threads[usize::from(number)].epoch;
        self.shadow.is_known(epoch, part, writes)
    }

    /// Nobody has accessed this memory yet: it is given out.
    pub(crate) fn forget(&mut self, address: usize, size: usize) {
        self.shadow.forget(address, size);
    }
}

fn conflict(
    slot: Slot,
    id: SlotId,
    address: usize,
    clock: &Clock,
    number: ThreadNumber,
) -> Conflict {
    Conflict {
        slot: id,
        address,
        thread: slot.thread(),
        way: slot.way(),
        size: slot.size(),
        place: slot.place(),
        is_before: slot.thread() == number || slot.count() <= clock.at(slot.thread()),
    }
}

pub(super) fn acquires(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst
    )
}

pub(super) fn releases(order: Ordering) -> bool {
    matches!(
        order,
        Ordering::Release | Ordering::AcqRel | Ordering::SeqCst
    )
}
