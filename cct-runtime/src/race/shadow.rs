//! The shadow of memory: for each eight bytes of it, the last accesses that matter.
//!
//! An access is described by two words. The shadow has a place for each eight bytes of 128 megabytes; memory
//! further apart shares places, and an access of one may push out one of the other.

use std::ops::Range;
use std::ptr::null_mut;

use super::clock::{Clock, ThreadNumber};
use super::detector::Way;
use super::known;

/// An access as it is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Slot {
    /// The iteration's stamp, the thread's number and its count: from the top 16, 16 and 32 bits.
    when: u64,
    /// The upper part of the address, the way, which of the eight bytes, and the place of the code: from the
    /// top 21, 3, 8 and 32 bits.
    what: u64,
}

/// Names a slot, for those who keep more about it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct SlotId(pub(super) u32);

/// So many accesses are kept for each eight bytes.
const SLOTS: usize = 4;
/// The shadow's length in cells of that many slots.
const CELLS: usize = 1 << 24;
/// An access is of at most so many bytes, and does not cross a multiple of them.
pub(super) const GRANULE: usize = 8;
/// The lowest bit of an address that is part of the tag.
const TAG: u32 = GRANULE.trailing_zeros() + CELLS.trailing_zeros();

const MASK_AT: u32 = 32;
const WAY_AT: u32 = 40;
const TAG_AT: u32 = 43;

/// The accesses to one piece of memory in one iteration, and then nothing, or what is no longer of interest.
pub(super) type Cell = [Slot; SLOTS];

/// The epoch of a thread: the upper word of its accesses.
pub(super) fn epoch(stamp: u16, thread: ThreadNumber, count: u32) -> u64 {
    u64::from(stamp) << 48 | u64::from(thread) << 32 | u64::from(count)
}

impl Slot {
    #[inline]
    fn new(epoch: u64, address: usize, mask: u8, way: Way, place: u32) -> Slot {
        Slot {
            when: epoch,
            what: (address as u64 >> TAG) << TAG_AT
                | (way as u64) << WAY_AT
                | u64::from(mask) << MASK_AT
                | u64::from(place),
        }
    }

    pub(super) fn thread(self) -> ThreadNumber {
        (self.when >> 32) as ThreadNumber
    }

    #[inline]
    pub(super) fn count(self) -> u32 {
        self.when as u32
    }

    #[inline]
    fn mask(self) -> u8 {
        (self.what >> MASK_AT) as u8
    }

    #[inline]
    pub(super) fn way(self) -> Way {
        Way::from_bits((self.what >> WAY_AT) as u8 & 7)
    }

    /// Of which code it was, as an offset in the executable.
    pub(super) fn place(self) -> u32 {
        self.what as u32
    }

    /// How many bytes it is of.
    pub(super) fn size(self) -> u32 {
        self.mask().count_ones()
    }

    /// The same, of the bytes of another one as well.
    fn with_bytes_of(self, other: Slot) -> Slot {
        Slot {
            when: self.when,
            what: self.what | u64::from(other.mask()) << MASK_AT,
        }
    }

    /// True if both are of this memory, in this iteration.
    #[inline]
    fn is_there(self, other: Slot) -> bool {
        (self.when ^ other.when) >> 48 == 0 && (self.what ^ other.what) >> TAG_AT == 0
    }

    /// True if whatever is a race with `other`, which the same thread makes without a release in between, is
    /// one with this.
    #[inline]
    fn covers(self, other: Slot) -> bool {
        self.when == other.when
            && (self.what ^ other.what) >> TAG_AT == 0
            && self.mask() & other.mask() == other.mask()
            && self.way().covers(other.way())
    }
}

/// The result of a look at the accesses before.
pub(super) enum Found {
    /// An access of the same thread that leaves nothing to be found for this one.
    Known,
    /// Nothing; it is kept in this slot.
    Nothing(SlotId),
    /// This access of the same memory, in this slot; the first byte that both are of.
    Conflict(Slot, SlotId, usize),
}

/// The shadow.
#[derive(Debug)]
pub(super) struct Shadow {
    cells: *mut Cell,
    /// Which slot is pushed out next; the same in each repetition of a schedule.
    turn: u32,
}

impl Shadow {
    /// An empty one: a gigabyte of address space, of which is used what is touched. None if there is
    /// none.
    pub(super) fn reserve() -> Option<Shadow> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a fresh mapping touches nobody's memory.
        let cells = unsafe { libc::mmap(null_mut(), SIZE, protection, flags, -1, 0) };
        (cells != libc::MAP_FAILED).then(|| Shadow {
            cells: cells.cast(),
            turn: 0,
        })
    }

    /// A new iteration begins: what was kept is known by its stamp to be of another.
    pub(super) fn begin(&mut self) {
        self.turn = 0;
        known::use_cells(self.cells);
    }

    /// Stamps begin anew: all is forgotten.
    pub(super) fn clear(&mut self) {
        // SAFETY: the mapping is ours, and private: its pages are zeros afterwards.
        unsafe { libc::madvise(self.cells.cast(), SIZE, libc::MADV_DONTNEED) };
    }

    #[inline]
    fn cell(&self, address: usize) -> *mut Cell {
        // SAFETY: the index is below the number of cells.
        unsafe { self.cells.add(index(address)) }
    }

    /// Keeps an access of up to eight bytes that do not cross a multiple of eight, unless it comes upon one
    /// that is not before `clock` and is in its way, or upon freed memory.
    #[inline]
    pub(super) fn access(
        &mut self,
        (epoch, clock): (u64, &Clock),
        (address, size): (usize, usize),
        way: Way,
        place: u32,
    ) -> Found {
        let access = Slot::new(epoch, address, mask(address, size), way, place);
        // SAFETY: the cell is in the mapping, and nobody else uses it.
        let cell = unsafe { &mut *self.cell(address) };
        let first = (index(address) * SLOTS) as u32;
        if keep_alone(cell, access) {
            return Found::Nothing(SlotId(first));
        }
        let (mut own, mut stale) = (None, None);
        let mut number = 0;
        while number < SLOTS && cell[number].is_there(access) {
            let slot = cell[number];
            if slot.covers(access) {
                return Found::Known;
            }
            let is_before =
                slot.thread() == access.thread() || slot.count() <= clock.at(slot.thread());
            let overlap = slot.mask() & access.mask();
            let conflicts = !is_before && way.conflicts_with(slot.way());
            if overlap != 0 && (conflicts || slot.way() == Way::Free) {
                let byte = (address & !(GRANULE - 1)) + overlap.trailing_zeros() as usize;
                return Found::Conflict(slot, SlotId(first + number as u32), byte);
            }
            // An access that would race with the old one, and does not with the new one, would make a race of
            // these two.
            let replaces = is_before
                && slot.mask() & !access.mask() == 0
                && (way == Way::Free || way.covers(slot.way()));
            if slot.when == access.when && slot.way() == way {
                own = Some(number);
            } else if replaces && stale.is_none() {
                // The first one: freed memory comes before what is left of its accesses.
                stale = Some(number);
            }
            number += 1;
        }
        if let Some(own) = own {
            // Of several accesses in one slot, the last one's place is kept.
            cell[own] = access.with_bytes_of(cell[own]);
            return Found::Nothing(SlotId(first + own as u32));
        }
        if let Some(stale) = stale {
            number = stale;
        } else if number == SLOTS {
            self.turn = self.turn.wrapping_add(1);
            number = self.turn as usize % SLOTS;
        } else if let Some(next) = cell.get_mut(number + 1) {
            // Slots after it may be of other memory.
            *next = Slot::default();
        }
        cell[number] = access;
        Found::Nothing(SlotId(first + number as u32))
    }

    /// [`Shadow::access`] of whole pieces of eight bytes from this address on, as long as nothing is kept of
    /// them, or all that matters; returns where that ends.
    #[inline]
    pub(super) fn access_many(
        &mut self,
        epoch: u64,
        (address, end): (usize, usize),
        way: Way,
        place: u32,
    ) -> usize {
        let mut next = address;
        while next.is_multiple_of(GRANULE) && next + GRANULE <= end {
            let access = Slot::new(epoch, next, u8::MAX, way, place);
            // SAFETY: as in `access`.
            let cell = unsafe { &mut *self.cell(next) };
            if !keep_alone(cell, access) && !cell[0].covers(access) {
                break;
            }
            next += GRANULE;
        }
        next
    }

    #[cfg(test)]
    pub(super) fn is_known(&self, epoch: u64, part: (usize, usize), writes: bool) -> bool {
        // SAFETY: these are the cells.
        unsafe { is_first_and_covers(self.cells, epoch, part, writes) }
    }

    /// The free of this memory, if it was the last that happened to it; the first byte that is of both.
    pub(super) fn freed(
        &self,
        epoch: u64,
        (address, size): (usize, usize),
    ) -> Option<(Slot, SlotId, usize)> {
        let access = Slot::new(epoch, address, mask(address, size), Way::Read, 0);
        // SAFETY: as in `access`.
        let cell = unsafe { &*self.cell(address) };
        let there = cell.iter().take_while(|slot| slot.is_there(access));
        there.enumerate().find_map(|(number, &slot)| {
            let overlap = slot.mask() & access.mask();
            let id = SlotId((index(address) * SLOTS + number) as u32);
            let byte = (address & !(GRANULE - 1)) + overlap.trailing_zeros() as usize;
            (slot.way() == Way::Free && overlap != 0).then_some((slot, id, byte))
        })
    }

    /// Forgets the accesses to this memory: it is somebody else's from here on. Of much memory whole pages of
    /// cells are given back, which costs nothing for those that nobody has used.
    pub(super) fn forget(&mut self, address: usize, size: usize) {
        let (first, end) = (address / GRANULE, (address + size).div_ceil(GRANULE));
        if end - first < MANY {
            return self.forget_each(first..end);
        }
        let pages = first.next_multiple_of(CELLS_OF_A_PAGE)..end & !(CELLS_OF_A_PAGE - 1);
        self.forget_each(first..pages.start);
        self.forget_each(pages.end..end);
        let (start, count) = (pages.start & (CELLS - 1), pages.len().min(CELLS));
        let to_end = count.min(CELLS - start);
        for (start, count) in [(start, to_end), (0, count - to_end)] {
            // SAFETY: the cells are in the mapping, and private: their pages are zeros afterwards.
            unsafe {
                let pages = self.cells.add(start).cast();
                libc::madvise(pages, count * size_of::<Cell>(), libc::MADV_DONTNEED);
            }
        }
    }

    /// The same of these pieces of eight bytes.
    fn forget_each(&mut self, pieces: Range<usize>) {
        for piece in pieces {
            // SAFETY: the cell is in the mapping, and nobody else uses it.
            unsafe { (*self.cell(piece * GRANULE))[0] = Slot::default() };
        }
    }
}

/// Keeps the access if no other is kept of this memory, or only the thread's own one of the same kind, from
/// before its last release. True if it did.
#[inline]
fn keep_alone(cell: &mut Cell, access: Slot) -> bool {
    let first = cell[0];
    if !first.is_there(access) {
        // Slots after it may be of other memory.
        cell[1] = Slot::default();
    } else if first.what >> MASK_AT != access.what >> MASK_AT
        || first.when >> 32 != access.when >> 32
        || first.when == access.when
        || first.way() == Way::Free
        || cell[1].is_there(access)
    {
        return false;
    }
    cell[0] = access;
    true
}

/// True if the first access that is kept of this memory, which does not cross a multiple of eight, is a
/// plain one of this epoch that leaves nothing to be found for another one.
///
/// # Safety
///
/// These are a shadow's cells.
#[inline]
pub(super) unsafe fn is_first_and_covers(
    cells: *mut Cell,
    epoch: u64,
    (address, size): (usize, usize),
    writes: bool,
) -> bool {
    // SAFETY: the caller's, and the index is below the number of cells.
    let first = unsafe { (*cells.add(index(address)))[0] };
    let mask = mask(address, size);
    // The way, if it is of this memory.
    let way = (first.what ^ (address as u64 >> TAG) << TAG_AT) >> WAY_AT;
    first.when == epoch
        && first.mask() & mask == mask
        && (way == Way::Write as u64 || (!writes && way == Way::Read as u64))
}

const SIZE: usize = CELLS * size_of::<Cell>();
/// From so many pieces of eight bytes on, more is done to forget them than to forget the pages.
const MANY: usize = 1 << 17;
const CELLS_OF_A_PAGE: usize = 4096 / size_of::<Cell>();

#[inline]
fn index(address: usize) -> usize {
    (address / GRANULE) & (CELLS - 1)
}

/// A bit for each of the eight bytes around this address that the access is of.
#[inline]
fn mask(address: usize, size: usize) -> u8 {
    debug_assert!(address % GRANULE + size <= GRANULE && size > 0);
    (((1_u32 << size) - 1) << (address % GRANULE)) as u8
}

/// The part of an access from an address to another that does not cross a multiple of eight: its address and
/// size.
#[inline]
pub(crate) fn first_part(address: usize, end: usize) -> (usize, usize) {
    let next = ((address & !(GRANULE - 1)) + GRANULE).min(end);
    (address, next - address)
}

/// All parts of an access that do not cross a multiple of eight.
#[inline]
pub(crate) fn parts(address: usize, size: usize) -> impl Iterator<Item = (usize, usize)> {
    let end = address + size;
    let mut next = address;
    std::iter::from_fn(move || {
        (next < end).then(|| {
            let part = first_part(next, end);
            next += part.1;
            part
        })
    })
}
