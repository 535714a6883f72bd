//! The file system, which is the real one: that it was used is told, and nothing else happens.
//!
//! Each way in is here, by a path; what goes on with a file that was opened needs no notice of its own.

use std::ffi::CStr;

use cct::claim::Exception;
use cct::codec::hash_on;
use cct::engine;
use cct::memory::note_change_of_folder;
use cct::object::ObjectId;
use libc::{
    AT_FDCWD, AT_REMOVEDIR, AT_SYMLINK_NOFOLLOW, DIR, FILE, c_char, c_int, c_long, c_uint, mode_t,
    off_t, size_t, ssize_t,
};

use super::real::{Real, system_call};
use super::shares::{note_entries, note_open, note_paths};
use super::{argument, result_of};

/// The current worker uses the file system, if a worker calls.
fn note() {
    engine::leave_out(Exception::Files);
}

/// A look at what a path names, by a system call of this number: others may be about to change it. The second
/// of the call's arguments is the path.
fn note_read(number: c_long, arguments: &[usize; 6]) {
    const LOOKS: [c_long; 5] = [
        libc::SYS_openat,
        libc::SYS_statx,
        libc::SYS_newfstatat,
        libc::SYS_faccessat,
        libc::SYS_readlinkat,
    ];
    let path = arguments[1] as *const c_char;
    if !LOOKS.contains(&number) || path.is_null() || !engine::is_controlled() {
        return;
    }
    // SAFETY: the caller's path is a text; the kernel is about to read it.
    let path = unsafe { CStr::from_ptr(path) };
    let what = hash_on(number.cast_unsigned(), path.to_bytes().iter().copied());
    engine::glance(what.wrapping_add(arguments[0] as u64));
}

/// A system call of this number is carried out: the same for those that are made past all functions.
pub(super) fn note_number(number: c_long) {
    if NUMBERS.contains(&number) {
        note();
    }
    if [libc::SYS_chdir, libc::SYS_fchdir, libc::SYS_umask].contains(&number) {
        note_change_of_folder();
    }
}

/// Defines functions of the C library that are one system call each.
macro_rules! system_calls {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $number:ident($($value:expr),*);)*) => {
        /// The numbers of all of them, and of others on paths and folders.
        const NUMBERS: &[c_long] = &[
            $(libc::$number,)*
            libc::SYS_getdents64,
            libc::SYS_openat2,
            libc::SYS_chdir,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_open,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_stat,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_lstat,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_access,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_rename,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_mkdir,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_rmdir,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_unlink,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_readlink,
        ];

        $(
            #[doc = concat!("Takes over the C library's `", stringify!($name), "`.")]
            ///
            /// # Safety
            ///
            /// As the C library's.
            #[unsafe(no_mangle)]
            pub(super) unsafe extern "C" fn $name($($argument: $type),*) -> $result {
                note();
                let mut arguments = [0; 6];
                let values: &[usize] = &[$($value),*];
                arguments[..values.len()].copy_from_slice(values);
                note_read(libc::$number, &arguments);
                note_paths(libc::$number, &arguments);
                let is_lock = libc::$number == libc::SYS_flock;
                if is_lock {
                    engine::release(ObjectId::KERNEL);
                }
                // SAFETY: the caller's arguments are those of the system call.
                let result = result_of(unsafe { system_call(libc::$number, arguments) }) as $result;
                if is_lock {
                    engine::acquire(ObjectId::KERNEL);
                }
                result
            }
        )*
    };
}

/// The folder that relative paths begin in.
fn here() -> usize {
    argument(AT_FDCWD)
}

system_calls! {
    open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int =
        SYS_openat(here(), path as usize, argument(flags), mode as usize);
    open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int =
        SYS_openat(here(), path as usize, argument(flags), mode as usize);
    openat(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int =
        SYS_openat(argument(folder), path as usize, argument(flags), mode as usize);
    openat64(folder: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int =
        SYS_openat(argument(folder), path as usize, argument(flags), mode as usize);
    statx(folder: c_int, path: *const c_char, flags: c_int, mask: c_uint, place: *mut libc::statx) -> c_int =
        SYS_statx(argument(folder), path as usize, argument(flags), mask as usize, place as usize);
    stat(path: *const c_char, place: *mut libc::stat) -> c_int =
        SYS_newfstatat(here(), path as usize, place as usize);
    stat64(path: *const c_char, place: *mut libc::stat64) -> c_int =
        SYS_newfstatat(here(), path as usize, place as usize);
    lstat(path: *const c_char, place: *mut libc::stat) -> c_int =
        SYS_newfstatat(here(), path as usize, place as usize, argument(AT_SYMLINK_NOFOLLOW));
    lstat64(path: *const c_char, place: *mut libc::stat64) -> c_int =
        SYS_newfstatat(here(), path as usize, place as usize, argument(AT_SYMLINK_NOFOLLOW));
    fstatat(folder: c_int, path: *const c_char, place: *mut libc::stat, flags: c_int) -> c_int =
        SYS_newfstatat(argument(folder), path as usize, place as usize, argument(flags));
    fstatat64(folder: c_int, path: *const c_char, place: *mut libc::stat64, flags: c_int) -> c_int =
        SYS_newfstatat(argument(folder), path as usize, place as usize, argument(flags));
    access(path: *const c_char, mode: c_int) -> c_int =
        SYS_faccessat(here(), path as usize, argument(mode));
    mkdir(path: *const c_char, mode: mode_t) -> c_int =
        SYS_mkdirat(here(), path as usize, mode as usize);
    mkdirat(folder: c_int, path: *const c_char, mode: mode_t) -> c_int =
        SYS_mkdirat(argument(folder), path as usize, mode as usize);
    rmdir(path: *const c_char) -> c_int =
        SYS_unlinkat(here(), path as usize, argument(AT_REMOVEDIR));
    unlink(path: *const c_char) -> c_int = SYS_unlinkat(here(), path as usize);
    unlinkat(folder: c_int, path: *const c_char, flags: c_int) -> c_int =
        SYS_unlinkat(argument(folder), path as usize, argument(flags));
    rename(from: *const c_char, to: *const c_char) -> c_int =
        SYS_renameat2(here(), from as usize, here(), to as usize);
    link(from: *const c_char, to: *const c_char) -> c_int =
        SYS_linkat(here(), from as usize, here(), to as usize);
    symlink(target: *const c_char, path: *const c_char) -> c_int =
        SYS_symlinkat(target as usize, here(), path as usize);
    readlink(path: *const c_char, place: *mut c_char, size: size_t) -> ssize_t =
        SYS_readlinkat(here(), path as usize, place as usize, size);
    truncate(path: *const c_char, length: off_t) -> c_int =
        SYS_truncate(path as usize, length.cast_unsigned() as usize);
    flock(descriptor: c_int, order: c_int) -> c_int =
        SYS_flock(argument(descriptor), argument(order));
}

static FOPEN: Real<unsafe extern "C" fn(*const c_char, *const c_char) -> *mut FILE> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"fopen") };
static OPENDIR: Real<unsafe extern "C" fn(*const c_char) -> *mut DIR> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"opendir") };
static REALPATH: Real<unsafe extern "C" fn(*const c_char, *mut c_char) -> *mut c_char> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"realpath") };

/// Takes over the C library's `fopen`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn fopen(path: *const c_char, mode: *const c_char) -> *mut FILE {
    note();
    // SAFETY: the caller's mode is a text.
    let reads = unsafe { CStr::from_ptr(mode) }.to_bytes() == b"r";
    note_open(path, !reads);
    // SAFETY: the caller's arguments.
    unsafe { FOPEN.get()(path, mode) }
}

/// Takes over the C library's `fopen64`, which is the same.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn fopen64(path: *const c_char, mode: *const c_char) -> *mut FILE {
    // SAFETY: the caller's arguments.
    unsafe { fopen(path, mode) }
}

/// Takes over the C library's `opendir`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn opendir(path: *const c_char) -> *mut DIR {
    note();
    note_entries(path);
    // SAFETY: the caller's arguments.
    unsafe { OPENDIR.get()(path) }
}

/// Takes over the C library's `realpath`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn realpath(path: *const c_char, place: *mut c_char) -> *mut c_char {
    note();
    // SAFETY: the caller's arguments.
    unsafe { REALPATH.get()(path, place) }
}
