//! The stacks of workers: one region of address space, a slot for each worker number.
//!
//! Worker n always gets slot n, so that stack addresses are the same in each iteration and in a replay.
//! Memory is taken page by page as a worker touches it, and kept for the next iteration.

use std::ops::Range;
use std::ptr::null_mut;

use crate::memory::address_space;

/// The most workers of one iteration.
pub(crate) const MAX_WORKERS: usize = 16_384;

/// A stack of at least the size that std gives a thread, with room for a shim's own frames.
const DEFAULT_SIZE: usize = (2 << 20) + (64 << 10);
const PAGE: usize = 4096;

/// The stacks of all workers.
#[derive(Debug)]
pub(crate) struct Stacks {
    region: *mut u8,
    slot: usize,
    /// How many slots there are: as many as workers, unless limits want less.
    slots: usize,
    /// How many slots have been opened; the rest is address space only.
    open: usize,
    /// By worker number: a stack outside the region, kept for the worker's next large one.
    large: Vec<Option<Stack>>,
}

/// So many bytes are little.
const SCARCE: usize = 128 << 10;

/// One worker's stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stack {
    /// The upper end; grows down from here.
    pub(crate) base: *mut u8,
    /// The lowest usable address; below it lies a page that faults.
    pub(crate) limit: *mut u8,
}

impl Stacks {
    /// Reserves address space; slots have `RUST_MIN_STACK` bytes if that is more than the default.
    pub(crate) fn reserve() -> Stacks {
        let wanted = std::env::var("RUST_MIN_STACK")
            .ok()
            .and_then(|size| size.parse().ok());
        let size = wanted.unwrap_or(0).max(DEFAULT_SIZE).next_multiple_of(PAGE);
        let slot = size + PAGE;
        let reserved = address_space::reserve(0, slot * MAX_WORKERS, libc::PROT_NONE, 4);
        let (region, size) = reserved.expect("address space for stacks");
        Stacks {
            region: region as *mut u8,
            slot,
            slots: size / slot,
            open: 0,
            large: Vec::new(),
        }
    }

    /// The stack of a worker that asked for `size` bytes; none if there is not so much.
    pub(crate) fn get(&mut self, worker: usize, size: Option<usize>) -> Option<Stack> {
        if let Some(size) = size.filter(|&size| size > self.slot - PAGE) {
            return self.large(worker, size.checked_next_multiple_of(PAGE)?);
        }
        if worker >= self.slots {
            return None;
        }
        while self.open <= worker {
            // SAFETY: the slot lies in the region, all of which is ours.
            let opened = unsafe {
                let usable = self.region.add(self.open * self.slot + PAGE);
                let writable = libc::PROT_READ | libc::PROT_WRITE;
                libc::mprotect(usable.cast(), self.slot - PAGE, writable)
            };
            if opened != 0 {
                return None;
            }
            self.open += 1;
        }
        // SAFETY: as above.
        unsafe {
            let limit = self.region.add(worker * self.slot + PAGE);
            Some(Stack {
                base: limit.add(self.slot - PAGE),
                limit,
            })
        }
    }

    /// The process is a copy of one that has used no stack, whatever other copies have done.
    pub(crate) fn begin_unused(&mut self) {
        self.open = 0;
        self.large.clear();
    }

    /// The addresses of all slots.
    pub(crate) fn extent(&self) -> Range<usize> {
        let start = self.region as usize;
        start..start + self.slot * self.slots
    }

    /// The stack of a worker that asked for more than a slot has.
    fn large(&mut self, worker: usize, size: usize) -> Option<Stack> {
        if self.large.len() <= worker {
            self.large.resize(worker + 1, None);
        }
        let kept = &mut self.large[worker];
        if let Some(small) = kept.take_if(|kept| kept.size() < size) {
            small.unmap();
        }
        if kept.is_none() {
            *kept = Stack::mapped(size);
        }
        *kept
    }
}

impl Stack {
    /// That of a worker which has none.
    pub(crate) const NONE: Stack = Stack {
        base: null_mut(),
        limit: null_mut(),
    };

    /// A stack outside the region.
    pub(crate) fn mapped(size: usize) -> Option<Stack> {
        let whole = size.checked_add(PAGE)?;
        let start = map(whole, libc::PROT_READ | libc::PROT_WRITE)?;
        // SAFETY: the page and the end lie in the mapping just made.
        unsafe {
            libc::mprotect(start.cast(), PAGE, libc::PROT_NONE);
            Some(Stack {
                base: start.add(size + PAGE),
                limit: start.add(PAGE),
            })
        }
    }

    /// Gives back a stack outside the region, which no worker is on.
    fn unmap(self) {
        // SAFETY: the mapping of `mapped`, with the page below; its worker number begins anew.
        let unmapped = unsafe { libc::munmap(self.limit.sub(PAGE).cast(), self.size() + PAGE) };
        assert_eq!(unmapped, 0, "a stack is a mapping of its own");
    }

    /// The usable bytes.
    pub(crate) fn size(&self) -> usize {
        self.base as usize - self.limit as usize
    }

    /// True for an address on it.
    #[inline]
    pub(crate) fn has(&self, address: usize) -> bool {
        address.wrapping_sub(self.limit as usize) < self.size()
    }

    /// True if the caller is on it.
    #[inline]
    pub(crate) fn has_caller(&self) -> bool {
        let here = 0_u8;
        self.has((&raw const here).addr())
    }

    /// Its part that has been used since the process began; none where the system does not tell.
    pub(crate) fn touched(&self) -> Option<Range<usize>> {
        let mut pages = vec![0_u8; self.size().div_ceil(PAGE)];
        // SAFETY: there is a byte for each page; the memory is not touched.
        let told =
            unsafe { libc::mincore(self.limit.cast(), self.size(), pages.as_mut_ptr().cast()) };
        let first = pages.iter().position(|&page| page & 1 != 0)?;
        (told == 0).then(|| self.limit as usize + first * PAGE..self.base as usize)
    }

    /// True if little is left of the stack from this address on.
    pub(crate) fn is_scarce_at(&self, address: usize) -> bool {
        address < self.limit as usize + SCARCE
    }

    /// True for an address in the page that faults when the stack is exhausted.
    pub(crate) fn guards(&self, address: usize) -> bool {
        let limit = self.limit as usize;
        (limit - PAGE..limit).contains(&address)
    }
}

fn map(size: usize, protection: i32) -> Option<*mut u8> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
    // SAFETY: a fresh mapping touches nobody's memory.
    let start = unsafe { libc::mmap(null_mut(), size, protection, flags, -1, 0) };
    (start != libc::MAP_FAILED).then(|| start.cast())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_stack_is_kept_until_a_larger_one_is_wanted() {
        let mut stacks = Stacks::reserve();
        let large = 2 * stacks.slot;
        let mut get = |worker, size| stacks.get(worker, size).expect("there is address space");
        let first = get(1, Some(large));
        assert_eq!(get(1, Some(large)).base, first.base);
        assert_eq!(get(1, Some(large - PAGE)).base, first.base);
        assert!(get(1, Some(2 * large)).size() >= 2 * large);
        assert_ne!(get(2, Some(large)).base, get(1, Some(large)).base);
        assert!(get(1, None).size() >= DEFAULT_SIZE);
        assert!(stacks.get(3, Some(usize::MAX / 2)).is_none());
    }
}
