//! The times of files, by the clock of the iteration where they are new.

use std::ffi::CStr;
use std::mem::MaybeUninit;

use cct::engine::{self, Change, FileId, Stamp};
use libc::{AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW, c_char, c_int, c_long};

use super::argument;
use super::clock::machine_time;
use super::real::system_call;

const NANOS: i64 = 1_000_000_000;
/// The times that changes are about, and what tells a file from others.
const WANTED: usize = (libc::STATX_ATIME
    | libc::STATX_MTIME
    | libc::STATX_CTIME
    | libc::STATX_BTIME
    | libc::STATX_INO
    | libc::STATX_TYPE) as usize;

/// Changes the times that a system call of this number has told to a worker.
///
/// # Safety
///
/// The call was made with these arguments, and went well.
pub(super) unsafe fn adjust(number: c_long, arguments: &[usize; 6]) {
    match number {
        libc::SYS_statx => {
            let place = arguments[4] as *mut libc::statx;
            // SAFETY: the kernel has written there.
            let place = unsafe { &mut *place };
            let file = file_of(place);
            for (stamp, time) in [
                (Stamp::Accessed, &mut place.stx_atime),
                (Stamp::Made, &mut place.stx_btime),
                (Stamp::Changed, &mut place.stx_ctime),
                (Stamp::Modified, &mut place.stx_mtime),
            ] {
                let (seconds, nanos) = seen((file, stamp), (time.tv_sec, time.tv_nsec.into()));
                time.tv_sec = seconds;
                time.tv_nsec = nanos.cast_unsigned() as u32;
            }
        }
        libc::SYS_newfstatat => {
            let place = arguments[2] as *mut libc::stat;
            // SAFETY: as above.
            let place = unsafe { &mut *place };
            let file = (place.st_dev, place.st_ino);
            for (stamp, seconds, nanos) in [
                (
                    Stamp::Accessed,
                    &mut place.st_atime,
                    &mut place.st_atime_nsec,
                ),
                (
                    Stamp::Modified,
                    &mut place.st_mtime,
                    &mut place.st_mtime_nsec,
                ),
                (
                    Stamp::Changed,
                    &mut place.st_ctime,
                    &mut place.st_ctime_nsec,
                ),
            ] {
                (*seconds, *nanos) = seen((file, stamp), (*seconds, *nanos));
            }
        }
        _ => {}
    }
}

/// A time as the iteration sees it, in seconds and nanoseconds.
fn seen(of: (FileId, Stamp), (seconds, nanos): (i64, i64)) -> (i64, i64) {
    let Some(time) = joined(seconds, nanos) else {
        return (seconds, nanos);
    };
    let seen = engine::file_time(of, time, machine_time()).cast_signed();
    (seen / NANOS, seen % NANOS)
}

/// Nanoseconds since the Unix epoch.
fn joined(seconds: i64, nanos: i64) -> Option<u64> {
    let time = seconds.checked_mul(NANOS)?.checked_add(nanos)?;
    u64::try_from(time).ok()
}

/// A file that a system call makes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Makes {
    Nothing,
    /// Under the name that it is asked for by.
    Here,
    /// Under the name that a link leads to.
    BehindLink,
}

impl Makes {
    /// The file that a system call of this number will make, if it goes well.
    pub(super) fn by(number: c_long, arguments: &[usize; 6]) -> Makes {
        let flags = arguments[2].cast_signed() as c_int;
        let path = arguments[1] as *const c_char;
        if number != libc::SYS_openat || flags & libc::O_CREAT == 0 || path.is_null() {
            return Makes::Nothing;
        }
        // SAFETY: the caller's path is a text; the kernel is about to read it.
        let path = unsafe { CStr::from_ptr(path) };
        let is_free = |follow| told(arguments[0], path, follow).is_none();
        if flags & libc::O_EXCL != 0 {
            Makes::Here
        } else if !is_free(0) {
            Makes::Nothing
        } else if is_free(AT_SYMLINK_NOFOLLOW) {
            Makes::Here
        } else {
            Makes::BehindLink
        }
    }
}

/// A worker has changed files by a system call of this number with this result, which went well.
pub(super) fn note_call(number: c_long, arguments: &[usize; 6], result: isize, makes: Makes) {
    let at = |folder: usize, path: usize| (arguments[folder], arguments[path] as *const c_char);
    match number {
        libc::SYS_openat if makes != Makes::Nothing => {
            note(result.cast_unsigned(), c"", Change::Made);
            if makes == Makes::Here {
                note_folder(at(0, 1));
            }
        }
        libc::SYS_openat if arguments[2].cast_signed() as c_int & libc::O_TRUNC != 0 => {
            note(result.cast_unsigned(), c"", Change::Written);
        }
        libc::SYS_openat
            if arguments[2].cast_signed() as c_int & libc::O_ACCMODE != libc::O_WRONLY =>
        {
            note(result.cast_unsigned(), c"", Change::Opened);
        }
        libc::SYS_mkdirat => note_new(at(0, 1)),
        libc::SYS_symlinkat => note_new(at(1, 2)),
        libc::SYS_unlinkat => note_folder(at(0, 1)),
        libc::SYS_linkat => note_named(at(2, 3)),
        libc::SYS_renameat2 => {
            note_folder(at(0, 1));
            note_named(at(2, 3));
        }
        libc::SYS_truncate => {
            // SAFETY: the caller's path is a text; the kernel has read it.
            let path = unsafe { CStr::from_ptr(arguments[0] as *const c_char) };
            note(argument(libc::AT_FDCWD), path, Change::Written);
        }
        _ => {}
    }
}

/// A worker has written into this open file.
pub(super) fn note_write(descriptor: c_int) {
    note(argument(descriptor), c"", Change::Written);
}

fn note_new((folder, path): (usize, *const c_char)) {
    // SAFETY: the caller's path is a text; the kernel has read it.
    note(folder, unsafe { CStr::from_ptr(path) }, Change::Made);
    note_folder((folder, path));
}

fn note_named((folder, path): (usize, *const c_char)) {
    // SAFETY: as above.
    note(folder, unsafe { CStr::from_ptr(path) }, Change::Named);
    note_folder((folder, path));
}

/// Something has come into the folder of what this path names, or has gone.
fn note_folder((folder, path): (usize, *const c_char)) {
    // SAFETY: as above.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    // A path is too long for the stack of a coroutine.
    if let Some(told) = engine::outside(|| told_of_parent(folder, path)) {
        note_told(&told, Change::Written);
    }
}

#[inline(never)]
fn told_of_parent(folder: usize, path: &[u8]) -> Option<libc::statx> {
    let mut parent = [0; libc::PATH_MAX as usize];
    told(folder, parent_of(path, &mut parent), 0)
}

/// The folder of what a path names; `place` is where it is written.
fn parent_of<'a>(path: &[u8], place: &'a mut [u8]) -> &'a CStr {
    let is_name = |&byte: &u8| byte != b'/';
    let end = path.iter().rposition(is_name).map_or(0, |last| last + 1);
    let length = path[..end].iter().rposition(|&byte| byte == b'/');
    let parent = match length {
        None => &b"."[..],
        Some(0) => b"/",
        Some(length) => &path[..length],
    };
    let length = parent.len().min(place.len() - 1);
    place[..length].copy_from_slice(&parent[..length]);
    place[length] = 0;
    CStr::from_bytes_until_nul(place).unwrap_or_default()
}

/// Notes what was done to the file that a path in an open folder names, or to the open file itself. A link is
/// followed to be written to.
fn note(folder: usize, path: &CStr, change: Change) {
    let flags = match change {
        Change::Made | Change::Named => AT_SYMLINK_NOFOLLOW,
        Change::Written | Change::Opened => 0,
    };
    if let Some(told) = told(folder, path, flags) {
        note_told(&told, change);
    }
}

fn note_told(told: &libc::statx, change: Change) {
    let kinds = [libc::S_IFREG, libc::S_IFDIR, libc::S_IFLNK];
    if kinds.contains(&(u32::from(told.stx_mode) & libc::S_IFMT)) {
        let times = [
            (libc::STATX_MTIME, told.stx_mtime),
            (libc::STATX_CTIME, told.stx_ctime),
            (libc::STATX_BTIME, told.stx_btime),
            (libc::STATX_ATIME, told.stx_atime),
        ];
        let times = times.map(|(bit, time)| {
            let is_told = told.stx_mask & bit != 0;
            is_told.then(|| joined(time.tv_sec, time.tv_nsec.into()))?
        });
        engine::note_file(file_of(told), times, change);
    }
}

/// Asks for the file that a path in an open folder names, or for the open file itself.
fn told(folder: usize, path: &CStr, flags: c_int) -> Option<libc::statx> {
    let mut place = MaybeUninit::<libc::statx>::uninit();
    let flags = argument(AT_EMPTY_PATH | flags);
    let pointers = (path.as_ptr() as usize, place.as_mut_ptr() as usize);
    let arguments = [folder, pointers.0, flags, WANTED, pointers.1, 0];
    // SAFETY: the path is a text, and the place has the size that the kernel writes.
    let result = unsafe { system_call(libc::SYS_statx, arguments) };
    // SAFETY: the kernel has written it.
    (result >= 0).then(|| unsafe { place.assume_init() })
}

/// As the C library numbers devices.
fn file_of(told: &libc::statx) -> FileId {
    let device = libc::makedev(told.stx_dev_major, told.stx_dev_minor);
    (device, told.stx_ino)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_lies_in_a_folder() {
        for (path, expected) in [
            ("file", "."),
            ("folder/file", "folder"),
            ("folder/sub/", "folder"),
            ("/file", "/"),
            ("/a/b//", "/a"),
            ("", "."),
        ] {
            let mut place = [0; 64];
            let parent = parent_of(path.as_bytes(), &mut place);
            assert_eq!(parent.to_str(), Ok(expected), "{path}");
        }
    }
}
