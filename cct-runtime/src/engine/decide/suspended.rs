//! The state of a suspended worker: its registers and its stack.
//!
//! Its context lies at the callee-saved registers, which lie on top of its stack, see
//! [`crate::engine::switch`]. A worker may have left its stack for one that the program has made, as that
//! of a coroutine: it goes on with both then.

use std::ops::Range;

use crate::engine::state::worker::Worker;
use crate::memory::{arena, mappings};

/// The words that a suspended worker has on its own stack, with its registers; none where it is on another.
pub(super) fn own_stack(worker: &Worker) -> &[u64] {
    if worker.is_on_own_stack() {
        // SAFETY: from its context to its base the stack of a suspended worker is its own and mapped.
        unsafe { words(worker.context.addr()..worker.stack.base.addr()) }
    } else {
        &[]
    }
}

/// A hash of all that a suspended worker's next steps can depend on, apart from memory that others see;
/// none if it is on a stack of which nobody knows where it ends.
pub(super) fn hash_of_state(worker: &Worker) -> Option<u64> {
    if worker.is_on_own_stack() {
        return Some(hash_of(own_stack(worker)));
    }
    let at = worker.context.addr();
    let around = mappings::around(at).or_else(|| arena::block_around(at))?;
    // Where it left its own stack is not known: below that lies what was there before.
    let own = worker.stack.touched()?;
    // SAFETY: the iteration's memory is mapped, and nobody runs.
    let hashes = unsafe { [hash_of(words(at..around.end)), hash_of(words(own))] };
    Some(hash_of(&hashes))
}

/// A hash of some words.
pub(crate) fn hash_of(words: &[u64]) -> u64 {
    // FNV-1a over words: a collision would need 2^32 states, and would still need all workers at once.
    words.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &word| {
        (hash ^ word)
            .wrapping_mul(0x0000_0100_0000_01B3)
            .rotate_left(23)
    })
}

/// The whole words of this memory.
///
/// # Safety
///
/// It can be read, begins at a multiple of a word's length, and does not change as long as they are used.
unsafe fn words<'a>(memory: Range<usize>) -> &'a [u64] {
    let count = memory.len() / size_of::<u64>();
    // SAFETY: the caller's.
    unsafe { std::slice::from_raw_parts(memory.start as *const u64, count) }
}
