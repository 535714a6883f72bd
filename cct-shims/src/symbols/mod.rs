//! Functions of the C library that are taken over for the whole binary.
//!
//! A symbol defined here goes before the C library's own. On a controlled worker the function does what
//! the engine wants; anywhere else it passes straight on. Where threads are held instead
//! (`cct::tsvd`), functions that are not thread-safe tell of their calls.

#![allow(
    unknown_lints,
    invalid_runtime_symbol_definitions,
    suspicious_runtime_symbol_definitions,
    reason = "later compilers compare signatures with those that std relies on, word for word"
)]

mod caller;
mod children;
pub(crate) mod clock;
mod descriptors;
mod ends;
mod environment;
mod file_times;
mod files;
mod folder;
mod fork;
mod futex;
mod identity;
mod mappings;
mod memory;
mod numbers;
mod passed_on;
mod processors;
pub(crate) mod pthread;
mod random;
mod real;
mod shares;
mod signal_handler;
mod signal_mask;
mod signals;
pub(crate) mod thread_unsafe;

/// Sets `errno` and returns -1, as functions of the C library fail.
fn fail(error: libc::c_int) -> isize {
    // SAFETY: `errno` is a place of this thread.
    unsafe { *libc::__errno_location() = error };
    -1
}

/// The result of a system call as the C library's functions have it.
fn result_of(result: isize) -> isize {
    match result {
        error @ -4095..=-1 => fail(-error as libc::c_int),
        result => result,
    }
}

/// A descriptor, or another `int`, as an argument of a system call.
fn argument(number: libc::c_int) -> usize {
    (number as isize).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_system_calls_go_where_the_c_library_has_them() {
        // SAFETY: a place of this thread.
        let errno = || unsafe { *libc::__errno_location() };
        assert_eq!(result_of(-2), -1);
        assert_eq!(errno(), libc::ENOENT);
        assert_eq!(result_of(-4095), -1);
        assert_eq!(errno(), 4095);
        for result in [0, 7, isize::MAX, -4096] {
            assert_eq!(result_of(result), result);
        }
        assert_eq!(errno(), 4095);
    }

    #[test]
    fn a_negative_number_stays_one() {
        assert_eq!(argument(-1), usize::MAX);
        assert_eq!(argument(-100).cast_signed(), -100);
    }
}
