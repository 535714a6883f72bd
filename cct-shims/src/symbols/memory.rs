//! `malloc` and its family: the iteration arena for what the program allocates on controlled workers.
//!
//! Where schedules have processes of their own, what the engine allocates is in memory that these share.
//!
//! Only the program's own statics are put back before an iteration. Allocations of a shared library (the C
//! library's environment, handlers and caches) must outlive the iteration as that library's statics do, so
//! the caller decides: each function passes its return address on.

use cct::memory::{arena, own};
use cct::tsvd;
use libc::{c_int, c_void, size_t};

use super::caller::{is_program, with_caller};
use super::real::Real;

unsafe extern "C" {
    // A second name of the C library's functions, for programs that take `malloc` over.
    fn __libc_malloc(size: size_t) -> *mut c_void;
    fn __libc_calloc(count: size_t, size: size_t) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, size: size_t) -> *mut c_void;
    fn __libc_memalign(align: size_t, size: size_t) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
}

static USABLE_SIZE: Real<unsafe extern "C" fn(*mut c_void) -> size_t> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"malloc_usable_size") };

/// True if the arena is in use and the caller is the program, not a shared library.
#[inline]
fn is_for_arena(caller: usize) -> bool {
    arena::is_in_use() && is_program(caller)
}

/// True if the caller is the engine, whose blocks processes share.
#[inline]
fn is_for_engine(caller: usize) -> bool {
    own::is_wanted() && is_program(caller)
}

with_caller!(malloc(size: size_t) -> *mut c_void, "rsi", "x1", allocate);
with_caller!(calloc(count: size_t, size: size_t) -> *mut c_void, "rdx", "x2", allocate_zeroed);
with_caller!(realloc(block: *mut c_void, size: size_t) -> *mut c_void, "rdx", "x2", reallocate);
with_caller!(free(block: *mut c_void) -> (), "rsi", "x1", release);
with_caller!(memalign(align: size_t, size: size_t) -> *mut c_void, "rdx", "x2", allocate_aligned);
with_caller!(aligned_alloc(align: size_t, size: size_t) -> *mut c_void, "rdx", "x2", allocate_aligned);
with_caller!(
    posix_memalign(place: *mut *mut c_void, align: size_t, size: size_t) -> c_int,
    "rcx", "x3", allocate_aligned_at
);

unsafe extern "C" fn allocate(size: size_t, caller: usize) -> *mut c_void {
    // SAFETY: the arena is in use, or the C library does it.
    unsafe {
        if is_for_arena(caller) {
            arena::allocate(size, 16).cast()
        } else if is_for_engine(caller) {
            own::allocate_with_header(size, 16).cast()
        } else {
            __libc_malloc(size)
        }
    }
}

unsafe extern "C" fn allocate_zeroed(count: size_t, size: size_t, caller: usize) -> *mut c_void {
    // SAFETY: as in `allocate`.
    unsafe {
        let is_for_arena = is_for_arena(caller);
        if !is_for_arena && !is_for_engine(caller) {
            return __libc_calloc(count, size);
        }
        let Some(total) = count.checked_mul(size) else {
            return std::ptr::null_mut();
        };
        if is_for_arena {
            return arena::allocate_zeroed(total).cast();
        }
        let block = own::allocate_with_header(total, 16);
        if !block.is_null() {
            block.write_bytes(0, total);
        }
        block.cast()
    }
}

unsafe extern "C" fn reallocate(block: *mut c_void, size: size_t, caller: usize) -> *mut c_void {
    // SAFETY: the caller's block is the arena's or the C library's.
    unsafe {
        if block.is_null() {
            return allocate(size, caller);
        }
        let in_arena = arena::contains(block.cast());
        if own::contains(block.cast()) {
            return move_own(block, size, caller);
        }
        if !in_arena && is_for_arena(caller) {
            arena::check_foreign(block.cast(), "reallocated");
        }
        if !in_arena && !is_for_arena(caller) && !is_for_engine(caller) {
            if tsvd::is_on() {
                tsvd::note_free(block.addr(), USABLE_SIZE.get()(block));
            }
            return __libc_realloc(block, size);
        }
        if in_arena && arena::resize_in_place(block.cast(), size) {
            return block;
        }
        let old_size = if in_arena {
            arena::size_of_block(block.cast())
        } else {
            // A block from before the iteration stays as it is: a static that is put back may own it.
            USABLE_SIZE.get()(block)
        };
        let moved = allocate(size, caller);
        if !moved.is_null() {
            let (from, to) = (block.cast::<u8>(), moved.cast::<u8>());
            to.copy_from_nonoverlapping(from, old_size.min(size));
            if in_arena {
                arena::free(from);
            }
        }
        moved
    }
}

/// Makes a block of the engine's heap larger or smaller, elsewhere.
unsafe fn move_own(block: *mut c_void, size: size_t, caller: usize) -> *mut c_void {
    // SAFETY: the caller's block; the new one has the smaller of both sizes.
    unsafe {
        let old_size = own::size_in_header(block.cast());
        let moved = allocate(size, caller);
        if !moved.is_null() {
            moved
                .cast::<u8>()
                .copy_from_nonoverlapping(block.cast(), old_size.min(size));
            own::free_with_header(block.cast());
        }
        moved
    }
}

unsafe extern "C" fn release(block: *mut c_void, caller: usize) {
    // SAFETY: the caller's block is the arena's or the C library's.
    unsafe {
        if arena::contains(block.cast()) {
            arena::free(block.cast());
        } else if own::contains(block.cast()) {
            own::free_with_header(block.cast());
        } else if !is_for_arena(caller) {
            if tsvd::is_on() && !block.is_null() {
                tsvd::note_free(block.addr(), USABLE_SIZE.get()(block));
            }
            __libc_free(block);
        } else if !block.is_null() {
            // A block from before the iteration stays: the next iteration needs it.
            arena::check_foreign(block.cast(), "freed");
        }
    }
}

unsafe extern "C" fn allocate_aligned(align: size_t, size: size_t, caller: usize) -> *mut c_void {
    // SAFETY: as in `allocate`.
    unsafe {
        if is_for_arena(caller) {
            arena::allocate(size, align.next_power_of_two()).cast()
        } else if is_for_engine(caller) {
            own::allocate_with_header(size, align.next_power_of_two()).cast()
        } else {
            __libc_memalign(align, size)
        }
    }
}

unsafe extern "C" fn allocate_aligned_at(
    place: *mut *mut c_void,
    align: size_t,
    size: size_t,
    caller: usize,
) -> c_int {
    if !align.is_power_of_two() || !align.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    // SAFETY: the caller's place is writable.
    unsafe {
        let block = allocate_aligned(align, size, caller);
        if block.is_null() {
            return libc::ENOMEM;
        }
        *place = block;
    }
    0
}

/// Takes over the C library's `malloc_usable_size`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> size_t {
    // SAFETY: the caller's block is the arena's or the C library's.
    unsafe {
        if arena::contains(block.cast()) {
            arena::size_of_block(block.cast())
        } else if own::contains(block.cast()) {
            own::size_in_header(block.cast())
        } else {
            USABLE_SIZE.get()(block)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use super::*;

    #[test]
    fn off_the_engine_blocks_are_the_c_librarys() {
        // SAFETY: blocks are given back once, and used within their sizes.
        unsafe {
            let block = calloc(4, 8);
            assert!(!arena::contains(block.cast()) && malloc_usable_size(block) >= 32);
            assert_eq!(*block.cast::<[u64; 4]>(), [0; 4]);
            block.cast::<u64>().write(7);
            let block = realloc(block, 4096);
            assert_eq!(block.cast::<u64>().read(), 7);
            free(block);
            free(null_mut());
            assert_eq!(calloc(usize::MAX, 2), null_mut(), "it does not overflow");
        }
    }

    #[test]
    fn alignments_are_those_that_are_asked_for() {
        // SAFETY: the place is writable, and blocks are given back.
        unsafe {
            for align in [8, 64, 4096] {
                let mut block = null_mut();
                assert_eq!(posix_memalign(&raw mut block, align, 100), 0);
                assert!(block.addr().is_multiple_of(align));
                free(block);
            }
            let mut block = null_mut();
            for align in [0, 4, 24] {
                let refused = posix_memalign(&raw mut block, align, 100);
                assert_eq!(refused, libc::EINVAL, "{align}");
            }
        }
    }
}
