//! The blocks that are live, as the engine compares them.

use std::ops::Range;

use super::block::{FREED, HEADER, LIVE, for_each, header};
use super::heap::extent;

/// The largest block that belongs to a future's state, in bytes.
const SMALL_BLOCK: usize = 256;
/// The most such blocks.
const MOST_BLOCKS: usize = 64;
/// The most pointers by which one of them is reached.
const SMALL_DEPTH: usize = 4;

/// Appends the words of all live blocks, each with its address before them.
pub(crate) fn live_words(words: &mut Vec<u64>) {
    let (start, top) = extent();
    let each = |block: usize, size: usize, is_live: bool| {
        if is_live {
            words.push(block as u64);
            // SAFETY: the block is live.
            unsafe { words_of(block, size, words) };
        }
    };
    // SAFETY: that is the arena, on the engine's thread.
    unsafe { for_each(start, top, each) };
}

/// The block that contains this address.
pub(crate) fn block_around(address: usize) -> Option<Range<usize>> {
    if !is_address(address as u64) {
        return None;
    }
    let (start, top) = extent();
    let mut found = None;
    let each = |block: usize, size: usize, _| {
        if address.wrapping_sub(block) < size {
            found = Some(block..block + size);
        }
    };
    // SAFETY: that is the arena, on the engine's thread.
    unsafe { for_each(start, top, each) };
    found
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
            // SAFETY: the block is live.
            unsafe { words_of(block as usize, size, words) };
        }
        if words.len() == from {
            break;
        }
    }
}

/// Appends the words of a block. Of its last one only what belongs to it: behind that lies what was there
/// before.
///
/// # Safety
///
/// The block is live and has that size.
unsafe fn words_of(block: usize, size: usize, words: &mut Vec<u64>) {
    // SAFETY: by the caller; up to the next header all is readable.
    let word = |index: usize| unsafe { (block as *const u64).add(index).read() };
    words.extend((0..size / 8).map(word));
    let rest = size % 8;
    if rest > 0 {
        words.push(word(size / 8) & ((1 << (rest * 8)) - 1));
    }
}

/// True if the number is the address of a live block.
fn is_live(word: u64) -> bool {
    state(word) == Some(LIVE)
}

/// True if the number is an address in the arena.
pub(crate) fn is_address(word: u64) -> bool {
    let (start, top) = extent();
    start != 0 && word.wrapping_sub(start as u64) < (top - start) as u64
}

/// True if the number is the address of a block that has been freed.
pub(crate) fn is_freed(word: u64) -> bool {
    state(word) == Some(FREED)
}

/// True if the number is the address of a block, whether it is live or not.
pub(crate) fn is_block(word: u64) -> bool {
    matches!(state(word), Some(LIVE | FREED))
}

/// The state in the header before this address; `None` where no block can begin.
fn state(word: u64) -> Option<usize> {
    let is_possible =
        is_address(word) && word.is_multiple_of(HEADER as u64) && is_address(word - HEADER as u64);
    // SAFETY: below the top all is readable, and a header lies before where a block can begin.
    is_possible.then(|| unsafe { (*header(word as *mut u8)).state })
}
