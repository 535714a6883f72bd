//! Plain accesses to memory: none is a scheduling point, and each is looked at for races.
//!
//! The code that calls is known by the address that the call returns to, which only the first instructions of
//! the function can see: each is a jump to another one, with that address as one more argument. They also
//! tell the accesses that nobody looks at, which are most of them.
//!
//! A volatile access is none of a race, whatever the other one is: seqlocks read like that what others write,
//! and look afterwards whether it was whole.

use cct::engine::{UNSEEN, access};
use core::arch::naked_asm;

/// Returns, or goes on in a function of C, if nobody looks at accesses at the addresses that are the first
/// argument or the first two; else goes on in another function, which has the address that the call returns
/// to as one more argument. Nothing is pushed, so that an unwinder that a signal brings here needs to know no
/// more than where the function begins and ends.
#[cfg(target_arch = "x86_64")]
macro_rules! look {
    (at one, $looks:path, else return) => { look! { @["rdi"] $looks, "rsi", "ret", } };
    (at one, $looks:path, else $c:ident) => {
        look! { @["rdi"] $looks, "rcx", "jmp [rip + {c}@GOTPCREL]", $c }
    };
    (at two, $looks:path, else $c:ident) => {
        look! { @["rdi" "rsi"] $looks, "rcx", "jmp [rip + {c}@GOTPCREL]", $c }
    };
    (@[$($at:literal)*] $looks:path, $more:literal, $else:literal, $($c:ident)?) => {
        naked_asm!(
            ".cfi_startproc",
            "mov rax, [rip + {unseen}@GOTPCREL]",
            $(concat!("mov r10, ", $at), "sub r10, rsp", "cmp r10, [rax]", "jae 2f",)*
            $else,
            concat!("2: mov ", $more, ", [rsp]"),
            "jmp {looks}",
            ".cfi_endproc",
            unseen = sym UNSEEN,
            looks = sym $looks,
            $(c = sym libc::$c,)?
        )
    };
}
#[cfg(target_arch = "aarch64")]
macro_rules! look {
    (at one, $looks:path, else return) => { look! { @["x0"] $looks, "x1", "ret", } };
    (at one, $looks:path, else $c:ident) => { look! { @["x0"] $looks, "x3", "b {c}", $c } };
    (at two, $looks:path, else $c:ident) => { look! { @["x0" "x1"] $looks, "x3", "b {c}", $c } };
    (@[$($at:literal)*] $looks:path, $more:literal, $else:literal, $($c:ident)?) => {
        naked_asm!(
            ".cfi_startproc",
            "adrp x9, :got:{unseen}",
            "ldr x9, [x9, :got_lo12:{unseen}]",
            "ldr x9, [x9]",
            "mov x11, sp",
            $(concat!("sub x10, ", $at, ", x11"), "cmp x10, x9", "b.hs 2f",)*
            $else,
            concat!("2: mov ", $more, ", x30"),
            "b {looks}",
            ".cfi_endproc",
            unseen = sym UNSEEN,
            looks = sym $looks,
            $(c = sym libc::$c,)?
        )
    };
}

/// Takes over functions of these names: one tells whether somebody looks, the other looks.
macro_rules! accesses {
    ($($size:literal: $read:ident $reads:ident $write:ident $writes:ident;)*) => { $(
        accesses! { @one $read $reads $size false }
        accesses! { @one $write $writes $size true }
    )* };
    (@one $name:ident $looks:ident $size:literal $is_write:literal) => {
        /// Takes over the ThreadSanitizer function of this name.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_address: usize) {
            look!(at one, $looks, else return)
        }

        unsafe extern "C" fn $looks(address: usize, returns_to: usize) {
            // SAFETY: the compiler's.
            unsafe { access(address, $size, $is_write, returns_to) }
        }
    };
}

accesses! {
    1: __tsan_read1 read1 __tsan_write1 write1;
    2: __tsan_read2 read2 __tsan_write2 write2;
    4: __tsan_read4 read4 __tsan_write4 write4;
    8: __tsan_read8 read8 __tsan_write8 write8;
    16: __tsan_read16 read16 __tsan_write16 write16;
    2: __tsan_unaligned_read2 unaligned_read2 __tsan_unaligned_write2 unaligned_write2;
    4: __tsan_unaligned_read4 unaligned_read4 __tsan_unaligned_write4 unaligned_write4;
    8: __tsan_unaligned_read8 unaligned_read8 __tsan_unaligned_write8 unaligned_write8;
    16: __tsan_unaligned_read16 unaligned_read16 __tsan_unaligned_write16 unaligned_write16;
}

macro_rules! volatile_accesses {
    ($($name:ident)*) => { $(
        /// Takes over the ThreadSanitizer function of this name.
        #[unsafe(no_mangle)]
        extern "C" fn $name(_address: usize) {}
    )* };
}

volatile_accesses! {
    __tsan_volatile_read1 __tsan_volatile_read2 __tsan_volatile_read4 __tsan_volatile_read8
    __tsan_volatile_read16 __tsan_volatile_write1 __tsan_volatile_write2 __tsan_volatile_write4
    __tsan_volatile_write8 __tsan_volatile_write16 __tsan_unaligned_volatile_read2
    __tsan_unaligned_volatile_read4 __tsan_unaligned_volatile_read8 __tsan_unaligned_volatile_read16
    __tsan_unaligned_volatile_write2 __tsan_unaligned_volatile_write4 __tsan_unaligned_volatile_write8
    __tsan_unaligned_volatile_write16
}

/// Takes over ThreadSanitizer's `__tsan_memcpy`.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __tsan_memcpy(_to: *mut u8, _from: *const u8, _size: usize) -> *mut u8 {
    look!(at two, copy, else memmove)
}

/// Takes over ThreadSanitizer's `__tsan_memmove`.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __tsan_memmove(_to: *mut u8, _from: *const u8, _size: usize) -> *mut u8 {
    look!(at two, copy, else memmove)
}

/// Takes over ThreadSanitizer's `__tsan_memset`.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __tsan_memset(_to: *mut u8, _value: i32, _size: usize) -> *mut u8 {
    look!(at one, set, else memset)
}

/// As C's `memmove`.
unsafe extern "C" fn copy(to: *mut u8, from: *const u8, size: usize, returns_to: usize) -> *mut u8 {
    // SAFETY: the compiler's.
    unsafe {
        if size > 0 {
            access(from.addr(), size, false, returns_to);
            access(to.addr(), size, true, returns_to);
        }
        to.copy_from(from, size);
    }
    to
}

/// As C's `memset`.
unsafe extern "C" fn set(to: *mut u8, value: i32, size: usize, returns_to: usize) -> *mut u8 {
    // SAFETY: the compiler's.
    unsafe {
        if size > 0 {
            access(to.addr(), size, true, returns_to);
        }
        // As in C, it is the value of a byte.
        to.write_bytes(value.to_le_bytes()[0], size);
    }
    to
}
