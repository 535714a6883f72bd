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

pub(in crate::symbols) use with_caller;
