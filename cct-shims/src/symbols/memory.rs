//! `malloc` and its family: the iteration arena on controlled workers.

use cct::memory::arena;
use libc::{c_int, c_void, size_t};

use super::real::Real;

unsafe extern "C" {
    // What the C library keeps under a second name for those who take `malloc` over.
    fn __libc_malloc(size: size_t) -> *mut c_void;
    fn __libc_calloc(count: size_t, size: size_t) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, size: size_t) -> *mut c_void;
    fn __libc_memalign(align: size_t, size: size_t) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
}

static USABLE_SIZE: Real<unsafe extern "C" fn(*mut c_void) -> size_t> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"malloc_usable_size") };

/// Takes over the C library's `malloc`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn malloc(size: size_t) -> *mut c_void {
    // SAFETY: the arena is in use, or the C library does it.
    unsafe {
        if arena::is_in_use() {
            arena::allocate(size, 16).cast()
        } else {
            __libc_malloc(size)
        }
    }
}

/// Takes over the C library's `calloc`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn calloc(count: size_t, size: size_t) -> *mut c_void {
    // SAFETY: as in `malloc`; a new block has the size asked for.
    unsafe {
        if !arena::is_in_use() {
            return __libc_calloc(count, size);
        }
        let Some(total) = count.checked_mul(size) else {
            return std::ptr::null_mut();
        };
        let block = arena::allocate(total, 16);
        if !block.is_null() {
            block.write_bytes(0, total);
        }
        block.cast()
    }
}

/// Takes over the C library's `realloc`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn realloc(block: *mut c_void, size: size_t) -> *mut c_void {
    // SAFETY: the caller's block is the arena's or the C library's.
    unsafe {
        let in_arena = arena::contains(block.cast());
        if block.is_null() || (!in_arena && !arena::is_in_use()) {
            return if block.is_null() {
                malloc(size)
            } else {
                __libc_realloc(block, size)
            };
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
        let moved = malloc(size);
        if !moved.is_null() {
            moved
                .cast::<u8>()
                .copy_from_nonoverlapping(block.cast(), old_size.min(size));
            if in_arena {
                arena::free(block.cast());
            }
        }
        moved
    }
}

/// Takes over the C library's `free`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn free(block: *mut c_void) {
    // SAFETY: the caller's block is the arena's or the C library's.
    unsafe {
        if block.is_null() {
        } else if arena::contains(block.cast()) {
            arena::free(block.cast());
        } else if !arena::is_in_use() {
            __libc_free(block);
        }
        // A controlled worker frees a block from before the iteration: the next iteration needs it.
    }
}

/// Takes over the C library's `posix_memalign`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn posix_memalign(
    place: *mut *mut c_void,
    align: size_t,
    size: size_t,
) -> c_int {
    if !align.is_power_of_two() || !align.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    // SAFETY: the caller's place is writable.
    unsafe {
        let block = memalign(align, size);
        if block.is_null() {
            return libc::ENOMEM;
        }
        *place = block;
    }
    0
}

/// Takes over the C library's `aligned_alloc`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn aligned_alloc(align: size_t, size: size_t) -> *mut c_void {
    // SAFETY: the same function but for checks that the C library leaves out, too.
    unsafe { memalign(align, size) }
}

/// Takes over the C library's `memalign`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn memalign(align: size_t, size: size_t) -> *mut c_void {
    // SAFETY: as in `malloc`.
    unsafe {
        if arena::is_in_use() {
            arena::allocate(size, align.next_power_of_two()).cast()
        } else {
            __libc_memalign(align, size)
        }
    }
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
        } else {
            USABLE_SIZE.get()(block)
        }
    }
}
