//! `pipe`.

use cct::engine;
use libc::c_int;

use super::table::{self, Kind};
use super::{argument, call};

/// Takes over the C library's `pipe`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn pipe(ends: *mut c_int) -> c_int {
    // SAFETY: the caller's place has room for two.
    unsafe { pipe2(ends, 0) }
}

/// Takes over the C library's `pipe2`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(in crate::symbols) unsafe extern "C" fn pipe2(ends: *mut c_int, flags: c_int) -> c_int {
    // SAFETY: the caller's place has room for two.
    unsafe {
        let result = call(
            libc::SYS_pipe2,
            [ends as usize, argument(flags), 0, 0, 0, 0],
        );
        if engine::is_controlled() && result == 0 {
            table::made_together([*ends, *ends.add(1)], Kind::Pipe);
        }
        result as c_int
    }
}
