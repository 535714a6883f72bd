//! The lists of freed blocks that are used again.

use std::ptr::{NonNull, null_mut};

use super::block::{HEADER, LIVE, header};
use crate::strategy::Rng;

/// Up to this size there is a list for each multiple of a header's length; above, for each power of two.
const SMALL: usize = 1024;
const SMALL_CLASSES: usize = SMALL / HEADER + 1;
/// So many blocks of a list are looked at for one that fits.
const LOOKED_THROUGH: usize = 8;
const CLASSES: usize = SMALL_CLASSES + 40;

/// The freed blocks.
pub(super) struct FreedBlocks {
    /// Says whether a block is put first or last.
    rng: Rng,
    /// The lists, by the least room of their blocks.
    lists: [Freed; CLASSES],
    /// A block was put into one of them in this iteration.
    is_any: bool,
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

impl FreedBlocks {
    /// No blocks, of which a generator with this seed says later which comes first.
    pub(super) const fn new(seed: u64) -> FreedBlocks {
        FreedBlocks {
            rng: Rng::new(seed),
            lists: [NONE; CLASSES],
            is_any: false,
        }
    }

    /// Forgets all of them.
    pub(super) fn reset(&mut self, seed: u64) {
        if std::mem::take(&mut self.is_any) {
            self.lists = [NONE; CLASSES];
        }
        self.rng = Rng::new(seed);
    }

    /// Puts a block of this size into its list, as the first or the last one.
    ///
    /// # Safety
    ///
    /// It must be a block of the arena that nobody uses.
    pub(super) unsafe fn put(&mut self, block: *mut u8, size: usize) {
        if size > 0 {
            let class = small_class(size).unwrap_or(SMALL_CLASSES + size.ilog2() as usize);
            self.is_any = true;
            let list = &mut self.lists[class];
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

    /// Takes a block that has room for this size.
    pub(super) fn take(&mut self, size: usize) -> Option<NonNull<u8>> {
        let block = if let Some(class) = small_class(size) {
            self.lists[class].take_first()?
        } else {
            let class = SMALL_CLASSES + size.checked_next_power_of_two()?.ilog2() as usize;
            let first = self.lists.get_mut(class)?.take_first();
            // Blocks of the class below may have room, too: those that had the same size before.
            first.or_else(|| self.lists[class - 1].take_fitting(size))?
        };
        // SAFETY: the block is free, and has room.
        unsafe {
            let header = header(block.as_ptr());
            (*header).state = LIVE;
            (*header).size = size.max((*header).size);
        }
        Some(block)
    }
}

#[expect(
    clippy::cast_ptr_alignment,
    reason = "blocks are aligned to `HEADER` at least"
)]
impl Freed {
    /// Takes the first block.
    fn take_first(&mut self) -> Option<NonNull<u8>> {
        let block = NonNull::new(self.first)?;
        // SAFETY: a block in a list is free and holds the next.
        self.first = unsafe { block.as_ptr().cast::<*mut u8>().read() };
        Some(block)
    }

    /// Takes the first block with room for this size, of the first few.
    fn take_fitting(&mut self, size: usize) -> Option<NonNull<u8>> {
        let (mut before, mut place) = (null_mut::<u8>(), self.first);
        for _ in 0..LOOKED_THROUGH {
            let block = NonNull::new(place)?;
            // SAFETY: a block in a list is free, has a header and holds the next.
            unsafe {
                let next = place.cast::<*mut u8>().read();
                if (*header(place)).size >= size {
                    if before.is_null() {
                        self.first = next;
                    } else {
                        link(before, next);
                    }
                    if next.is_null() {
                        self.last = before;
                    }
                    return Some(block);
                }
                (before, place) = (place, next);
            }
        }
        None
    }
}

/// Returns the list of a small size; the room of a block is a multiple of a header's length.
fn small_class(size: usize) -> Option<usize> {
    (size <= SMALL).then(|| size.div_ceil(HEADER))
}

/// Writes the address of the next block into a free one.
///
/// # Safety
///
/// Nobody uses the block, which has room for a pointer.
#[expect(
    clippy::cast_ptr_alignment,
    reason = "blocks are aligned to `HEADER` at least"
)]
unsafe fn link(block: *mut u8, next: *mut u8) {
    // SAFETY: the caller's.
    unsafe { block.cast::<*mut u8>().write(next) };
}
