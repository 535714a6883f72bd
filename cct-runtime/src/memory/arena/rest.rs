//! Memory of freed blocks that rest, given back to the system when the limit of memory is near.

use super::block::for_each;
use super::heap::clear_pages;

/// The first bytes of a block stay as they are: the lists of freed blocks have a link there.
const KEPT: usize = 64;
/// A block with less than this has no whole pages to give back.
const LEAST: usize = 128 << 10;

/// Gives back the pages of all freed blocks between these addresses; what is read there afterwards are zeros.
///
/// # Safety
///
/// The memory is the arena's, from its start to its top, on the engine's thread.
#[cold]
pub(super) unsafe fn give_back(start: usize, top: usize) {
    let each = |block: usize, size: usize, is_live: bool| {
        if !is_live && size >= LEAST {
            // SAFETY: nobody uses a freed block, but for its link.
            unsafe { clear_pages((block + KEPT) as *mut u8, size - KEPT) };
        }
    };
    // SAFETY: the caller's.
    unsafe { for_each(start, top, each) };
}
