//! Files and ports, which the tests of a process share with each other and with other processes: their use is
//! told where tests run together.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use cct::engine;
use cct::memory::note_path_use;
use libc::{c_char, c_int, c_long, sockaddr, socklen_t};

use super::caller::weak_with_caller;
use super::real::system_call;
use super::{argument, result_of};

/// A system call of this number on paths is about to be made.
pub(super) fn note_paths(number: c_long, arguments: &[usize; 6]) {
    if !engine::heeds_shares() || !engine::is_controlled() {
        return;
    }
    // Of each path the numbers of the arguments with its folder and itself.
    let paths: &[(usize, usize)] = match number {
        libc::SYS_renameat2 | libc::SYS_linkat => &[(0, 1), (2, 3)],
        libc::SYS_symlinkat => &[(1, 2)],
        libc::SYS_flock | libc::SYS_truncate => &[],
        _ => &[(0, 1)],
    };
    for &(folder, path) in paths {
        let changes = match number {
            libc::SYS_openat => is_write(number_in(arguments[2])),
            libc::SYS_mkdirat
            | libc::SYS_unlinkat
            | libc::SYS_renameat2
            | libc::SYS_linkat
            | libc::SYS_symlinkat => true,
            _ => false,
        };
        let opens = number == libc::SYS_openat;
        let it = if opens && number_in(arguments[2]) & libc::O_DIRECTORY != 0 {
            FOLDER
        } else {
            FILE
        };
        note_path(
            it,
            number_in(arguments[folder]),
            arguments[path] as *const c_char,
            changes,
        );
    }
}

/// Things that are at a path: by the names of their kinds.
const FILE: &[&str] = &["file"];
/// As above, a folder that is opened for what is in it.
const FOLDER: &[&str] = &["file", "entries of"];

/// The same of a function that opens what this path names.
pub(super) fn note_open(path: *const c_char, changes: bool) {
    if engine::heeds_shares() && engine::is_controlled() {
        note_path(FILE, libc::AT_FDCWD, path, changes);
    }
}

/// The same of a function that opens the folder that this path names.
pub(super) fn note_entries(path: *const c_char) {
    if engine::heeds_shares() && engine::is_controlled() {
        note_path(FOLDER, libc::AT_FDCWD, path, false);
    }
}

/// An `int` among the arguments of a system call.
fn number_in(argument: usize) -> c_int {
    argument.cast_signed() as c_int
}

fn is_write(flags: c_int) -> bool {
    flags & (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC) != 0
}

#[cold]
fn note_path(kinds: &[&str], folder: c_int, path: *const c_char, changes: bool) {
    if path.is_null() {
        return;
    }
    // SAFETY: the caller's path is a text, which is about to be read.
    let text = unsafe { CStr::from_ptr(path) }.to_bytes();
    let path = Path::new(OsStr::from_bytes(text));
    let name = engine::outside(|| {
        let path = if path.is_absolute() {
            path.to_owned()
        } else {
            folder_at(folder)?.join(path)
        };
        let path = without_dots(&path);
        // Files of the system are nobody's to change.
        let is_system = ["/proc", "/sys", "/dev"]
            .iter()
            .any(|it| path.starts_with(it));
        (!is_system).then(|| path.to_string_lossy().into_owned())
    });
    if folder == libc::AT_FDCWD && path.is_relative() {
        engine::use_shared("current directory", "", false, None);
    }
    if let Some(name) = name {
        for kind in kinds {
            engine::use_shared(kind, &name, changes, None);
        }
        engine::outside(|| drop(name));
    }
}

/// The folder that a descriptor is of.
fn folder_at(folder: c_int) -> Option<PathBuf> {
    let link = if folder == libc::AT_FDCWD {
        "/proc/self/cwd\0".to_owned()
    } else {
        format!("/proc/self/fd/{folder}\0")
    };
    let mut place = [0_u8; libc::PATH_MAX as usize];
    let arguments = [
        argument(libc::AT_FDCWD),
        link.as_ptr() as usize,
        place.as_mut_ptr() as usize,
        place.len(),
        0,
        0,
    ];
    // SAFETY: the path ends with a zero, and the place is ours.
    let length = unsafe { system_call(libc::SYS_readlinkat, arguments) };
    let length = usize::try_from(length).ok()?;
    Some(PathBuf::from(OsStr::from_bytes(&place[..length])))
}

/// The path without `.` and `..`, whatever links there are.
fn without_dots(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            other => out.push(other),
        }
    }
    out
}

weak_with_caller!(bind, "rcx", "x3", take_port);

unsafe extern "C" fn take_port(
    socket: c_int,
    address: *const sockaddr,
    length: socklen_t,
    _caller: usize,
) -> c_int {
    // It may be a path.
    note_path_use();
    if engine::heeds_shares()
        && engine::is_controlled()
        // SAFETY: the caller's address has so many bytes.
        && let Some(port) = unsafe { port_of(address, length) }
    {
        let name = engine::outside(|| port.to_string());
        engine::use_shared("port", &name, true, None);
        engine::outside(|| drop(name));
    }
    let arguments = [argument(socket), address as usize, length as usize, 0, 0, 0];
    // SAFETY: the caller's arguments are those of the system call.
    unsafe { result_of(system_call(libc::SYS_bind, arguments)) as c_int }
}

/// The port that an address names, if it is one of the internet and any particular port.
///
/// # Safety
///
/// The address has so many bytes.
unsafe fn port_of(address: *const sockaddr, length: socklen_t) -> Option<u16> {
    /// The family, and the port, which is at the same place for both families.
    const LEAST: usize = 4;
    if address.is_null() || (length as usize) < LEAST {
        return None;
    }
    // SAFETY: so many bytes are there.
    let (family, port) = unsafe {
        let family = address.cast::<u16>().read_unaligned();
        (family, address.cast::<u16>().add(1).read_unaligned())
    };
    let is_internet = [libc::AF_INET, libc::AF_INET6].contains(&c_int::from(family));
    (is_internet && port != 0).then(|| u16::from_be(port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_whole() {
        let whole = |text| without_dots(Path::new(text));
        assert_eq!(whole("/a/./b//c/../d"), Path::new("/a/b/d"));
        let here = folder_at(libc::AT_FDCWD);
        assert_eq!(here, std::env::current_dir().ok());
    }

    #[test]
    fn ports_are_those_of_the_internet() {
        let port = |address: &[u8]| {
            // SAFETY: so many bytes are there.
            unsafe { port_of(address.as_ptr().cast(), address.len() as socklen_t) }
        };
        let of = |family: c_int, port: u16| {
            [
                (family.cast_unsigned() as u16).to_ne_bytes(),
                port.to_be_bytes(),
                [0; 2],
                [0; 2],
            ]
            .concat()
        };
        assert_eq!(port(&of(libc::AF_INET, 8080)), Some(8080));
        assert_eq!(port(&of(libc::AF_INET6, 8080)), Some(8080));
        assert_eq!(port(&of(libc::AF_INET, 0)), None);
        assert_eq!(port(&of(libc::AF_UNIX, 8080)), None);
        assert_eq!(port(&[]), None);
    }
}
