//! The current directory and the mask for new files: they are the process's, and put back after an iteration.

use cct::memory::note_change_of_folder;
use cct::tsvd::{Api, Group, call_from};
use libc::{c_char, c_int, mode_t};

use super::caller::weak_with_caller;
use super::real::system_call;
use super::thread_unsafe::group::{CURRENT_DIRECTORY, UMASK};
use super::{argument, result_of};
use crate::std::env::has_told;

weak_with_caller!(chdir, "rsi", "x1", go_to);
weak_with_caller!(fchdir, "rsi", "x1", go_to_open);
weak_with_caller!(umask, "rsi", "x1", set_mask);

unsafe extern "C" fn go_to(path: *const c_char, caller: usize) -> c_int {
    static API: Api = changes("chdir", &CURRENT_DIRECTORY);
    note_folder(&API, caller);
    let arguments = [path as usize, 0, 0, 0, 0, 0];
    // SAFETY: the caller's path.
    unsafe { result_of(system_call(libc::SYS_chdir, arguments)) as c_int }
}

unsafe extern "C" fn go_to_open(folder: c_int, caller: usize) -> c_int {
    static API: Api = changes("fchdir", &CURRENT_DIRECTORY);
    note_folder(&API, caller);
    let arguments = [argument(folder), 0, 0, 0, 0, 0];
    // SAFETY: no memory is involved.
    unsafe { result_of(system_call(libc::SYS_fchdir, arguments)) as c_int }
}

unsafe extern "C" fn set_mask(mask: mode_t, caller: usize) -> mode_t {
    static API: Api = changes("umask", &UMASK);
    note_change_of_folder();
    call_from(&API, 0, caller);
    let arguments = [mask as usize, 0, 0, 0, 0, 0];
    // SAFETY: no memory is involved.
    unsafe { result_of(system_call(libc::SYS_umask, arguments)).cast_unsigned() as mode_t }
}

/// Tells of the call, unless a function of std has told of it that calls.
fn note_folder(api: &'static Api, caller: usize) {
    note_change_of_folder();
    if !has_told() {
        call_from(api, 0, caller);
    }
}

const fn changes(name: &'static str, group: &'static Group) -> Api {
    Api {
        name,
        group,
        writes: true,
    }
}
