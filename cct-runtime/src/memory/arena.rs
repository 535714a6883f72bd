//! The iteration arena: the heap of controlled workers.
//!
//! A bump allocator over one region at a fixed address, so that an iteration finds the same addresses
//! whenever it is run. A block knows its size and whether it is live, so that a double free is seen; freed
//! memory is overwritten, of a great block the first part, so that use after free does not look right by
//! accident. For that, nothing is given out again before the iteration ends, unless it uses very much.
//!
//! But a compare-and-exchange that takes a new block for the old one at its place (ABA) needs blocks that are
//! used again: in some iterations they are, the last that was freed before the others or after them, by lot.
//!
//! The allocation functions of the C library, taken over by symbol, lead here.

use std::cell::UnsafeCell;
use std::ptr::{NonNull, null_mut};

use crate::engine::{bad_memory, current_engine};
use crate::strategy::Rng;

/// Where the region is asked for; any other place does as well, but is not the same in each process.
const HOME: usize = 0x2000_0000_0000;
/// Address space only: memory is taken page by page.
const REGION: usize = 64 << 30;
/// From here on freed blocks are used again in every iteration.
const REUSE_FROM: usize = 512 << 20;
/// From this size on memory is cleared by handing its pages back: tables of gigabytes of which nobody uses
/// but a few pages are allocated at once, natively.
const GREAT: usize = 4 << 20;
/// Pages are this large, or this is a multiple of their size.
const PAGE: usize = 64 << 10;
/// A block's header; the alignment of every block.
const HEADER: usize = 16;

const LIVE: usize = 0x6C69_7665_6C69_7665;
const FREED: usize = 0x6672_6565_6672_6565;
const POISON: u8 = 0xDD;
/// Up to here there is a list for each size, in units of headers; above, for each power of two.
const SMALL: usize = 1024;
const SMALL_CLASSES: usize = SMALL / HEADER + 1;
const CLASSES: usize = SMALL_CLASSES + 40;

/// The largest blocks that belong to a future's state, in bytes, how many there are of them at most, and over
/// how many pointers they are reached.
const SMALL_BLOCK: usize = 256;
const MOST_BLOCKS: usize = 64;
const SMALL_DEPTH: usize = 4;

/// What stands before each block.
#[repr(C)]
struct Header {
    size: usize,
    state: usize,
}

struct Arena {
    start: usize,
    /// The first free byte.
    top: usize,
    /// Freed blocks are used again once so much is used.
    reuse_from: usize,
    /// Says which of them comes first.
    rng: Rng,
    /// Freed blocks by the least room that they have.
    free: [Freed; CLASSES],
    /// Whether one of them was ever put there in this iteration.
    has_freed: bool,
}

/// A list of blocks, linked through their first word.
#[derive(Clone, Copy)]
struct Freed {
    first: *mut u8,
    last: *mut u8,
}

const NONE: Freed = Freed {
    first: null_mut(),
    last: null_mut(),
};

struct Shared(UnsafeCell<Arena>);

// SAFETY: the arena is used by the engine's OS thread only; `contains` reads `start`, set once before.
unsafe impl Sync for Shared {}

static ARENA: Shared = Shared(UnsafeCell::new(Arena {
    start: 0,
    top: 0,
    reuse_from: REUSE_FROM,
    rng: Rng::new(0),
    free: [NONE; CLASSES],
    has_freed: false,
}));

/// Reserves the region; allocations of controlled workers come from it from now on.
pub(crate) fn open() {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a fresh mapping touches nobody's memory; the arena is ours, see `Shared`.
    unsafe {
        let home = HOME as *mut libc::c_void;
        let place = libc::mmap(home, REGION, protection, flags, -1, 0);
        assert_ne!(
            place,
            libc::MAP_FAILED,
            "no address space for the iteration arena"
        );
        (*ARENA.0.get()).start = place as usize;
        (*ARENA.0.get()).top = place as usize;
    }
}

/// Forgets every block. What is freed from now on rests, or with a seed is used again, in an order drawn by
/// lot. What an unusually large iteration held goes back to the system.
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
        if std::mem::take(&mut arena.has_freed) {
            arena.free = [NONE; CLASSES];
        }
        arena.reuse_from = reuse.map_or(REUSE_FROM, |_| 0);
        arena.rng = Rng::new(reuse.unwrap_or(0));
    }
}

/// True on a controlled worker: allocations come from the arena.
#[inline]
pub fn is_in_use() -> bool {
    // SAFETY: `start` is set once, before the engine can be.
    !current_engine().is_null() && unsafe { (*ARENA.0.get()).start != 0 }
}

/// True if the block came from the arena, in whatever iteration.
#[inline]
pub fn contains(block: *mut u8) -> bool {
    // SAFETY: `start` is set once, before there can be such a block.
    let start = unsafe { (*ARENA.0.get()).start };
    start != 0 && (block as usize).wrapping_sub(start) < REGION
}

/// A new block, or null when the region is exhausted. `align` is a power of two.
///
/// # Safety
///
/// [`is_in_use`] must be true.
pub unsafe fn allocate(size: usize, align: usize) -> *mut u8 {
    // SAFETY: on the engine's thread, see `Shared`.
    let arena = unsafe { &mut *ARENA.0.get() };
    let align = align.max(HEADER);
    if arena.top - arena.start > arena.reuse_from
        && align == HEADER
        && let Some(block) = arena.take_freed(size)
    {
        return block.as_ptr();
    }
    let block = (arena.top + HEADER).next_multiple_of(align);
    match block.checked_add(size) {
        Some(end) if end <= arena.start + REGION => arena.top = end.next_multiple_of(HEADER),
        _ => return null_mut(),
    }
    let block = block as *mut u8;
    // SAFETY: the header lies between the old top and the block.
    unsafe { header(block).write(Header { size, state: LIVE }) };
    block
}

/// A new block of zeros, or null when the region is exhausted.
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

/// Gives a block back. One that is not live ends the iteration with that verdict.
///
/// # Safety
///
/// [`contains`] must be true of the block.
pub unsafe fn free(block: *mut u8) {
    // SAFETY: a block of the arena has a header, unless the program made the address up.
    unsafe {
        check_live(block, "freed");
        let size = (*header(block)).size;
        (*header(block)).state = FREED;
        block.write_bytes(POISON, size.min(GREAT));
        if size > GREAT {
            clear(block.add(GREAT), size - GREAT);
        }
        (*ARENA.0.get()).put_freed(block, size);
    }
}

/// The usable size of a block.
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
            let fits = end <= arena.start + REGION;
            if fits {
                arena.top = end.next_multiple_of(HEADER);
            }
            fits
        } else {
            size <= (*header(block)).size
        };
        if fits {
            (*header(block)).size = size;
        }
        fits
    }
}

/// How many bytes the iteration has used.
pub(crate) fn used() -> usize {
    // SAFETY: on the engine's thread, see `Shared`.
    let arena = unsafe { &*ARENA.0.get() };
    arena.top - arena.start
}

/// Appends the words of all live blocks, with where each begins.
pub(crate) fn live_words(words: &mut Vec<u64>) {
    // SAFETY: as above.
    let (mut place, top) = unsafe { ((*ARENA.0.get()).start, (*ARENA.0.get()).top) };
    while place + HEADER <= top {
        let header = place as *const Header;
        // SAFETY: below the top all is readable, and headers lie at multiples of their size.
        let (size, state) = unsafe { ((*header).size, (*header).state) };
        let is_header = (state == LIVE || state == FREED) && size <= top - place - HEADER;
        if !is_header {
            // Room before a block of great alignment.
            place += HEADER;
            continue;
        }
        let block = place + HEADER;
        if state == LIVE {
            words.push(block as u64);
            words.extend((0..size.div_ceil(8)).map(|index| {
                // SAFETY: the block has that size, up to the next header.
                unsafe { (block as *const u64).add(index).read() }
            }));
        }
        place = (block + size).next_multiple_of(HEADER);
    }
}

/// Appends the words of the small live blocks that the words are addresses of, and of those that these lead
/// to: each once, and no endless number of them.
pub(crate) fn small_blocks(words: &mut Vec<u64>) {
    let mut known = Vec::new();
    for _ in 0..SMALL_DEPTH {
        let from = words.len();
        let pointers = words.clone();
        for word in pointers {
            // An `Arc`'s contents lie behind its counts.
            let found = [word, word.wrapping_sub(HEADER as u64)]
                .into_iter()
                .find(|&block| is_live(block));
            let Some(block) = found.filter(|block| !known.contains(block)) else {
                continue;
            };
            // SAFETY: a header lies before each block.
            let size = unsafe { (*header(block as *mut u8)).size };
            if size > SMALL_BLOCK || known.len() == MOST_BLOCKS {
                continue;
            }
            known.push(block);
            words.extend((0..size.div_ceil(8)).map(|index| {
                // SAFETY: the block has that size, up to the next header.
                unsafe { (block as *const u64).add(index).read() }
            }));
        }
        if words.len() == from {
            break;
        }
    }
}

/// True if the number is the address of a live block.
fn is_live(word: u64) -> bool {
    is_address(word)
        && word.is_multiple_of(HEADER as u64)
        && is_address(word - HEADER as u64)
        // SAFETY: below the top all is readable, and a header lies before where a block can begin.
        && unsafe { (*header(word as *mut u8)).state == LIVE }
}

/// True if the number is an address in the arena.
pub(crate) fn is_address(word: u64) -> bool {
    // SAFETY: as above.
    let start = unsafe { (*ARENA.0.get()).start } as u64;
    start != 0 && word.wrapping_sub(start) < used() as u64
}

/// True if the number is the address of a block that has been freed.
pub(crate) fn is_freed(word: u64) -> bool {
    let is_block = is_address(word) && word.is_multiple_of(HEADER as u64);
    // SAFETY: below the top all is readable, and a header lies before where a block can begin.
    is_block
        && is_address(word - HEADER as u64)
        && unsafe { (*header(word as *mut u8)).state == FREED }
}

unsafe fn check_live(block: *mut u8, what: &str) {
    // SAFETY: the caller's.
    let state = unsafe { (*header(block)).state };
    let engine = current_engine();
    if state == LIVE || engine.is_null() {
        return;
    }
    let reason = if state == FREED {
        "has been freed before"
    } else {
        "was never allocated"
    };
    bad_memory(engine, &format!("memory is {what} that {reason}"));
}

/// Fills memory of the arena, which nobody else uses, with zeros.
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

/// Likewise, by giving up the whole pages: the system has zeros for who touches them next.
unsafe fn clear_pages(from: *mut u8, size: usize) {
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

unsafe fn header(block: *mut u8) -> *mut Header {
    // SAFETY: the caller has a block, which a header precedes.
    unsafe { block.sub(HEADER).cast() }
}

#[expect(
    clippy::cast_ptr_alignment,
    reason = "blocks are aligned to `HEADER` at least"
)]
impl Arena {
    fn put_freed(&mut self, block: *mut u8, size: usize) {
        if self.top - self.start > self.reuse_from && size > 0 {
            let class = small_class(size).unwrap_or(SMALL_CLASSES + size.ilog2() as usize);
            self.has_freed = true;
            let list = &mut self.free[class];
            // SAFETY: free blocks have room for a pointer, since the next one begins a header's length later.
            unsafe {
                if list.first.is_null() {
                    link(block, null_mut());
                    (list.first, list.last) = (block, block);
                } else if self.rng.below(2) == 0 {
                    link(block, list.first);
                    list.first = block;
                } else {
                    link(block, null_mut());
                    link(list.last, block);
                    list.last = block;
                }
            }
        }
    }

    fn take_freed(&mut self, size: usize) -> Option<NonNull<u8>> {
        let class = match small_class(size) {
            Some(class) => class,
            None => SMALL_CLASSES + size.checked_next_power_of_two()?.ilog2() as usize,
        };
        let list = self.free.get_mut(class)?;
        let block = NonNull::new(list.first)?;
        // SAFETY: a block in a list is free and holds the next; it has room for what its class is for.
        unsafe {
            list.first = block.as_ptr().cast::<*mut u8>().read();
            let header = header(block.as_ptr());
            (*header).state = LIVE;
            (*header).size = size.max((*header).size);
        }
        Some(block)
    }
}

/// The list of a small size; the room of a block is a multiple of a header's length.
fn small_class(size: usize) -> Option<usize> {
    (size <= SMALL).then(|| size.div_ceil(HEADER))
}

/// Writes down in a free block which one is next.
#[expect(
    clippy::cast_ptr_alignment,
    reason = "blocks are aligned to `HEADER` at least"
)]
unsafe fn link(block: *mut u8, next: *mut u8) {
    // SAFETY: the caller's.
    unsafe { block.cast::<*mut u8>().write(next) };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arena is one for each process, so its tests are one too.
    #[test]
    fn blocks_are_aligned_known_poisoned_and_forgotten() {
        open();
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
            free(again[1]);
            free(again[2]);
            assert_eq!(allocate(30, 1), again[1], "by size");
            reset(None);
        }
    }
}
