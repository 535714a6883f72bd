//! The layer before the program's global allocator.

use cct::engine::{hushed, is_at_work, is_controlled, note_free, note_reuse};
use cct::memory::{arena, own};
use cct::tsvd::unheard;
use real::alloc::{GlobalAlloc, Layout};
use real::fmt;

/// The global allocator that `#[global_allocator]` makes: the program's own serves the program, and on
/// workers there is no switch in it.
///
/// Allocations of the engine while it is at work come from its own heap, and go back there whoever frees
/// them. Blocks of the program that the engine frees stay where they are: the program's allocator may hold
/// its locks.
pub struct Allocator<T: 'static>(&'static T);

impl<T> Allocator<T> {
    /// The one that stands before `program`.
    pub const fn new(program: &'static T) -> Allocator<T> {
        Allocator(program)
    }

    #[inline]
    fn ask<R>(&self, f: impl FnOnce(&T) -> R) -> R {
        if is_controlled() {
            hushed(|| f(self.0))
        } else {
            // Also before anybody hears: that may begin while the thread is in there.
            unheard(|| f(self.0))
        }
    }
}

// SAFETY: the program's allocator and the engine's heap keep the contract, and each gets its own blocks back.
unsafe impl<T: GlobalAlloc> GlobalAlloc for Allocator<T> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_at_work() {
            return own::allocate(layout);
        }
        if arena::is_beside() {
            // SAFETY: the arena is in use then.
            return unsafe { arena::allocate(layout.size(), layout.align()) };
        }
        // SAFETY: the caller's.
        let block = self.ask(|program| unsafe { program.alloc(layout) });
        note_reuse(block.addr(), layout.size());
        block
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_at_work() {
            let block = own::allocate(layout);
            if !block.is_null() {
                // SAFETY: the block has the layout.
                unsafe { block.write_bytes(0, layout.size()) };
            }
            return block;
        }
        if arena::is_beside() {
            // SAFETY: the caller's; the block has the layout.
            unsafe {
                let block = self.alloc(layout);
                if !block.is_null() {
                    block.write_bytes(0, layout.size());
                }
                return block;
            }
        }
        // SAFETY: the caller's.
        let block = self.ask(|program| unsafe { program.alloc_zeroed(layout) });
        note_reuse(block.addr(), layout.size());
        block
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's block, which goes back to where it came from.
        unsafe {
            if own::contains(block) {
                own::free(block, layout);
            } else if arena::is_of_margin(block) {
                arena::free(block);
            } else if !is_at_work() {
                note_free(block.addr(), layout.size());
                self.ask(|program| program.dealloc(block, layout));
            }
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above; a new block has the smaller of both sizes.
        unsafe {
            if own::contains(block) {
                return own::resize(block, layout, size);
            }
            if arena::is_of_margin(block) || arena::is_beside() {
                let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
                if !moved.is_null() {
                    moved.copy_from_nonoverlapping(block, layout.size().min(size));
                    self.dealloc(block, layout);
                }
                return moved;
            }
            if !is_at_work() {
                let moved = self.ask(|program| program.realloc(block, layout, size));
                if moved != block && !moved.is_null() {
                    note_free(block.addr(), layout.size());
                    note_reuse(moved.addr(), size);
                }
                return moved;
            }
            let moved = own::allocate(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(block, layout.size().min(size));
            }
            moved
        }
    }
}

impl<T> fmt::Debug for Allocator<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Allocator").finish_non_exhaustive()
    }
}
