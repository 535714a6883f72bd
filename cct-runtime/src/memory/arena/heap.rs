//! The arena itself: blocks are made, given back and forgotten.

use std::cell::UnsafeCell;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::block::{Around, FREED, HEADER, Header, LIVE, around, header, leave_room};
use super::freed::FreedBlocks;
use super::rest::give_back;
use crate::engine::{bad_free, current_engine, note_block, note_free, note_reuse};
use crate::frames::is_of_executable;
use crate::memory::{address_space, limit};

/// The address that the region is asked for at; another would do, but differ from process to process.
const HOME: usize = 0x2000_0000_0000;
/// The size of the region, unless limits want less: address space only, since memory is taken page by page.
const REGION: usize = 64 << 30;
/// The part of it that is its margin.
const MARGIN: usize = 8;
/// Every iteration that uses more bytes than this uses freed blocks again.
const REUSE_FROM: usize = 512 << 20;
/// Memory of this size is cleared by giving its pages back: a program that allocates a table of gigabytes and
/// uses a few pages of it does so at once, as natively.
const GREAT: usize = 4 << 20;
/// A multiple of the size of pages.
const PAGE: usize = 64 << 10;
const POISON: u8 = 0xDD;
/// Of a freed block so many bytes are taken for written, so that accesses of others to them are races.
const LOOKED_AT: usize = 64 << 10;

struct Arena {
    start: usize,
    size: usize,
    /// The address of the first free byte, and up to where blocks are handed out without another look.
    top: usize,
    end: usize,
    /// The first free byte of the margin, and whether blocks come from there.
    margin: usize,
    is_beside: bool,
    /// Freed blocks are used again once so many bytes are used.
    reuse_from: usize,
    freed: FreedBlocks,
}

impl Arena {
    /// True if freed blocks are used again.
    #[inline]
    fn uses_again(&self) -> bool {
        !self.is_beside && self.top - self.start > self.reuse_from
    }

    /// Where its margin begins.
    #[inline]
    fn margin_at(&self) -> usize {
        self.start + (self.size - self.size / MARGIN)
    }

    /// Up to where blocks are handed out before the limit of memory is looked at.
    fn next_look(&self) -> usize {
        limit::next_look(self.start, self.top).min(self.margin_at())
    }

    /// Looks whether the limit is exceeded by what blocks have been written since they were handed out.
    #[cold]
    fn look(&self) {
        let (start, top) = (self.start, self.top);
        // SAFETY: that is the arena, on the engine's thread.
        limit::look(start, top, || unsafe { give_back(start, top) });
    }

    /// Moves the end behind this address. False if that is beyond the region.
    #[cold]
    fn extend(&mut self, to: usize) -> bool {
        if self.is_beside || to > self.margin_at() {
            return false;
        }
        self.look();
        self.end = limit::next_look(self.start, to).min(self.margin_at());
        true
    }
}

struct Shared(UnsafeCell<Arena>);

// SAFETY: the arena is used by the engine's OS thread only; `contains` reads `start`, set once before.
unsafe impl Sync for Shared {}

static ARENA: Shared = Shared(UnsafeCell::new(Arena {
    start: 0,
    size: 0,
    top: 0,
    end: 0,
    margin: 0,
    is_beside: false,
    reuse_from: REUSE_FROM,
    freed: FreedBlocks::new(0),
}));

/// Whether the recorder is told of blocks.
static TELLS: AtomicBool = AtomicBool::new(false);

/// Says whether the recorder is told of blocks from now on.
pub(crate) fn tell_blocks(tells: bool) {
    TELLS.store(tells, Relaxed);
}

/// Reserves the region; allocations of controlled workers come from it from now on, up to so many bytes.
pub(crate) fn open(most: u64) {
    limit::set(most);
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let region = address_space::reserve(HOME, REGION, protection, 2);
    let (place, size) = region.expect("address space for the arena");
    // SAFETY: the arena is ours, see `Shared`.
    unsafe {
        let arena = &mut *ARENA.0.get();
        arena.start = place;
        arena.size = size;
        arena.top = arena.start;
        arena.margin = arena.margin_at();
        arena.end = arena.next_look();
        arena.reuse_from = limit::reuse_from(REUSE_FROM);
    }
}

/// Forgets every block. Blocks that are freed from now on rest, or with a seed are used again, in a random
/// order. The pages of an unusually large iteration go back to the system.
pub(crate) fn reset(reuse: Option<u64>) {
    // SAFETY: called between iterations on the engine's thread; nothing is live.
    unsafe {
        let arena = &mut *ARENA.0.get();
        if arena.top - arena.start > REUSE_FROM {
            clear_pages(
                (arena.start + REUSE_FROM) as *mut u8,
                arena.top - arena.start - REUSE_FROM,
            );
        }
        arena.top = arena.start;
        arena.end = arena.next_look();
        let margin = arena.margin_at();
        if arena.margin - margin > REUSE_FROM {
            clear_pages(margin as *mut u8, arena.margin - margin);
        }
        arena.margin = margin;
        arena.freed.reset(reuse.unwrap_or(0));
        arena.reuse_from = reuse.map_or(limit::reuse_from(REUSE_FROM), |_| 0);
    }
}

/// True on a controlled worker: allocations come from the arena.
#[inline]
pub fn is_in_use() -> bool {
    // SAFETY: `start` is set once, before the engine can be.
    !current_engine().is_null() && unsafe { (*ARENA.0.get()).start != 0 }
}

/// Runs `f`, whose blocks come from a margin of the region: the iteration has the same addresses as without
/// it. `f` does not unwind. Controlled workers only.
pub(crate) fn beside(f: impl FnOnce()) {
    // SAFETY: on the engine's thread, see `Shared`; no reference is kept while `f` runs.
    unsafe {
        let arena = &mut *ARENA.0.get();
        if arena.start == 0 || arena.is_beside {
            return f();
        }
        let (top, end) = (arena.top, arena.end);
        (arena.top, arena.end) = (arena.margin, arena.start + arena.size);
        arena.is_beside = true;
        f();
        let arena = &mut *ARENA.0.get();
        arena.is_beside = false;
        arena.margin = arena.top;
        (arena.top, arena.end) = (top, end);
    }
}

/// True if blocks come from the margin, whatever the program's global allocator is.
#[inline]
pub fn is_beside() -> bool {
    // SAFETY: only the engine's thread sees it set, see `Shared`; elsewhere there is no engine.
    !current_engine().is_null() && unsafe { (*ARENA.0.get()).is_beside }
}

/// True if the block is of the margin.
#[inline]
pub fn is_of_margin(block: *mut u8) -> bool {
    // SAFETY: as in `contains`.
    let arena = unsafe { &*ARENA.0.get() };
    arena.start != 0 && (block as usize).wrapping_sub(arena.margin_at()) < arena.size / MARGIN
}

/// True if the block is of the arena, in whatever iteration it was made.
#[inline]
pub fn contains(block: *mut u8) -> bool {
    // SAFETY: `start` is set once, before there can be such a block.
    let arena = unsafe { &*ARENA.0.get() };
    (block as usize).wrapping_sub(arena.start) < arena.size
}

/// Where blocks may be; empty before there can be one.
pub(crate) fn region() -> Range<usize> {
    // SAFETY: as above.
    let arena = unsafe { &*ARENA.0.get() };
    arena.start..arena.start + arena.size
}

/// Returns a new block, or null when the region is exhausted. `align` is a power of two.
///
/// # Safety
///
/// [`is_in_use`] must be true.
pub unsafe fn allocate(size: usize, align: usize) -> *mut u8 {
    // SAFETY: the caller's.
    let block = unsafe { take(size, align) };
    if TELLS.load(Relaxed) && !block.is_null() {
        note_block(block as usize, true);
    }
    block
}

/// The same without telling the recorder.
#[inline]
unsafe fn take(size: usize, align: usize) -> *mut u8 {
    // SAFETY: on the engine's thread, see `Shared`.
    let arena = unsafe { &mut *ARENA.0.get() };
    let align = align.max(HEADER);
    if arena.uses_again()
        && align == HEADER
        && let Some(block) = arena.freed.take(size)
    {
        // SAFETY: the block has a header.
        note_reuse(block.as_ptr() as usize, unsafe {
            size_of_block(block.as_ptr())
        });
        return block.as_ptr();
    }
    let before = arena.top;
    let block = (before + HEADER).next_multiple_of(align);
    match block.checked_add(size) {
        Some(end) if end <= arena.end || arena.extend(end) => {
            arena.top = end.next_multiple_of(HEADER);
        }
        _ => return null_mut(),
    }
    // SAFETY: room and header lie between the old top and the block.
    unsafe {
        leave_room(before, block - HEADER);
        let block = block as *mut u8;
        header(block).write(Header { size, state: LIVE });
        block
    }
}

/// Returns a new block of zeros, or null when the region is exhausted.
///
/// # Safety
///
/// [`is_in_use`] must be true.
pub unsafe fn allocate_zeroed(size: usize) -> *mut u8 {
    // SAFETY: the caller's; the new block has that size.
    unsafe {
        let block = allocate(size, HEADER);
        if !block.is_null() {
            clear(block, size);
        }
        block
    }
}

/// Gives a block back. A block that is not live ends the iteration with that verdict.
///
/// # Safety
///
/// [`contains`] must be true of the block.
pub unsafe fn free(block: *mut u8) {
    // SAFETY: a block of the arena has a header, unless the program made the address up.
    unsafe {
        check_live(block, "freed");
        if TELLS.load(Relaxed) {
            note_block(block as usize, false);
        }
        let size = (*header(block)).size;
        // A block that was filled after the last look is about to be cleared.
        let arena = &*ARENA.0.get();
        if size > GREAT && !arena.is_beside && limit::is_in_reach(used()) {
            arena.look();
        }
        note_free(block as usize, size.min(LOOKED_AT));
        (*header(block)).state = FREED;
        block.write_bytes(POISON, size.min(GREAT));
        if size > GREAT {
            clear(block.add(GREAT), size - GREAT);
        }
        let arena = &mut *ARENA.0.get();
        if arena.uses_again() && !is_of_margin(block) {
            arena.freed.put(block, size);
        }
    }
}

/// Returns the usable size of a block.
///
/// # Safety
///
/// [`contains`] must be true of the block.
pub unsafe fn size_of_block(block: *mut u8) -> usize {
    // SAFETY: a block of the arena has a header.
    unsafe { (*header(block)).size }
}

/// Makes a block larger or smaller where it lies, if it can be.
///
/// # Safety
///
/// [`contains`] must be true of the block.
pub unsafe fn resize_in_place(block: *mut u8, size: usize) -> bool {
    // SAFETY: on the engine's thread; a block of the arena has a header.
    unsafe {
        check_live(block, "reallocated");
        let arena = &mut *ARENA.0.get();
        let old_end = (block as usize + (*header(block)).size).next_multiple_of(HEADER);
        let fits = if old_end == arena.top {
            let end = (block as usize).saturating_add(size);
            let fits = end <= arena.end || arena.extend(end);
            if fits {
                let top = end.next_multiple_of(HEADER);
                if top < arena.top {
                    note_reuse(top, arena.top - top);
                }
                arena.top = top;
            }
            fits
        } else {
            let fits = size <= (*header(block)).size;
            if fits {
                leave_room((block as usize + size).next_multiple_of(HEADER), old_end);
            }
            fits
        };
        if fits {
            (*header(block)).size = size;
        }
        fits
    }
}

/// Returns how many bytes the iteration has used.
pub(crate) fn used() -> usize {
    let (start, top) = extent();
    top - start
}

/// Returns where the region begins, and where its free part does.
pub(super) fn extent() -> (usize, usize) {
    // SAFETY: on the engine's thread, see `Shared`.
    let arena = unsafe { &*ARENA.0.get() };
    (arena.start, arena.top)
}

/// Ends the iteration with a verdict if the block is not live.
///
/// # Safety
///
/// A header must precede it.
unsafe fn check_live(block: *mut u8, what: &str) {
    // SAFETY: the caller's.
    let (state, size) = unsafe { ((*header(block)).state, (*header(block)).size) };
    if state == LIVE && size <= most_behind(block) || current_engine().is_null() {
        return;
    }
    let reason = if state == FREED {
        "has been freed before".to_owned()
    } else {
        // SAFETY: the caller's.
        unsafe { why_no_block(block) }
    };
    bad_free(&format!("memory is {what} that {reason}"), block as usize);
}

/// Up to how many bytes a block at this address may have.
#[inline]
fn most_behind(block: *mut u8) -> usize {
    // SAFETY: on the engine's thread, see `Shared`.
    let arena = unsafe { &*ARENA.0.get() };
    let end = if arena.is_beside || is_of_margin(block) {
        arena.start + arena.size
    } else {
        arena.top
    };
    end.saturating_sub(block as usize)
}

/// Why there is no block at this address, by the headers of those before it.
///
/// # Safety
///
/// It is an address of the arena, on the engine's thread.
#[cold]
unsafe fn why_no_block(address: *mut u8) -> String {
    let (start, top) = extent();
    let address = address as usize;
    // SAFETY: that is the arena.
    match unsafe { around(start, top, address) } {
        Around::Inside { from, size } => format!(
            "was never allocated: it is {} bytes inside of a block of {size} bytes",
            address - from
        ),
        Around::Behind { size } => format!(
            "has no header any more: it was overwritten, as by a write behind the end of the block before \
             it, which has {size} bytes"
        ),
        Around::Unknown => "was never allocated".to_owned(),
    }
}

/// Ends the iteration with a verdict if the program frees memory that nobody has allocated: part of a stack,
/// or of the executable. All else that is no block of the arena may be one from before the iteration.
pub fn check_foreign(address: *mut u8, what: &str) {
    let engine = current_engine();
    // SAFETY: a set engine is live.
    let on_stack = unsafe { engine.as_ref() }
        .is_some_and(|engine| engine.worker_with_stack(address as usize).is_some());
    let place = if on_stack {
        "it is on a stack"
    } else if is_of_executable(address as usize) && !engine.is_null() {
        "it is part of the executable, as statics are"
    } else {
        return;
    };
    bad_free(
        &format!("memory is {what} that was never allocated: {place}"),
        address as usize,
    );
}

/// Fills memory of the arena with zeros.
///
/// # Safety
///
/// Nobody else uses it.
unsafe fn clear(from: *mut u8, size: usize) {
    // SAFETY: the caller's.
    unsafe {
        if size >= GREAT {
            clear_pages(from, size);
        } else {
            from.write_bytes(0, size);
        }
    }
}

/// Fills memory of the arena with zeros, by giving its whole pages back: the system has fresh ones.
///
/// # Safety
///
/// As for [`clear`].
pub(super) unsafe fn clear_pages(from: *mut u8, size: usize) {
    let before = from.align_offset(PAGE).min(size);
    let whole = (size - before) / PAGE * PAGE;
    // SAFETY: all of it lies in the memory that the caller has.
    unsafe {
        let pages = from.add(before);
        from.write_bytes(0, before);
        if libc::madvise(pages.cast(), whole, libc::MADV_DONTNEED) != 0 {
            pages.write_bytes(0, whole);
        }
        pages.add(whole).write_bytes(0, size - before - whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::Rng;

    /// A process has one arena, so there is one test of it.
    #[test]
    fn blocks_are_aligned_known_poisoned_and_forgotten() {
        open(u64::MAX);
        // SAFETY: the region is open, nobody else uses it, and all that is touched lies in blocks.
        unsafe {
            let first = allocate(100, 1);
            let second = allocate(10, 256);
            assert!((first as usize).is_multiple_of(HEADER));
            assert!((second as usize).is_multiple_of(256));
            assert_eq!(size_of_block(first), 100);
            assert!(contains(first) && contains(second));
            assert!(!contains((&raw const first).cast_mut().cast()));

            assert!(resize_in_place(second, 5000), "nothing lies behind it");
            assert!(!resize_in_place(first, 5000));
            assert!(resize_in_place(first, 50));
            assert_eq!(allocate(REGION, 16), null_mut());

            first.write_bytes(1, 50);
            free(first);
            assert_eq!(std::slice::from_raw_parts(first, 50), [POISON; 50]);
            assert_eq!((*header(first)).state, FREED);

            assert_ne!(allocate(100, 1), first, "freed blocks rest");

            let great = allocate(3 * GREAT, 1);
            great.write_bytes(1, 3 * GREAT);
            free(great);
            assert!((0..GREAT).all(|n| *great.add(n) == POISON));
            assert!((GREAT..3 * GREAT).all(|n| *great.add(n) == 0));
            reset(None);
            allocate(100, 1);
            let zeros = allocate_zeroed(2 * GREAT);
            assert!((0..2 * GREAT).all(|n| *zeros.add(n) == 0));
            let table = allocate_zeroed(REGION / 2);
            assert_eq!((*table, *table.add(REGION / 2 - 1)), (0, 0));
            free(table);
            reset(Some(1));
            assert_eq!(allocate(100, 1), first);

            let sizes = [1, 24, 1024, 5000];
            let blocks = sizes.map(|size| allocate(size, 1));
            for block in blocks {
                free(block);
            }
            let again = [16, 17, 1009, 4096].map(|size| allocate(size, 1));
            assert_eq!(again, blocks, "each has room for what is asked for");
            assert!(size_of_block(again[0]) >= 16);
            let [.., last] = again;
            free(last);
            assert_ne!(allocate(8192, 1), last);
            // Blocks of the margin change nothing elsewhere.
            let mut aside = null_mut();
            beside(|| {
                aside = allocate(100, 1);
                free(allocate(17, 1));
            });
            assert!(contains(aside) && is_of_margin(aside) && !is_of_margin(first));
            free(aside);
            free(again[1]);
            free(again[2]);
            assert_eq!(allocate(30, 1), again[1], "by size");
            reset(None);
        }
        for seed in 0..60 {
            what_is_given_back_is_of_no_live_block(seed);
        }
    }

    /// Blocks lie where earlier iterations had others, and are written at their ends only: all else is what
    /// was there before, headers too.
    fn what_is_given_back_is_of_no_live_block(seed: u64) {
        const END: usize = 32;
        let mut rng = Rng::new(seed);
        let mut live: Vec<(*mut u8, usize, u8)> = Vec::new();
        // SAFETY: the region is open, nobody else uses it, and all that is looked at lies in blocks.
        let is_whole = |&(block, size, tag): &(*mut u8, usize, u8)| unsafe {
            let ends = [block, block.add(size - END)];
            ends.iter()
                .all(|&end| std::slice::from_raw_parts(end, END) == [tag; END])
        };
        // SAFETY: the region is open, nobody else uses it, and all that is touched lies in blocks.
        unsafe {
            reset(seed.is_multiple_of(2).then_some(seed));
            for round in 0..150_u8 {
                let chosen = rng.below(live.len().max(1) as u32) as usize;
                match rng.below(8) {
                    0..=3 => {
                        let most = [5_000, 400 << 10][rng.below(2) as usize];
                        let size = 2 * END + rng.below(most) as usize;
                        let block = allocate(size, [1, 1, 4096, 1 << 16][rng.below(4) as usize]);
                        block.write_bytes(round, END);
                        block.add(size - END).write_bytes(round, END);
                        live.push((block, size, round));
                    }
                    4..=5 if !live.is_empty() => free(live.swap_remove(chosen).0),
                    6 if !live.is_empty() => {
                        let (block, size, tag) = &mut live[chosen];
                        *size = 2 * END + rng.below((*size - 2 * END) as u32 + 1) as usize;
                        assert!(resize_in_place(*block, *size));
                        block.add(*size - END).write_bytes(*tag, END);
                    }
                    _ => {
                        let (start, top) = extent();
                        give_back(start, top);
                    }
                }
                assert!(live.iter().all(is_whole), "seed {seed}, round {round}");
            }
            reset(None);
        }
    }
}
