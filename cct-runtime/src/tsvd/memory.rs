//! Plain accesses to memory: the few that may be part of a violation are told from the many that are not.
//!
//! A *cell* for every eight bytes, in a table that is as large as it ever gets, has who accessed them last,
//! from where and when, and the same of the last write. Threads race for cells: one that is torn may cost
//! a delay or a near miss, and never tells a violation.
//!
//! Bugs hide where little was run: of a place that a thread has come to often, and where nothing was near, it
//! looks at some accesses only. Source: Marino, Musuvathi, Narayanasamy, "`LiteRace`", PLDI'09.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use super::order::{self, UnderLock};
use super::planner::Party;
use super::session;

/// The last accesses of eight bytes.
struct Cell {
    /// Which bytes, and the party that accessed them last.
    who: AtomicU64,
    /// From where and when: a [`Stamp`].
    at: AtomicU64,
    /// The party that wrote them last, or 0; the locks under which that was, and the last access.
    writer: AtomicU64,
    /// From where and when they were written.
    wrote: AtomicU64,
}

/// A place in 28 bits, the time in ticks in 20, and the party's epoch in 16.
type Stamp = u64;

const fn stamp(place: u32, now: u32, epoch: u32) -> Stamp {
    (place as u64) << 36 | (now as u64 & 0xF_FFFF) << 16 | epoch as u64 & 0xFFFF
}

/// How many cells there are, 32 MiB: others take their places.
const CELLS: usize = 1 << 20;
static TABLE: AtomicPtr<Cell> = AtomicPtr::new(null_mut());

/// The time, in [`TICK`]s, as the clock's thread keeps it.
pub(super) static NOW: AtomicU32 = AtomicU32::new(0);
/// A tick in nanoseconds.
pub(super) const TICK: u64 = 1 << 20;

/// Whether accesses from a place may be held, by the low bits of its number.
static PLACES: [AtomicU8; 1 << 14] = [const { AtomicU8::new(0) }; 1 << 14];
/// How many accesses are held at bytes, by the low bits of their number.
static HELD: [AtomicU8; 1 << 12] = [const { AtomicU8::new(0) }; 1 << 12];
/// Pairs of places that were told already.
static TOLD: [AtomicU64; 1 << 12] = [const { AtomicU64::new(0) }; 1 << 12];
/// All accesses of shared memory are looked at whole.
static ALL_SHARED: AtomicBool = AtomicBool::new(false);
/// Accesses whose order is known are not near.
static BY_LOCKS: AtomicBool = AtomicBool::new(true);
/// How long ago an access may have been, in ticks, to be near.
static WINDOW: AtomicU32 = AtomicU32::new(0);
/// After so many ticks without an access a thread has paused.
static PAUSE: AtomicU32 = AtomicU32::new(u32::MAX);

/// So many accesses a thread looks at from each place, before it skips any.
static BURST: AtomicU32 = AtomicU32::new(u32::MAX);
/// After the burst it looks at one of so many.
const SAMPLE: u32 = 16;
/// Places that have a count of their own, by the low bits of their number.
const COUNTS: usize = 1 << 10;

thread_local! {
    /// When this thread has made its last access; before the first, long ago.
    static LAST: std::cell::Cell<u32> = const { std::cell::Cell::new(1 << 31) };
    /// How many accesses it has made, by place.
    static MADE: [std::cell::Cell<u32>; COUNTS] = const { [const { std::cell::Cell::new(0) }; COUNTS] };
}

/// An access that was near to one that is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Near {
    pub(super) party: Party,
    pub(super) place: u32,
    /// How many ticks ago.
    pub(super) ago: u32,
    pub(super) writes: bool,
    /// The low bits of its epoch.
    pub(super) epoch: u32,
    pub(super) lock: UnderLock,
}

/// The accesses that are looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Looks {
    pub(super) window: u32,
    pub(super) pause: u32,
    pub(super) all_shared: bool,
    pub(super) locks: bool,
    /// See [`BURST`].
    pub(super) burst: u32,
}

/// Looks at accesses from here on. False if there is no memory for it.
pub(super) fn begin(looks: Looks) -> bool {
    WINDOW.store(looks.window, Relaxed);
    PAUSE.store(looks.pause, Relaxed);
    ALL_SHARED.store(looks.all_shared, Relaxed);
    BY_LOCKS.store(looks.locks, Relaxed);
    BURST.store(looks.burst, Relaxed);
    // SAFETY: makes a mapping of its own, of zeroes.
    let table = unsafe {
        libc::mmap(
            null_mut(),
            CELLS * size_of::<Cell>(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    let is_there = table != libc::MAP_FAILED;
    if is_there {
        TABLE.store(table.cast(), Relaxed);
    }
    is_there
}

/// Accesses from this place may be held.
pub(super) fn mark_place(place: u32, may_be_held: bool) {
    PLACES[place as usize % PLACES.len()].store(u8::from(may_be_held), Relaxed);
}

/// An access of these bytes is held, or is no more.
pub(super) fn mark_held(address: usize, size: usize, is_held: bool) {
    for granule in granules(address, size) {
        let count = &HELD[granule as usize % HELD.len()];
        if is_held {
            count.fetch_add(1, Relaxed);
        } else {
            count.fetch_sub(1, Relaxed);
        }
    }
}

/// Looks at an access.
pub(crate) fn access(address: usize, size: usize, writes: bool, place: u32) {
    let table = TABLE.load(Relaxed);
    if table.is_null() || super::party::is_within() {
        return;
    }
    let now = NOW.load(Relaxed);
    let has_paused = now.wrapping_sub(LAST.replace(now)) >= PAUSE.load(Relaxed);
    let may_be_held = PLACES[place as usize % PLACES.len()].load(Relaxed) != 0;
    let is_of_interest = has_paused || may_be_held || is_held(address, size);
    if is_skipped(place) && !is_of_interest {
        return;
    }
    let party = super::party::party();
    let stamp = stamp(place, now, order::epoch());
    let lock = order::under_lock();
    let mut near = None;
    for granule in granules(address, size) {
        // SAFETY: the table has so many cells, and is never unmapped.
        let cell = unsafe { &*table.add(granule as usize % CELLS) };
        near = look(cell, granule, (party, writes), (stamp, lock)).or(near);
    }
    let near = near.filter(|near| !is_ordered(near, lock));
    let near = near.filter(|near| ALL_SHARED.load(Relaxed) || is_news(near.place, place));
    if is_of_interest || near.is_some() {
        session::at_memory((address, size), writes, place, near);
    }
}

/// True if some access of these bytes may be held.
#[inline]
fn is_held(address: usize, size: usize) -> bool {
    granules(address, size).any(|granule| HELD[granule as usize % HELD.len()].load(Relaxed) != 0)
}

/// Counts an access of the calling thread. True if it is one that is not looked at.
#[inline]
fn is_skipped(place: u32) -> bool {
    // Calls are some bytes apart.
    let count = place as usize / 4 % COUNTS;
    let made = MADE.with(|made| made[count].replace(made[count].get().wrapping_add(1)));
    made >= BURST.load(Relaxed) && !made.is_multiple_of(SAMPLE)
}

/// Notes an access of these bytes. Returns an access of another party that was near and is in conflict.
#[inline]
fn look(
    cell: &Cell,
    granule: u64,
    (party, writes): (Party, bool),
    (stamp, lock): (Stamp, UnderLock),
) -> Option<Near> {
    const LOCK: u64 = 0xFF_FFFF;
    let party = party & 0xFFFF;
    let who = granule << 16 | u64::from(party);
    let before = cell.who.load(Relaxed);
    let last_write = cell.writer.load(Relaxed);
    let lock = u64::from(lock);
    if before >> 16 != granule {
        cell.who.store(who, Relaxed);
        cell.at.store(stamp, Relaxed);
        let wrote = if writes {
            u64::from(party) | lock << 16
        } else {
            0
        };
        cell.writer.store(wrote | lock << 40, Relaxed);
        cell.wrote.store(stamp, Relaxed);
        return None;
    }
    let mut near = None;
    let by = (last_write & 0xFFFF) as Party;
    if by != party && by != 0 {
        let lock = (last_write >> 16 & LOCK) as UnderLock;
        near = recent(by, cell.wrote.load(Relaxed), stamp, (true, lock));
    }
    if before != who {
        if near.is_none() && writes {
            let (last, lock) = ((before & 0xFFFF) as Party, (last_write >> 40) as UnderLock);
            near = recent(last, cell.at.load(Relaxed), stamp, (false, lock));
        }
        cell.who.store(who, Relaxed);
    }
    cell.at.store(stamp, Relaxed);
    if writes {
        cell.writer
            .store(u64::from(party) | lock << 16 | lock << 40, Relaxed);
        cell.wrote.store(stamp, Relaxed);
    } else if last_write >> 40 != lock {
        cell.writer
            .store(last_write & ((1 << 40) - 1) | lock << 40, Relaxed);
    }
    near
}

#[inline]
fn recent(
    party: Party,
    before: Stamp,
    now: Stamp,
    (writes, lock): (bool, UnderLock),
) -> Option<Near> {
    let ago = ((now >> 16) as u32).wrapping_sub((before >> 16) as u32) & 0xF_FFFF;
    let near = Near {
        party,
        place: (before >> 36) as u32,
        ago,
        writes,
        epoch: before as u32 & 0xFFFF,
        lock,
    };
    (ago <= WINDOW.load(Relaxed)).then_some(near)
}

/// True if it is known that the access was before the one that the running party is about to make, under this
/// lock, or that they exclude each other.
fn is_ordered(near: &Near, lock: UnderLock) -> bool {
    BY_LOCKS.load(Relaxed)
        && (order::exclude(near.lock, lock) || order::is_before(near.party, near.epoch))
}

/// True if this pair has not been told yet, or others were told in between.
fn is_news(one: u32, other: u32) -> bool {
    let pair = u64::from(one.min(other)) << 32 | u64::from(one.max(other));
    let hash = pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    TOLD[hash as usize % TOLD.len()].swap(pair, Relaxed) != pair
}

/// A pair that was told of is to be told again: it did not count.
pub(super) fn untell(one: u32, other: u32) {
    let pair = u64::from(one.min(other)) << 32 | u64::from(one.max(other));
    let hash = pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    TOLD[hash as usize % TOLD.len()].store(0, Relaxed);
}

/// The eights of bytes that these are in: of long stretches the first ones.
fn granules(address: usize, size: usize) -> std::ops::RangeInclusive<u64> {
    /// The most that are looked at.
    const MOST: usize = 512;
    let first = address >> 3;
    let last = (address + size.max(1) - 1) >> 3;
    first as u64..=last.min(first + MOST - 1) as u64
}

/// These bytes are given back: what is there next is another object.
pub(crate) fn forget(address: usize, size: usize) {
    let table = TABLE.load(Relaxed);
    if table.is_null() {
        return;
    }
    let first = address >> 3;
    let count = size.div_ceil(8).min(CELLS);
    for granule in first..first + count {
        // SAFETY: as in `access`.
        let cell = unsafe { &*table.add(granule % CELLS) };
        if cell.who.load(Relaxed) >> 16 == granule as u64 {
            cell.who.store(0, Relaxed);
        }
    }
}

/// The calling thread has just begun: its stack may have been another thread's.
pub(super) fn forget_stack() {
    /// As much of it as small threads use.
    const USED: usize = 16 << 10;
    let on_stack = 0_u8;
    let top = (&raw const on_stack).addr();
    forget(top.saturating_sub(USED) & !7, USED);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell() -> Cell {
        Cell {
            who: AtomicU64::new(0),
            at: AtomicU64::new(0),
            writer: AtomicU64::new(0),
            wrote: AtomicU64::new(0),
        }
    }

    /// A list of all accesses knows the last one and the last write as well.
    #[test]
    fn a_cell_knows_the_last_access_and_the_last_write() {
        WINDOW.store(50, Relaxed);
        let mut rng = crate::strategy::Rng::new(3);
        let (cell, mut all) = (cell(), Vec::<(Near, u32)>::new());
        let mut now = 1;
        for place in 0..20_000 {
            now += [0, 1, 30, 60][rng.below(4) as usize];
            let access = Near {
                party: rng.below(3) + 1,
                place,
                ago: 0,
                writes: rng.below(3) == 0,
                epoch: rng.below(0x1_0000),
                lock: rng.below(1 << 24),
            };
            let near_to = |&(before, at): &(Near, u32)| {
                let is_near = before.party != access.party && now - at <= 50;
                is_near.then_some(Near {
                    ago: now - at,
                    ..before
                })
            };
            let wrote = all.iter().rev().find(|(before, _)| before.writes);
            let wrote = wrote.and_then(near_to);
            let last = all.last().filter(|_| access.writes).and_then(near_to);
            let expected = wrote.or(last.map(|last| Near {
                writes: false,
                ..last
            }));
            let now_stamp = stamp(place, now, access.epoch);
            let near = look(
                &cell,
                9,
                (access.party, access.writes),
                (now_stamp, access.lock),
            );
            assert_eq!(near, expected, "{place}");
            all.push((access, now));
        }
    }

    /// Of 1,610 accesses from a place the first ten are looked at, and a hundred of the others; those from
    /// another place, and of another thread, are counted by themselves.
    #[test]
    fn places_that_were_reached_often_are_sampled() {
        BURST.store(10, Relaxed);
        let looked_at = |place, count| (0..count).filter(|_| !is_skipped(place)).count();
        assert_eq!(looked_at(40, 10), 10);
        assert_eq!(looked_at(40, 1600), 100);
        assert_eq!(looked_at(44, 10), 10);
        std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(looked_at(40, 10), 10));
        });
        BURST.store(u32::MAX, Relaxed);
    }

    #[test]
    fn long_stretches_are_bounded() {
        assert_eq!(granules(16, 8).count(), 1);
        assert_eq!(granules(23, 2).count(), 2);
        assert_eq!(granules(16, 0).count(), 1);
        assert_eq!(granules(0, 1 << 20).count(), 512);
    }
}
