//! The environment, which is the real one: that it was read is told.

use std::ffi::CStr;

use cct::claim::Exception;
use cct::engine;
use libc::{c_char, size_t};

use super::real::Real;

type Get = unsafe extern "C" fn(*const c_char) -> *mut c_char;
static GETENV: Real<Get> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"getenv") };
static SECURE_GETENV: Real<Get> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"secure_getenv") };
static GETCWD: Real<unsafe extern "C" fn(*mut c_char, size_t) -> *mut c_char> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"getcwd") };

/// Variables that std reads for itself, when it makes a thread or tells of a panic.
const STDS: [&CStr; 3] = [c"RUST_BACKTRACE", c"RUST_LIB_BACKTRACE", c"RUST_MIN_STACK"];

/// Takes over the C library's `getenv`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn getenv(name: *const c_char) -> *mut c_char {
    // SAFETY: the caller's name ends with a zero.
    unsafe {
        note(name);
        GETENV.get()(name)
    }
}

/// Takes over the C library's `secure_getenv`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn secure_getenv(name: *const c_char) -> *mut c_char {
    // SAFETY: the caller's name ends with a zero.
    unsafe {
        note(name);
        SECURE_GETENV.get()(name)
    }
}

/// Takes over the C library's `getcwd`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn getcwd(buffer: *mut c_char, size: size_t) -> *mut c_char {
    engine::leave_out(Exception::Environment);
    // SAFETY: the caller's arguments.
    unsafe { GETCWD.get()(buffer, size) }
}

unsafe fn note(name: *const c_char) {
    // SAFETY: the caller's name ends with a zero.
    if engine::is_controlled() && !STDS.contains(&unsafe { CStr::from_ptr(name) }) {
        engine::leave_out(Exception::Environment);
    }
}
