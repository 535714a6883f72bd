//! The engine's own heap, in programs with a global allocator written in Rust, and where each schedule has a
//! process of its own.
//!
//! The engine does not use that allocator, which might count the engine's memory, or have a lock that a
//! worker holds. And what it learns from a schedule must outlive the process that has made it, so that the
//! heap can be in memory that all of these share. The address of a block tells that it is of this heap, so
//! any thread may free it. Sizes are powers of two. Freed blocks are used again, and never go back to the
//! system.

use std::alloc::Layout;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::address_space;
use crate::engine::{is_at_work, outside};

/// The size of the region, unless limits want less: address space only, since memory is taken page by page.
const REGION: usize = 64 << 30;
/// The size of the smallest block: it has room for a pointer.
const SMALLEST: usize = 16;
/// The number of powers of two in the region.
const CLASSES: usize = REGION.ilog2() as usize + 1;

/// The address of the region; 0 before there is one.
static START: AtomicUsize = AtomicUsize::new(0);
/// Its size, which is less where limits want it.
static SIZE: AtomicUsize = AtomicUsize::new(0);
/// True if it is in shared memory, and serves the engine in all programs.
static IS_SHARED: AtomicBool = AtomicBool::new(false);
/// Held while blocks are taken or given back. Of processes that share the heap one runs at a time.
static LOCK: Mutex<()> = Mutex::new(());

/// The free blocks: what the region begins with.
struct Heap {
    /// The address from which on nothing has been used yet.
    top: usize,
    /// Lists of freed blocks, by the power of two, linked through their first word.
    free: [usize; CLASSES],
}

/// True if the block is of this heap.
#[inline]
pub fn contains(block: *mut u8) -> bool {
    let start = START.load(Ordering::Relaxed);
    start != 0 && block.addr().wrapping_sub(start) < SIZE.load(Ordering::Relaxed)
}

/// Moves the heap into memory that copies of this process share, before there is a block of it; true if it is
/// there.
pub(crate) fn share() -> bool {
    assert_eq!(START.load(Ordering::Relaxed), 0, "there is no block yet");
    let region = address_space::reserve_shared(REGION, 4);
    if let Some(region) = region {
        open(region);
        IS_SHARED.store(true, Ordering::Relaxed);
    }
    region.is_some()
}

/// True if what is allocated now is the engine's, and to be in shared memory.
#[inline]
pub fn is_wanted() -> bool {
    IS_SHARED.load(Ordering::Relaxed) && is_at_work()
}

/// Returns a new block, or null when the region is exhausted.
pub fn allocate(layout: Layout) -> *mut u8 {
    // A block is aligned to its size.
    let Some(size) = size_of_block(layout.size(), layout.align()) else {
        return null_mut();
    };
    with_heap(|heap| heap.take(size)).unwrap_or(0) as *mut u8
}

/// The words before a block whose size nobody says when it is given back.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Header {
    size: usize,
    /// The alignment of block and header together.
    align: usize,
}

/// As [`allocate`], for those who give a block back without its layout.
pub fn allocate_with_header(size: usize, align: usize) -> *mut u8 {
    let align = align.max(size_of::<Header>());
    let whole = size
        .checked_add(align)
        .and_then(|whole| Layout::from_size_align(whole, align).ok());
    let start = whole.map_or(null_mut(), allocate);
    if start.is_null() {
        return start;
    }
    // SAFETY: the block has room for the alignment, which is that of a header at least, before the rest.
    unsafe {
        let block = start.add(align);
        header_of(block).write(Header { size, align });
        block
    }
}

/// The header of a block that has one; the block is aligned as that is.
fn header_of(block: *mut u8) -> *mut Header {
    block.wrapping_sub(size_of::<Header>()).cast()
}

/// Gives a block back.
///
/// # Safety
///
/// The block must be of [`allocate_with_header`], and used by nobody else.
pub unsafe fn free_with_header(block: *mut u8) {
    // SAFETY: the caller's; the layout is that of the whole.
    unsafe {
        let Header { size, align } = header_of(block).read();
        let whole = Layout::from_size_align_unchecked(size + align, align);
        free(block.sub(align), whole);
    }
}

/// The size of a block in bytes, as it was asked for.
///
/// # Safety
///
/// The block must be of [`allocate_with_header`].
pub unsafe fn size_in_header(block: *mut u8) -> usize {
    // SAFETY: the caller's.
    unsafe { header_of(block).read().size }
}

/// Gives a block back.
///
/// # Safety
///
/// The block must be of [`allocate`] for this layout, or of [`resize`] to it, and used by nobody else.
pub unsafe fn free(block: *mut u8, layout: Layout) {
    if let Some(size) = size_of_block(layout.size(), layout.align()) {
        // SAFETY: the caller's.
        with_heap(|heap| unsafe { heap.put(block.addr(), size) });
    }
}

/// Makes a block larger or smaller, elsewhere if it must. Returns null, and leaves it, when the region is
/// exhausted.
///
/// # Safety
///
/// As for [`free`]; and the new size must do for a layout with the same alignment.
pub unsafe fn resize(block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
    let before = size_of_block(layout.size(), layout.align());
    if before == size_of_block(size, layout.align()) {
        return block;
    }
    // SAFETY: the caller's; a new block has the smaller of both sizes.
    unsafe {
        let moved = allocate(Layout::from_size_align_unchecked(size, layout.align()));
        if !moved.is_null() {
            moved.copy_from_nonoverlapping(block, layout.size().min(size));
            free(block, layout);
        }
        moved
    }
}

fn size_of_block(size: usize, align: usize) -> Option<usize> {
    let size = size.max(align).max(SMALLEST).checked_next_power_of_two()?;
    (size <= REGION).then_some(size)
}

/// Locks the heap: workers and other threads give back blocks that the engine has made. `None` if there is no
/// memory for one.
fn with_heap<R>(f: impl FnOnce(&mut Heap) -> R) -> Option<R> {
    let lock = || -> MutexGuard<'_, ()> { LOCK.lock().unwrap_or_else(PoisonError::into_inner) };
    outside(|| {
        let _alone = lock();
        if START.load(Ordering::Relaxed) == 0 {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            open(address_space::reserve(0, REGION, protection, 4)?);
        }
        let heap = START.load(Ordering::Relaxed) as *mut Heap;
        // SAFETY: the region begins with it, and the lock is held.
        Some(f(unsafe { &mut *heap }))
    })
}

/// Begins a heap in a fresh region.
fn open((place, size): (usize, usize)) {
    let heap = Heap {
        top: place + size_of::<Heap>(),
        free: [0; CLASSES],
    };
    // SAFETY: the region is ours, and large enough.
    unsafe { (place as *mut Heap).write(heap) };
    SIZE.store(size, Ordering::Relaxed);
    START.store(place, Ordering::Relaxed);
}

impl Heap {
    /// Takes a block of this size, a power of two; returns its address, or 0 if there is none.
    fn take(&mut self, size: usize) -> usize {
        let free = &mut self.free[size.ilog2() as usize];
        if *free != 0 {
            let block = *free;
            // SAFETY: a block in a list is free and holds the next.
            *free = unsafe { *(block as *const usize) };
            return block;
        }
        let start = START.load(Ordering::Relaxed);
        let block = self.top.next_multiple_of(size);
        let end = start + SIZE.load(Ordering::Relaxed);
        if block.checked_add(size).is_none_or(|after| after > end) {
            return 0;
        }
        self.top = block + size;
        block
    }

    /// Takes back a block of this size.
    ///
    /// # Safety
    ///
    /// The block must be of [`Heap::take`], and used by nobody else.
    unsafe fn put(&mut self, block: usize, size: usize) {
        let free = &mut self.free[size.ilog2() as usize];
        // SAFETY: the caller's; each block has room for an address.
        unsafe { *(block as *mut usize) = *free };
        *free = block;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use super::*;

    fn layout(size: usize, align: usize) -> Layout {
        Layout::from_size_align(size, align).expect("a layout")
    }

    /// A test may take the block that another one has given back.
    fn alone() -> MutexGuard<'static, ()> {
        static ALONE: Mutex<()> = Mutex::new(());
        ALONE.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[test]
    fn blocks_are_aligned_known_and_used_again() {
        let _alone = alone();
        let (small, page) = (layout(100, 1), layout(10, 4096));
        let (first, second) = (allocate(small), allocate(page));
        assert!(contains(first) && contains(second));
        assert!(!contains((&raw const first).cast_mut().cast()));
        assert!(second.addr().is_multiple_of(4096));
        // SAFETY: all that is touched lies in blocks, each of which is given back once.
        unsafe {
            first.write_bytes(1, 100);
            assert_eq!(resize(first, small, 128), first, "there is room");
            let third = resize(first, layout(128, 1), 129);
            assert_ne!(third, first);
            assert_eq!(std::slice::from_raw_parts(third, 100), [1; 100]);
            assert_eq!(allocate(small), first, "it was given back");
            free(third, layout(129, 1));
            free(second, page);
        }
        assert_eq!(allocate(layout(2 * REGION, 1)), null_mut());
    }

    #[test]
    fn a_block_with_a_header_knows_its_size_and_alignment() {
        let _alone = alone();
        for (size, align) in [(0, 1), (100, 16), (5000, 4096), (1, 64)] {
            let block = allocate_with_header(size, align);
            assert!(contains(block) && block.addr().is_multiple_of(align));
            // SAFETY: all that is touched lies in the block, which is given back once.
            unsafe {
                block.write_bytes(1, size);
                assert_eq!(size_in_header(block), size);
                free_with_header(block);
            }
            assert_eq!(allocate_with_header(size, align), block, "it is used again");
        }
        assert_eq!(allocate_with_header(usize::MAX, 16), null_mut());
    }
}
