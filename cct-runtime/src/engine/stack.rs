//! The stacks of workers: one region of address space, a slot for each worker number.
//!
//! Worker n always gets slot n, so that stack addresses are the same in each iteration and in a replay.
//! Memory is taken page by page as a worker touches it, and kept for the next iteration.

use std::ptr::null_mut;

/// The most workers of one iteration.
pub(super) const MAX_WORKERS: usize = 8192;

/// A stack of at least the size that std gives a thread, with room for a shim's own frames.
const DEFAULT_SIZE: usize = (2 << 20) + (64 << 10);
const PAGE: usize = 4096;

/// The stacks of all workers.
#[derive(Debug)]
pub(super) struct Stacks {
    region: *mut u8,
    slot: usize,
    /// How many slots have been opened; the rest is address space only.
    open: usize,
}

/// One worker's stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stack {
    /// The upper end; grows down from here.
    pub(super) base: *mut u8,
    /// The lowest usable address; below it lies a page that faults.
    pub(super) limit: *mut u8,
}

impl Stacks {
    /// Reserves address space; slots have `RUST_MIN_STACK` bytes if that is more than the default.
    pub(super) fn reserve() -> Stacks {
        let wanted = std::env::var("RUST_MIN_STACK").ok().and_then(|size| size.parse().ok());
        let size = wanted.unwrap_or(0).max(DEFAULT_SIZE).next_multiple_of(PAGE);
        let slot = size + PAGE;
        Stacks { region: map(slot * MAX_WORKERS, libc::PROT_NONE), slot, open: 0 }
    }

    /// The stack of a worker that asked for `size` bytes.
    pub(super) fn get(&mut self, worker: usize, size: Option<usize>) -> Stack {
        if let Some(size) = size.filter(|&size| size + PAGE > self.slot) {
            return Stack::mapped(size.next_multiple_of(PAGE));
        }
        while self.open <= worker {
            // SAFETY: the slot lies in the region, all of which is ours.
            let opened = unsafe {
                let usable = self.region.add(self.open * self.slot + PAGE);
                let writable = libc::PROT_READ | libc::PROT_WRITE;
                libc::mprotect(usable.cast(), self.slot - PAGE, writable)
            };
            assert_eq!(opened, 0, "no memory for the stack of worker {worker}");
            self.open += 1;
        }
        // SAFETY: as above.
        unsafe {
            let limit = self.region.add(worker * self.slot + PAGE);
            Stack { base: limit.add(self.slot - PAGE), limit }
        }
    }
}

impl Stack {
    /// A stack outside the region, for a worker that asked for more than a slot has.
    fn mapped(size: usize) -> Stack {
        let start = map(size + PAGE, libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: the page and the end lie in the mapping just made.
        unsafe {
            libc::mprotect(start.cast(), PAGE, libc::PROT_NONE);
            Stack { base: start.add(size + PAGE), limit: start.add(PAGE) }
        }
    }

    /// True for an address in the page that faults when the stack is exhausted.
    pub(super) fn guards(&self, address: usize) -> bool {
        let limit = self.limit as usize;
        (limit - PAGE..limit).contains(&address)
    }
}

fn map(size: usize, protection: i32) -> *mut u8 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_STACK;
    // SAFETY: a fresh mapping touches nobody's memory.
    let start = unsafe { libc::mmap(null_mut(), size, protection, flags, -1, 0) };
    assert_ne!(start, libc::MAP_FAILED, "no address space for {size} bytes of stack");
    start.cast()
}
