//! Memory that the program maps itself, such as the stacks of coroutines.
//!
//! The kernel places a mapping where it finds room, so that addresses would depend on what earlier
//! iterations have left behind. Mappings of controlled workers are placed in one region instead, in the
//! same order in each iteration, and are gone at its end. Between two of them a gap stays that faults.
//! Unmapped room rests to the end of the iteration, or is used again in those iterations in which freed
//! blocks are.
//!
//! Mappings that have to be elsewhere are unmapped at the end as well, and memory of the heap that the
//! program has protected is writable again. The calls of the kernel themselves are the shims'.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::statics::has_own_allocator;
use super::{address_space, arena};
use crate::engine::{is_in_allocator, note_free, note_mapped, note_reuse, outside};

const PAGE: usize = 4096;
/// The size of the region, unless limits want less.
const REGION: usize = 64 << 30;
/// The least that lies between two mappings: more than a function's frame, as a rule.
pub(crate) const GAP: usize = 64 << 10;
/// Of memory that is unmapped so many bytes are taken for written, so that accesses of others to them are
/// races: those that come later fault.
const LOOKED_AT: usize = PAGE;

/// Where the region begins, and its size; both are set once.
static START: AtomicUsize = AtomicUsize::new(0);
static SIZE: AtomicUsize = AtomicUsize::new(0);

static MAPPINGS: Mutex<Mappings> = Mutex::new(Mappings {
    top: 0,
    fresh: 0,
    live: Vec::new(),
    rests: Vec::new(),
    elsewhere: Vec::new(),
    protected: Vec::new(),
    uses_again: false,
});

/// The mappings of the iteration.
struct Mappings {
    /// The first address behind all places of the region that were handed out.
    top: usize,
    /// The place that was handed out last, if nothing was there in this iteration.
    fresh: usize,
    /// The mappings in the region, and its places that were one.
    live: Vec<Range<usize>>,
    rests: Vec<Range<usize>>,
    /// The mappings elsewhere.
    elsewhere: Vec<Range<usize>>,
    /// Memory of others that was protected.
    protected: Vec<Range<usize>>,
    uses_again: bool,
}

/// Reserves the region, behind the arena where that is possible.
pub(crate) fn open() {
    let behind = arena::region().end;
    if let Some((start, size)) = address_space::reserve(behind, REGION, libc::PROT_NONE, 4) {
        SIZE.store(size, Relaxed);
        START.store(start, Relaxed);
        state().top = start;
    }
}

/// Unmaps all that the iteration has mapped, and takes back what it has protected. From now on unmapped room
/// rests, or is used again.
pub(crate) fn reset(uses_again: bool) {
    let mut state = state();
    let start = START.load(Relaxed);
    if state.top > start {
        close(start..state.top);
        (state.top, state.fresh) = (start, 0);
    }
    state.live.clear();
    state.rests.clear();
    state.uses_again = uses_again;
    for mapping in state.elsewhere.drain(..) {
        // SAFETY: the program has mapped it, and runs no more.
        unsafe { libc::munmap(mapping.start as *mut _, mapping.len()) };
    }
    for memory in state.protected.drain(..) {
        let all = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: it was readable and writable before.
        unsafe { libc::mprotect(memory.start as *mut _, memory.len(), all) };
    }
}

/// True if a mapping that the caller makes is put back: it is a controlled worker, and not in an allocator of
/// the program, which may keep what it maps.
pub fn are_put_back() -> bool {
    START.load(Relaxed) != 0 && arena::is_in_use() && !(has_own_allocator() && is_in_allocator())
}

/// The address for a mapping of this size; none if the region has no room. Controlled workers only.
pub fn place(size: usize) -> Option<usize> {
    let size = size.checked_next_multiple_of(PAGE)?;
    if arena::is_beside() || size == 0 {
        return None;
    }
    let mut state = state();
    if state.uses_again {
        let again = state.rests.iter().rposition(|rest| rest.len() == size);
        if let Some(again) = again {
            return Some(state.rests.swap_remove(again).start);
        }
    }
    let end = START.load(Relaxed) + SIZE.load(Relaxed);
    let at = state.top.checked_add(GAP)?;
    let top = at.checked_add(size)?;
    (top <= end).then(|| {
        (state.top, state.fresh) = (top, at);
        at
    })
}

/// The program has mapped this memory, to read and write it, or else for other ends. Controlled workers only.
pub fn note_map(at: usize, size: usize, is_data: bool) {
    let mapping = at..at + size.next_multiple_of(PAGE);
    if is_data {
        note_mapped();
    }
    let is_fresh = std::mem::take(&mut state().fresh) == at;
    if !is_fresh {
        note_reuse(at, mapping.len());
    }
    outside(|| {
        let mut state = state();
        if is_fresh {
            state.live.push(mapping);
        } else if contains(at) {
            cut(&mut state.live, &mapping);
            state.live.push(mapping);
        } else {
            state.elsewhere.push(mapping);
        }
    });
}

/// The program unmaps this memory. True if it is of the region: then it must stay reserved.
pub fn note_unmap(at: usize, size: usize) -> bool {
    let mapping = at..at.saturating_add(size).next_multiple_of(PAGE);
    note_free(at, mapping.len().min(LOOKED_AT));
    outside(|| {
        let mut state = state();
        if !contains(at) {
            cut(&mut state.elsewhere, &mapping);
            return false;
        }
        if cut(&mut state.live, &mapping) {
            state.rests.push(mapping);
        }
        true
    })
}

/// The program protects this memory; it is writable again in the next iteration. Controlled workers only.
pub fn note_protect(at: usize, size: usize) {
    if arena::contains(at as *mut u8) {
        outside(|| state().protected.push(at..at + size));
    }
}

/// Keeps this memory of the region reserved, without access.
pub fn close(memory: Range<usize>) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    // SAFETY: the region is ours, and the program has given up what it had there.
    let closed = outside(|| unsafe {
        let at = memory.start as *mut _;
        libc::mmap(at, memory.len(), libc::PROT_NONE, flags, -1, 0)
    });
    closed != libc::MAP_FAILED
}

/// True for an address in the region.
#[inline]
pub fn contains(address: usize) -> bool {
    address.wrapping_sub(START.load(Relaxed)) < SIZE.load(Relaxed)
}

/// True if the iteration has mapped memory, wherever.
pub(crate) fn are_any() -> bool {
    let state = state();
    state.top > START.load(Relaxed) || !state.elsewhere.is_empty()
}

/// True if this holds for each mapping of the iteration.
pub(crate) fn are_all(holds: impl Fn(&Range<usize>) -> bool) -> bool {
    let state = state();
    state.live.iter().chain(&state.elsewhere).all(holds)
}

/// Where mappings may be.
pub(crate) fn region() -> Range<usize> {
    let start = START.load(Relaxed);
    start..start + SIZE.load(Relaxed)
}

/// Takes this place of the region, if it is free there.
pub fn take(at: usize, size: usize) -> bool {
    let size = size.next_multiple_of(PAGE);
    let end = at.saturating_add(size);
    let is_there = size > 0 && at.is_multiple_of(PAGE) && contains(at) && contains(end - 1);
    let mut state = state();
    let is_used = |mapping: &Range<usize>| mapping.start < end && at < mapping.end;
    if !is_there || state.live.iter().any(is_used) {
        return false;
    }
    cut(&mut state.rests, &(at..end));
    state.top = state.top.max(end);
    true
}

/// The mapping of the region that contains this address.
pub(crate) fn around(address: usize) -> Option<Range<usize>> {
    if !contains(address) {
        return None;
    }
    let state = state();
    let mut all = state.live.iter();
    all.find(|mapping| mapping.contains(&address)).cloned()
}

/// Takes this memory out of the mappings; true if one of them was of it and nothing else.
fn cut(mappings: &mut Vec<Range<usize>>, memory: &Range<usize>) -> bool {
    let mut was_whole = false;
    let mut left = Vec::new();
    mappings.retain(|mapping| {
        if mapping.end <= memory.start || memory.end <= mapping.start {
            return true;
        }
        was_whole |= mapping == memory;
        let (before, after) = (mapping.start..memory.start, memory.end..mapping.end);
        left.extend([before, after].into_iter().filter(|part| !part.is_empty()));
        false
    });
    mappings.append(&mut left);
    was_whole
}

fn state() -> MutexGuard<'static, Mappings> {
    MAPPINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_mapping_leaves_the_others() {
        let mut mappings = vec![0..4, 8..12];
        assert!(!cut(&mut mappings, &(1..2)));
        assert_eq!(mappings, [8..12, 0..1, 2..4]);
        assert!(!cut(&mut mappings, &(3..9)));
        assert_eq!(mappings, [0..1, 9..12, 2..3]);
        assert!(cut(&mut mappings, &(9..12)));
        assert_eq!(mappings, [0..1, 2..3]);
        assert!(!cut(&mut mappings, &(20..30)));
    }
}
