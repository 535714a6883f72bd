//! The times of files, by the clock of the iteration where they are new.

use std::ffi::CStr;
use std::mem::MaybeUninit;

use cct::engine::{self, Change, FileId, Stamp};
use libc::{AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW, c_char, c_int, c_long};

use super::argument;
use super::clock::{coarse_time, machine_time};
use super::real::system_call;

const NANOS: i64 = 1_000_000_000;
/// The times that changes are about, and what tells a file from others.
const WANTED: usize = (libc::STATX_MTIME
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
                (None, &mut place.stx_atime),
                (Some(Stamp::Made), &mut place.stx_btime),
                (Some(Stamp::Changed), &mut place.stx_ctime),
                (Some(Stamp::Modified), &mut place.stx_mtime),
            ] {
                let of = stamp.map(|stamp| (file, stamp));
                let (seconds, nanos) = seen(of, (time.tv_sec, time.tv_nsec.into()));
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
                (None, &mut place.st_atime, &mut place.st_atime_nsec),
                (
                    Some(Stamp::Modified),
                    &mut place.st_mtime,
                    &mut place.st_mtime_nsec,
                ),
                (
                    Some(Stamp::Changed),
                    &mut place.st_ctime,
                    &mut place.st_ctime_nsec,
                ),
            ] {
                let of = stamp.map(|stamp| (file, stamp));
                (*seconds, *nanos) = seen(of, (*seconds, *nanos));
            }
        }
        _ => {}
    }
}

/// A time as the iteration sees it, in seconds and nanoseconds.
fn seen(of: Option<(FileId, Stamp)>, (seconds, nanos): (i64, i64)) -> (i64, i64) {
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

/// When a system call begins, by the machine's clock for files.
#[derive(Clone, Copy)]
pub(super) struct Began(u64);

impl Began {
    pub(super) fn now() -> Began {
        Began(coarse_time())
    }
}

/// A worker has changed files by a system call of this number with this result, which went well.
pub(super) fn note_call(
    number: c_long,
    arguments: &[usize; 6],
    result: isize,
    Began(began): Began,
) {
    let at = |folder: usize, path: usize| (arguments[folder], arguments[path] as *const c_char);
    match number {
        libc::SYS_openat => {
            let flags = arguments[2].cast_signed() as c_int;
            let is_emptied = flags & libc::O_TRUNC != 0;
            if flags & (libc::O_CREAT | libc::O_TRUNC) == 0 {
                return;
            }
            let opened = Change::Opened { began, is_emptied };
            if note(result.cast_unsigned(), c"", opened) {
                note_folder(at(0, 1));
            }
        }
        libc::SYS_mkdirat => note_new(at(0, 1)),
        libc::SYS_symlinkat => note_new(at(1, 2)),
        libc::SYS_unlinkat => note_folder(at(0, 1)),
        libc::SYS_linkat => note_folder(at(2, 3)),
        libc::SYS_renameat2 => {
            note_folder(at(0, 1));
            note_folder(at(2, 3));
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

/// Something has come into the folder of what this path names, or has gone.
fn note_folder((folder, path): (usize, *const c_char)) {
    // SAFETY: as above.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let mut parent = [0; libc::PATH_MAX as usize];
    let parent = parent_of(path, &mut parent);
    note(folder, parent, Change::Written);
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

/// Notes what was done to the file that a path in an open folder names, or to the open file itself. True if
/// it is new.
fn note(folder: usize, path: &CStr, change: Change) -> bool {
    let mut place = MaybeUninit::<libc::statx>::uninit();
    let flags = argument(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW);
    let pointers = (path.as_ptr() as usize, place.as_mut_ptr() as usize);
    let arguments = [folder, pointers.0, flags, WANTED, pointers.1, 0];
    // SAFETY: the path is a text, and the place has the size that the kernel writes.
    let result = unsafe { system_call(libc::SYS_statx, arguments) };
    if result < 0 {
        return false;
    }
    // SAFETY: the kernel has written it.
    let told = unsafe { place.assume_init() };
    let is_file = [libc::S_IFREG, libc::S_IFDIR, libc::S_IFLNK]
        .contains(&(u32::from(told.stx_mode) & libc::S_IFMT));
    let time = |time: libc::statx_timestamp| joined(time.tv_sec, time.tv_nsec.into());
    let times = [told.stx_mtime, told.stx_ctime, told.stx_btime].map(|at| time(at).unwrap_or(0));
    is_file && engine::note_file(file_of(&told), times, change)
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
