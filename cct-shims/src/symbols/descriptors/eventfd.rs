//! `eventfd`.

use cct::engine;
use libc::{c_int, c_uint};

use super::table::{self, Kind};
use super::transfer::{read, write};
use super::{argument, call};

/// Takes over the C library's `eventfd`.
#[unsafe(no_mangle)]
pub(in crate::symbols) extern "C" fn eventfd(count: c_uint, flags: c_int) -> c_int {
    let arguments = [count as usize, argument(flags), 0, 0, 0, 0];
    // SAFETY: makes a descriptor.
    let descriptor = unsafe { call(libc::SYS_eventfd2, arguments) } as c_int;
    if engine::is_controlled() && descriptor >= 0 {
        table::made(descriptor, Kind::Eventfd);
    }
    descriptor
}

/// Takes over the C library's `eventfd_read`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn eventfd_read(
    descriptor: c_int,
    place: *mut u64,
) -> c_int {
    // SAFETY: the caller's place is writable.
    let whole = unsafe { read(descriptor, place.cast(), 8) } == 8;
    if whole { 0 } else { -1 }
}

/// Takes over the C library's `eventfd_write`.
#[unsafe(no_mangle)]
pub(in crate::symbols) extern "C" fn eventfd_write(descriptor: c_int, count: u64) -> c_int {
    // SAFETY: the count is readable.
    let whole = unsafe { write(descriptor, (&raw const count).cast(), 8) } == 8;
    if whole { 0 } else { -1 }
}
