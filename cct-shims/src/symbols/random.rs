//! Random bytes: from the iteration's seed on controlled workers.

use cct::engine;
use libc::{c_int, c_uint, c_void, size_t, ssize_t};

use super::real::system_call;

/// Takes over the C library's `getrandom`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn getrandom(
    buffer: *mut c_void,
    length: size_t,
    flags: c_uint,
) -> ssize_t {
    // SAFETY: the caller's buffer is writable.
    unsafe {
        if engine::is_controlled() {
            engine::random_bytes(std::slice::from_raw_parts_mut(buffer.cast(), length));
            return length.cast_signed();
        }
        let arguments = [buffer as usize, length, flags as usize, 0, 0, 0];
        match system_call(libc::SYS_getrandom, arguments) {
            error @ -4095..=-1 => super::fail(-error as c_int),
            count => count,
        }
    }
}

/// Takes over the C library's `getentropy`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn getentropy(buffer: *mut c_void, length: size_t) -> c_int {
    // SAFETY: the caller's buffer is writable.
    unsafe {
        if length > 256 || getrandom(buffer, length, 0) != length.cast_signed() {
            return super::fail(libc::EIO) as c_int;
        }
    }
    0
}
