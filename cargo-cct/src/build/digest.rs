//! Content hashes: what they name is equal when they are.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::leftovers;
use crate::plain_file;
use crate::room;

/// Hashes parts, whose boundaries count.
pub(crate) fn of_parts(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

/// Names executables, given by their labels and the hashes of their content.
pub(crate) fn of_executables(all: impl Iterator<Item = (String, String)>) -> String {
    let mut all: Vec<String> = all.map(|(label, hash)| format!("{label} {hash}")).collect();
    all.sort();
    of_parts(&all.iter().map(String::as_bytes).collect::<Vec<_>>())
}

/// Hashes bytes, as [`of_file`] does a file that has them.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Writes a file into a folder, named by what is in it; returns its path. One that was damaged is written
/// again.
pub(crate) fn write_named(folder: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let file = folder.join(&of_bytes(bytes)[..16]);
    if plain_file::read(&file).is_ok_and(|found| found == bytes) {
        leftovers::note_use(&file);
    } else {
        // Another run may be reading it: it is there as a whole, or not at all.
        let written = plain_file::folder(folder)
            .and_then(|()| plain_file::put(&file, |path| fs::write(path, bytes)));
        written.map_err(|error| room::at(folder, error))?;
    }
    Ok(file)
}

/// Hashes a file's content.
pub(crate) fn of_file(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&hash.finalize())),
            n => hash.update(&buffer[..n]),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a string takes all that is written to it");
        hex
    })
}
