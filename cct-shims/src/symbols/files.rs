//! The file system, which is the real one: that it was used is told, by whom of the paths, and nothing else
//! happens.
//!
//! Each way in is here, by a path; what goes on with a file that was opened needs no notice of its own.

use std::ffi::CStr;

use cct::claim::Exception;
use cct::codec::hash_on;
use cct::engine;
use cct::memory::{PathUse, note_change_of_folder, note_path, note_path_use, note_process};
use cct::object::ObjectId;
use libc::{
    AT_FDCWD, AT_REMOVEDIR, AT_SYMLINK_NOFOLLOW, DIR, FILE, c_char, c_int, c_long, c_uint, mode_t,
    off_t, size_t, ssize_t,
};

use super::file_times::{self, Makes};
use super::real::{Real, system_call};
use super::shares::{note_entries, note_open, note_paths};
use super::{argument, result_of};

/// Somebody uses the file system: the current worker, if a worker calls.
fn note() {
    note_path_use();
    engine::leave_out(Exception::Files);
}

/// A worker has made a system call of this number on paths, which went well or not.
fn note_uses(number: c_long, arguments: &[usize; 6], is_done: bool) {
    if !engine::is_controlled() {
        return;
    }
    let asks = PathUse {
        asks: true,
        ..PathUse::default()
    };
    let changes = PathUse {
        asks: false,
        changes: is_done,
        lists: false,
    };
    let both = PathUse {
        asks: true,
        ..changes
    };
    // Of each path the numbers of the arguments with its folder and itself.
    let uses: &[(usize, usize, PathUse)] = match number {
        libc::SYS_openat => &[(0, 1, opened(arguments[2].cast_signed() as c_int, is_done))],
        libc::SYS_mkdirat | libc::SYS_unlinkat => &[(0, 1, both)],
        libc::SYS_renameat2 => &[(0, 1, both), (2, 3, changes)],
        libc::SYS_linkat => &[(0, 1, asks), (2, 3, both)],
        libc::SYS_symlinkat => &[(1, 2, both)],
        libc::SYS_flock | libc::SYS_truncate => &[],
        _ => &[(0, 1, asks)],
    };
    if number == libc::SYS_truncate || uses.iter().any(|(_, _, used)| used.changes) {
        engine::note_change();
    }
    for &(folder, path, used) in uses {
        note_use(arguments[folder], arguments[path] as *const c_char, used);
    }
}

/// The use that is made of a file by opening it with these flags.
fn opened(flags: c_int, is_done: bool) -> PathUse {
    let writes = flags & (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC) != 0;
    let is_empty = flags & libc::O_TRUNC != 0;
    let reads = flags & libc::O_ACCMODE != libc::O_WRONLY && !is_empty;
    PathUse {
        asks: reads || flags & libc::O_EXCL != 0,
        changes: writes && is_done,
        lists: flags & libc::O_DIRECTORY != 0,
    }
}

/// A worker has used this path, if it is not one in an open folder.
fn note_use(folder: usize, path: *const c_char, used: PathUse) {
    if path.is_null() {
        return;
    }
    // SAFETY: the caller's path is a text; the kernel has read it.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    if folder == here() || path.starts_with(b"/") {
        note_path(path, used);
    }
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
    if PROCESSES.contains(&number) {
        note_process();
    }
    if [libc::SYS_chdir, libc::SYS_fchdir, libc::SYS_umask].contains(&number) {
        note_change_of_folder();
    }
}

/// The system calls that make a process, or a thread.
const PROCESSES: &[c_long] = &[
    libc::SYS_clone,
    libc::SYS_clone3,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
];

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
                let makes = if engine::is_controlled() {
                    Makes::by(libc::$number, &arguments)
                } else {
                    Makes::Nothing
                };
                // SAFETY: the caller's arguments are those of the system call.
                let result = unsafe { system_call(libc::$number, arguments) };
                note_uses(libc::$number, &arguments, result >= 0);
                if result >= 0 && engine::is_controlled() {
                    file_times::note_call(libc::$number, &arguments, result, makes);
                    if libc::$number == libc::SYS_openat {
                        engine::note_reading(result as c_int);
                    }
                    // SAFETY: it went well.
                    unsafe { file_times::adjust(libc::$number, &arguments) };
                }
                let result = result_of(result) as $result;
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
    renameat(from_folder: c_int, from: *const c_char, to_folder: c_int, to: *const c_char) -> c_int =
        SYS_renameat2(argument(from_folder), from as usize, argument(to_folder), to as usize);
    renameat2(
        from_folder: c_int,
        from: *const c_char,
        to_folder: c_int,
        to: *const c_char,
        flags: c_uint
    ) -> c_int = SYS_renameat2(
        argument(from_folder), from as usize, argument(to_folder), to as usize, flags as usize
    );
    linkat(
        from_folder: c_int,
        from: *const c_char,
        to_folder: c_int,
        to: *const c_char,
        flags: c_int
    ) -> c_int = SYS_linkat(
        argument(from_folder), from as usize, argument(to_folder), to as usize, argument(flags)
    );
    link(from: *const c_char, to: *const c_char) -> c_int =
        SYS_linkat(here(), from as usize, here(), to as usize);
    symlink(target: *const c_char, path: *const c_char) -> c_int =
        SYS_symlinkat(target as usize, here(), path as usize);
    symlinkat(target: *const c_char, folder: c_int, path: *const c_char) -> c_int =
        SYS_symlinkat(target as usize, argument(folder), path as usize);
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
    let mode_text = unsafe { CStr::from_ptr(mode) }.to_bytes();
    let reads = mode_text == b"r";
    note_open(path, !reads);
    // SAFETY: the caller's arguments.
    let file = unsafe { FOPEN.get()(path, mode) };
    if engine::is_controlled() {
        let used = PathUse {
            asks: mode_text.starts_with(b"r"),
            changes: (!mode_text.starts_with(b"r") || mode_text.contains(&b'+')) && !file.is_null(),
            lists: false,
        };
        note_use(here(), path, used);
        if !file.is_null() {
            // SAFETY: it is open.
            engine::note_reading(unsafe { libc::fileno(file) });
        }
    }
    file
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
    if engine::is_controlled() {
        let used = PathUse {
            lists: true,
            ..PathUse::default()
        };
        note_use(here(), path, used);
    }
    // SAFETY: the caller's arguments.
    let folder = unsafe { OPENDIR.get()(path) };
    if !folder.is_null() {
        // SAFETY: it is open.
        engine::note_reading(unsafe { libc::dirfd(folder) });
    }
    folder
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_opened_is_asked_for_changed_or_both() {
        let used = |flags| {
            let used = opened(flags, true);
            (used.asks, used.changes)
        };
        assert_eq!(used(libc::O_RDONLY), (true, false));
        assert_eq!(used(libc::O_RDWR | libc::O_CREAT), (true, true));
        let anew = libc::O_WRONLY | libc::O_CREAT;
        assert_eq!(used(anew | libc::O_TRUNC), (false, true));
        assert_eq!(used(anew | libc::O_APPEND), (false, true));
        assert_eq!(used(anew | libc::O_EXCL), (true, true));
        assert!(!opened(anew, false).changes, "nothing was made");
    }
}
