//! The blocks that are live, as the engine compares them.

use super::block::{FREED, HEADER, Header, LIVE, header};
use super::heap::extent;

/// The largest block that belongs to a future's state, in bytes.
const SMALL_BLOCK: usize = 256;
/// The most such blocks.
const MOST_BLOCKS: usize = 64;
/// The most pointers by which one of them is reached.
const SMALL_DEPTH: usize = 4;

/// Appends the words of all live blocks, each with its address before them.
pub(crate) fn live_words(words: &mut Vec<u64>) {
    let (mut place, top) = extent();
    while place + HEADER <= top {
        let header = place as *const Header;
        // SAFETY: below the top all is readable, and headers lie at multiples of their size.
        let (size, state) = unsafe { ((*header).size, (*header).state) };
        let is_header = (state == LIVE || state == FREED) && size <= top - place - HEADER;
        if !is_header {
            // This is room before a block of great alignment.
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

/// Appends the words of the small live blocks whose addresses are among the words, and of those that these
/// lead to: each block once, and no more than [`MOST_BLOCKS`].
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
    let (start, top) = extent();
    start != 0 && word.wrapping_sub(start as u64) < (top - start) as u64
}

/// True if the number is the address of a block that has been freed.
pub(crate) fn is_freed(word: u64) -> bool {
    let is_block = is_address(word) && word.is_multiple_of(HEADER as u64);
    // SAFETY: below the top all is readable, and a header lies before where a block can begin.
    is_block
        && is_address(word - HEADER as u64)
        && unsafe { (*header(word as *mut u8)).state == FREED }
}
