//! Functions of the C library that are taken over for the whole binary.
//!
//! A symbol defined here goes before the C library's own. On a controlled worker the function does what
//! the engine wants; anywhere else it passes straight on.

mod clock;
mod fork;
mod futex;
mod memory;
mod output;
mod random;
mod real;
mod uncontrolled;

/// Sets `errno` and returns -1, as functions of the C library fail.
fn fail(error: libc::c_int) -> isize {
    // SAFETY: `errno` is a place of this thread.
    unsafe { *libc::__errno_location() = error };
    -1
}
