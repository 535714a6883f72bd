//! Functions of C that end the process: on a controlled worker they end the iteration, as std's do.
//!
//! No function of `atexit` runs then: the process goes on, and such functions may be of its libraries.

use cct::engine;
use libc::c_int;

use super::real::{Real, system_call};

static EXIT: Real<unsafe extern "C" fn(c_int) -> !> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"exit") };
static QUICK_EXIT: Real<unsafe extern "C" fn(c_int) -> !> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"quick_exit") };

/// Takes over the C library's `exit`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn exit(code: c_int) -> ! {
    if engine::is_controlled() {
        engine::exit_by("exit", code);
    }
    // SAFETY: ends the process.
    unsafe { EXIT.get()(code) }
}

/// Takes over the C library's `quick_exit`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn quick_exit(code: c_int) -> ! {
    if engine::is_controlled() {
        engine::exit_by("quick_exit", code);
    }
    // SAFETY: ends the process.
    unsafe { QUICK_EXIT.get()(code) }
}

/// Takes over the C library's `_exit`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn _exit(code: c_int) -> ! {
    end_at_once("_exit", code)
}

/// Takes over the C library's `_Exit`.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "it is the C library's name")]
pub(super) extern "C" fn _Exit(code: c_int) -> ! {
    end_at_once("_Exit", code)
}

/// `exit_group`, which has a number only.
pub(super) fn exit_group(code: c_int) -> c_int {
    end_at_once("exit_group", code)
}

fn end_at_once(call: &str, code: c_int) -> ! {
    if engine::is_controlled() {
        engine::exit_by(call, code);
    }
    loop {
        let arguments = [super::argument(code), 0, 0, 0, 0, 0];
        // SAFETY: ends the process.
        unsafe { system_call(libc::SYS_exit_group, arguments) };
    }
}
