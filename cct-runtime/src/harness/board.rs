//! The memory that the schedule is written to: shared with cargo-cct, or of this process alone.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::os::fd::AsRawFd as _;
use std::ptr::null_mut;

use crate::wire::Board;

/// Maps the board in this file.
pub(super) fn shared(path: &OsStr) -> Result<*mut Board, String> {
    let file = OpenOptions::new().read(true).write(true).open(path);
    let file = file.map_err(|error| format!("cannot open the board: {error}"))?;
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    if length < Board::FILE_SIZE {
        return Err(format!(
            "the board has {length} bytes, expected {}",
            Board::FILE_SIZE
        ));
    }
    map(file.as_raw_fd(), libc::MAP_SHARED)
}

/// Maps a board of this process alone.
pub(super) fn private() -> *mut Board {
    map(-1, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS).expect("memory for a board")
}

fn map(descriptor: libc::c_int, flags: libc::c_int) -> Result<*mut Board, String> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a fresh mapping touches nobody's memory.
    let place = unsafe {
        libc::mmap(
            null_mut(),
            size_of::<Board>(),
            protection,
            flags,
            descriptor,
            0,
        )
    };
    if place == libc::MAP_FAILED {
        return Err(format!(
            "cannot map the board: {}",
            std::io::Error::last_os_error()
        ));
    }
    Ok(place.cast())
}
