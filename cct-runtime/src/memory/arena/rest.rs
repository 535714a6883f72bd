//! Memory of freed blocks that rest, given back to the system when the limit of memory is near.

use super::block::{FREED, HEADER, Header, LIVE};
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
    let mut place = start;
    while place + HEADER <= top {
        // SAFETY: below the top all is readable, and headers lie at multiples of their size.
        let (size, state) = unsafe {
            let header = place as *const Header;
            ((*header).size, (*header).state)
        };
        let is_header = (state == LIVE || state == FREED) && size <= top - place - HEADER;
        if !is_header {
            // This is room before a block of great alignment.
            place += HEADER;
            continue;
        }
        let block = place + HEADER;
        if state == FREED && size >= LEAST {
            // SAFETY: nobody uses a freed block, but for its link.
            unsafe { clear_pages((block + KEPT) as *mut u8, size - KEPT) };
        }
        place = (block + size).next_multiple_of(HEADER);
    }
}
