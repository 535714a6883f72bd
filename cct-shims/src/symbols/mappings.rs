//! `mmap` and its family: memory that the program maps on controlled workers, as stacks of coroutines.
//!
//! Mappings that the program leaves to the kernel's choice have equal addresses in each iteration; all are
//! gone at its end (`cct::memory::mappings`). Mappings of shared libraries outlive it, as their allocations
//! do.

use cct::engine;
use cct::memory::mappings;
use libc::{c_int, c_void, off_t, size_t};

use super::caller::is_program;
use super::real::system_call;
use super::{argument, result_of};

/// Ways of mapping for which the kernel has places of its own.
const PLACED_BY_KERNEL: c_int = libc::MAP_GROWSDOWN
    | libc::MAP_HUGETLB
    | if cfg!(target_arch = "x86_64") {
        MAP_32BIT
    } else {
        0
    };
const MAP_32BIT: c_int = 0x40;
/// Ways of mapping at the address that is given, and nowhere else.
const PLACED_BY_PROGRAM: c_int = libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE;

/// Takes over the C library's `mmap`. Its arguments take all registers, so the address that the call
/// returns to is passed on the stack.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub(super) unsafe extern "C" fn mmap(
    at: *mut c_void,
    size: size_t,
    protection: c_int,
    flags: c_int,
    descriptor: c_int,
    offset: off_t,
) -> *mut c_void {
    #[cfg(target_arch = "x86_64")]
    std::arch::naked_asm!(
        ".cfi_startproc",
        "push qword ptr [rsp]",
        ".cfi_adjust_cfa_offset 8",
        "call {map}",
        "add rsp, 8",
        ".cfi_adjust_cfa_offset -8",
        "ret",
        ".cfi_endproc",
        map = sym map,
    );
    #[cfg(target_arch = "aarch64")]
    std::arch::naked_asm!("mov x6, x30", "b {map}", map = sym map)
}

/// Takes over the name of `mmap` for files of any size.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub(super) unsafe extern "C" fn mmap64(
    at: *mut c_void,
    size: size_t,
    protection: c_int,
    flags: c_int,
    descriptor: c_int,
    offset: off_t,
) -> *mut c_void {
    #[cfg(target_arch = "x86_64")]
    std::arch::naked_asm!("jmp {mmap}", mmap = sym mmap);
    #[cfg(target_arch = "aarch64")]
    std::arch::naked_asm!("b {mmap}", mmap = sym mmap)
}

unsafe extern "C" fn map(
    at: *mut c_void,
    size: size_t,
    protection: c_int,
    flags: c_int,
    descriptor: c_int,
    offset: off_t,
    caller: usize,
) -> *mut c_void {
    let kind = (protection, flags, descriptor, offset);
    // SAFETY: the caller's.
    let place = unsafe {
        if is_program(caller) && mappings::are_put_back() {
            map_for_iteration(at.addr(), size, kind)
        } else {
            ask(at.addr(), size, kind)
        }
    };
    std::ptr::with_exposed_provenance_mut(result_of(place).cast_unsigned())
}

/// The contents of a mapping: its protection, its flags, its descriptor and where it begins in that.
type Kind = (c_int, c_int, c_int, off_t);

/// Maps memory that is gone at the end of the iteration.
///
/// # Safety
///
/// As for `mmap`, on a controlled worker.
unsafe fn map_for_iteration(at: usize, size: usize, kind: Kind) -> isize {
    let (protection, flags, descriptor, offset) = kind;
    let fixed = |how| {
        let flags = flags & !PLACED_BY_PROGRAM | how;
        (protection, flags, descriptor, offset)
    };
    // Room that was unmapped is free, as it is natively.
    let is_free = || flags & libc::MAP_FIXED == 0 && mappings::take(at, size);
    // SAFETY: the caller's; a place of the region is nobody's.
    unsafe {
        let mut result = -(libc::EEXIST as isize);
        if flags & PLACED_BY_KERNEL == 0 && is_free() {
            result = ask(at, size, fixed(libc::MAP_FIXED));
        } else if flags & (PLACED_BY_KERNEL | PLACED_BY_PROGRAM) != 0 {
            result = ask(at, size, kind);
        } else if at != 0 {
            result = ask(at, size, fixed(libc::MAP_FIXED_NOREPLACE));
        }
        if result == -(libc::EEXIST as isize) && flags & PLACED_BY_PROGRAM == 0 {
            result = match mappings::place(size) {
                Some(place) => ask(place, size, fixed(libc::MAP_FIXED)),
                None => ask(0, size, kind),
            };
        }
        if !is_error(result) {
            let is_data = flags & libc::MAP_ANONYMOUS != 0;
            mappings::note_map(result.cast_unsigned(), size, is_data);
        }
        result
    }
}

/// Takes over the C library's `munmap`. Memory of the region stays reserved, whoever unmaps it.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn munmap(at: *mut c_void, size: size_t) -> c_int {
    // SAFETY: the caller's.
    result_of(unsafe { unmap(at.addr(), size) }) as c_int
}

/// # Safety
///
/// As for `munmap`.
unsafe fn unmap(at: usize, size: usize) -> isize {
    let is_usual = at.is_multiple_of(PAGE) && size > 0;
    let is_noted = is_usual && (engine::is_controlled() || mappings::contains(at));
    if is_noted && mappings::note_unmap(at, size) {
        return if mappings::close(at..at + size) {
            0
        } else {
            -(libc::ENOMEM as isize)
        };
    }
    // SAFETY: the caller's.
    unsafe { system_call(libc::SYS_munmap, [at, size, 0, 0, 0, 0]) }
}

const PAGE: usize = 4096;

/// Takes over the C library's `mremap`, which is variadic; on both architectures that are supported, the last
/// argument is in a register in any case.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn mremap(
    old: *mut c_void,
    old_size: size_t,
    size: size_t,
    flags: c_int,
    at: *mut c_void,
) -> *mut c_void {
    let arguments = [old.addr(), old_size, size, argument(flags), at.addr(), 0];
    // SAFETY: the caller's.
    let result = unsafe {
        if mappings::contains(old.addr()) && engine::is_controlled() && old_size > 0 {
            remap(arguments, flags)
        } else {
            system_call(libc::SYS_mremap, arguments)
        }
    };
    std::ptr::with_exposed_provenance_mut(result_of(result).cast_unsigned())
}

/// Moves a mapping of the region, or makes it smaller: there is no room behind it.
///
/// # Safety
///
/// As for `mremap`, on a controlled worker.
unsafe fn remap(mut arguments: [usize; 6], flags: c_int) -> isize {
    let [old, old_size, size, ..] = arguments;
    let is_moved = size > old_size && flags & libc::MREMAP_MAYMOVE != 0;
    if is_moved && flags & libc::MREMAP_FIXED == 0 {
        let Some(place) = mappings::place(size) else {
            return -(libc::ENOMEM as isize);
        };
        arguments[3] |= argument(libc::MREMAP_FIXED);
        arguments[4] = place;
    }
    // SAFETY: the caller's; a place of the region is nobody's.
    let result = unsafe { system_call(libc::SYS_mremap, arguments) };
    if !is_error(result) && flags & libc::MREMAP_DONTUNMAP == 0 {
        let new = result.cast_unsigned();
        let kept = if new == old {
            size.next_multiple_of(PAGE)
        } else {
            0
        };
        let (from, to) = (old + kept, old + old_size.next_multiple_of(PAGE));
        if from < to {
            mappings::note_unmap(from, to - from);
            mappings::close(from..to);
        }
        if new != old {
            mappings::note_map(new, size, true);
        }
    }
    result
}

/// Takes over the C library's `mprotect`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn mprotect(
    at: *mut c_void,
    size: size_t,
    protection: c_int,
) -> c_int {
    if engine::is_controlled() {
        mappings::note_protect(at.addr(), size);
    }
    let arguments = [at.addr(), size, argument(protection), 0, 0, 0];
    // SAFETY: the caller's.
    result_of(unsafe { system_call(libc::SYS_mprotect, arguments) }) as c_int
}

/// `mmap` by its number: of the program, since shared libraries know it by name.
pub(super) unsafe fn map_by_number(
    at: usize,
    size: usize,
    protection: c_int,
    flags: c_int,
    descriptor: c_int,
    offset: usize,
) -> isize {
    let kind = (protection, flags, descriptor, offset.cast_signed() as off_t);
    // SAFETY: the caller's.
    unsafe {
        result_of(if mappings::are_put_back() {
            map_for_iteration(at, size, kind)
        } else {
            ask(at, size, kind)
        })
    }
}

/// `mremap` by its number.
pub(super) unsafe fn remap_by_number(
    old: *mut c_void,
    old_size: usize,
    size: usize,
    flags: c_int,
    at: *mut c_void,
) -> isize {
    // SAFETY: the caller's.
    unsafe { mremap(old, old_size, size, flags, at) }
        .addr()
        .cast_signed()
}

/// Asks the kernel for a mapping.
unsafe fn ask(at: usize, size: usize, (protection, flags, descriptor, offset): Kind) -> isize {
    let (protection, flags) = (argument(protection), argument(flags));
    let descriptor = argument(descriptor);
    // SAFETY: the caller's.
    unsafe {
        let offset = offset.cast_unsigned() as usize;
        system_call(
            libc::SYS_mmap,
            [at, size, protection, flags, descriptor, offset],
        )
    }
}

/// True for the result of a system call that says why it failed.
fn is_error(result: isize) -> bool {
    (-4095..0).contains(&result)
}
