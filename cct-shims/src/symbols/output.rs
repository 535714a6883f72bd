//! `write`: tells the harness that the test printed something, so that it need not look.

use cct::harness::note_output;
use libc::{c_int, c_void, size_t, ssize_t};

use super::real::system_call;

/// Takes over the C library's `write`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn write(
    descriptor: c_int,
    bytes: *const c_void,
    count: size_t,
) -> ssize_t {
    if descriptor == libc::STDOUT_FILENO || descriptor == libc::STDERR_FILENO {
        note_output();
    }
    let arguments = [
        descriptor.cast_unsigned() as usize,
        bytes as usize,
        count,
        0,
        0,
        0,
    ];
    // SAFETY: the caller's arguments are those of the system call.
    match unsafe { system_call(libc::SYS_write, arguments) } {
        error @ -4095..=-1 => super::fail(-error as c_int),
        written => written,
    }
}
