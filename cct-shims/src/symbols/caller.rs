//! The caller of a symbol: the program, or a shared library.
//!
//! Only the program's own statics are put back before an iteration. The state of a shared library, in
//! memory and in locks, is another one each time, so its calls are told from the program's by their return
//! addresses.

unsafe extern "C" {
    // The linker's: where the executable begins, and where its code ends.
    static __executable_start: u8;
    static etext: u8;
}

/// True if this return address lies in the executable.
#[inline]
pub(super) fn is_program(caller: usize) -> bool {
    let start = (&raw const __executable_start).addr();
    let end = (&raw const etext).addr();
    (start..end).contains(&caller)
}

/// Defines a function of the C library that goes on to `$inner` with its return address as one argument
/// more, in the register `$x86` or `$arm`: the first one that its own arguments leave free.
macro_rules! with_caller {
    ($name:ident($($argument:ident: $type:ty),*) -> $result:ty, $x86:literal, $arm:literal, $inner:path) => {
        #[doc = concat!("Takes over the C library's `", stringify!($name), "`.")]
        ///
        /// # Safety
        ///
        /// As the C library's.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub(in crate::symbols) unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            std::arch::naked_asm!(
                concat!("mov ", $x86, ", [rsp]"),
                "jmp {inner}",
                inner = sym $inner,
            );
            #[cfg(target_arch = "aarch64")]
            std::arch::naked_asm!(
                concat!("mov ", $arm, ", x30"),
                "b {inner}",
                inner = sym $inner,
            )
        }
    };
}

/// Has a function of the C library go on to `$inner` likewise. The symbol is weak: a program that has such a
/// function of its own keeps it.
macro_rules! weak_with_caller {
    ($name:ident, $x86:literal, $arm:literal, $inner:path) => {
        std::arch::global_asm!(
            concat!(".pushsection .text.", stringify!($name), ",\"ax\",%progbits"),
            concat!(".weak ", stringify!($name)),
            concat!(".type ", stringify!($name), ",%function"),
            concat!(stringify!($name), ":"),
            ".cfi_startproc",
            $crate::symbols::caller::jump!($x86, $arm),
            ".cfi_endproc",
            concat!(".size ", stringify!($name), ", . - ", stringify!($name)),
            ".popsection",
            inner = sym $inner,
        );
    };
}

/// Goes on with the return address in a register.
#[cfg(target_arch = "x86_64")]
macro_rules! jump {
    ($x86:literal, $arm:literal) => {
        concat!("mov ", $x86, ", [rsp]\njmp {inner}")
    };
}

/// Goes on with the return address in a register.
#[cfg(target_arch = "aarch64")]
macro_rules! jump {
    ($x86:literal, $arm:literal) => {
        concat!("mov ", $arm, ", x30\nb {inner}")
    };
}

pub(in crate::symbols) use {jump, weak_with_caller, with_caller};
