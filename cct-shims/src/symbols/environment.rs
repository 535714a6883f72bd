//! The environment, which is the real one: that it was read is told. It is written by `thread_unsafe`.

use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use cct::claim::Exception;
use cct::engine;
use cct::tsvd::{self, Api, call_under_lock, hears};
use libc::{c_char, size_t};

use super::caller::with_caller;
use super::real::Real;
use super::thread_unsafe::group::{CURRENT_DIRECTORY, ENV};
use super::thread_unsafe::tell;
use crate::std::env::{Locked, has_told, is_locked, is_read, read_one};

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

with_caller!(getenv(name: *const c_char) -> *mut c_char, "rsi", "x1", get);
with_caller!(secure_getenv(name: *const c_char) -> *mut c_char, "rsi", "x1", get_securely);
with_caller!(getcwd(buffer: *mut c_char, size: size_t) -> *mut c_char, "rdx", "x2", working_folder);

unsafe extern "C" fn get(name: *const c_char, caller: usize) -> *mut c_char {
    static API: Api = reads("getenv");
    // SAFETY: the caller's name ends with a zero.
    unsafe {
        note(&API, name, caller);
        GETENV.get()(name)
    }
}

unsafe extern "C" fn get_securely(name: *const c_char, caller: usize) -> *mut c_char {
    static API: Api = reads("secure_getenv");
    // SAFETY: the caller's name ends with a zero.
    unsafe {
        note(&API, name, caller);
        SECURE_GETENV.get()(name)
    }
}

const fn reads(name: &'static str) -> Api {
    Api {
        name,
        group: &ENV,
        writes: false,
    }
}

unsafe extern "C" fn working_folder(
    buffer: *mut c_char,
    size: size_t,
    caller: usize,
) -> *mut c_char {
    static API: Api = Api {
        name: "getcwd",
        group: &CURRENT_DIRECTORY,
        writes: false,
    };
    engine::leave_out(Exception::Environment);
    if !has_told() {
        tsvd::call_from(&API, 0, caller);
    }
    // SAFETY: the caller's arguments.
    unsafe { GETCWD.get()(buffer, size) }
}

unsafe fn note(api: &'static Api, name: *const c_char, caller: usize) {
    if is_read() {
        // Nobody's call.
        CALL_OF_STD.store(caller, Relaxed);
        return;
    }
    // SAFETY: the caller's name ends with a zero.
    let is_stds = || STDS.contains(&unsafe { CStr::from_ptr(name) });
    if engine::is_controlled() && !is_stds() {
        engine::leave_out(Exception::Environment);
    }
    let is_within_std = is_locked() || is_call_of_std(caller);
    let _locked = (is_within_std && !is_locked()).then(Locked::by_reader);
    if is_within_std {
        call_under_lock(api, 0, caller);
    } else {
        tell(api, 0, caller);
    }
}

/// Where the only call in std returns to.
static CALL_OF_STD: AtomicUsize = AtomicUsize::new(0);

/// True if std calls, which has a lock around that, also where no function of ours has told: for a backtrace,
/// say. The place of that call is learned by having it made.
fn is_call_of_std(caller: usize) -> bool {
    if hears() && CALL_OF_STD.load(Relaxed) == 0 {
        read_one();
    }
    CALL_OF_STD.load(Relaxed) == caller
}
