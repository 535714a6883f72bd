//! Room on disks: whether files can be written, and how it is told that they cannot.
//!
//! A disk that is full, or may not be written to, makes compilers and tests fail in a hundred ways. Such a
//! failure says nothing about the program, so the disk is asked before one is believed.

use std::env;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::plain_file;

/// The room that a few files of a run take.
pub(crate) const A_LITTLE: usize = 64 << 10;
/// A disk with less room than this may have failed a build, whose compilers have removed their files since.
pub(crate) const FOR_A_BUILD: usize = 8 << 20;

/// The file that is written to see if it can be.
pub(crate) const ATTEMPT: &str = ".cct-room";

/// Messages of compilers and linkers that wanted room.
const TOLD: [&str; 8] = [
    "No space left on device",
    "os error 28)",
    "Disk quota exceeded",
    "os error 122)",
    "File too large",
    "os error 27)",
    "Read-only file system",
    "os error 30)",
];

/// The reason why so many bytes cannot be written into a folder; none if they can. Of a folder that does not
/// exist yet the nearest one above is asked.
pub(crate) fn lacks(folder: &Path, bytes: usize) -> Option<io::Error> {
    let folder = folder.ancestors().find(|folder| folder.is_dir())?;
    let error = attempt(folder, bytes).err()?;
    Some(at(folder, error))
}

/// The same of the folder for temporary files, which nobody makes, and a few files.
pub(crate) fn lacks_for_temporary_files() -> Option<io::Error> {
    let folder = env::temp_dir();
    let error = attempt(&folder, A_LITTLE).err()?;
    Some(at(&folder, error))
}

/// The same of both, for a few files.
pub(crate) fn lacks_for_files(folder: &Path) -> Option<io::Error> {
    lacks(folder, A_LITTLE).or_else(lacks_for_temporary_files)
}

/// Says where it was that a file could not be written.
#[expect(
    clippy::needless_pass_by_value,
    reason = "it becomes another one, as in `map_err`"
)]
pub(crate) fn at(path: &Path, error: io::Error) -> io::Error {
    let path = path.display();
    let said = match error.kind() {
        ErrorKind::StorageFull => format!("no space left on the disk of `{path}`"),
        ErrorKind::QuotaExceeded => format!("no space left for this user on the disk of `{path}`"),
        ErrorKind::FileTooLarge => format!("no space in `{path}` for a file of this size"),
        _ => format!("cannot write to `{path}`"),
    };
    io::Error::new(error.kind(), format!("{said}: {error}"))
}

/// True if it is a disk or a folder that does not take what is written.
pub(crate) fn is_lack(error: &io::Error) -> bool {
    advice(error).is_some() || error.kind() == ErrorKind::PermissionDenied
}

/// Advice for an error of this kind, if there is any.
pub(crate) fn advice(error: &io::Error) -> Option<&'static str> {
    if let Some(libc::EMFILE | libc::ENFILE) = error.raw_os_error() {
        return Some(
            "`ulimit -n` limits how many files are open at a time: raise it, or try `-j 1`",
        );
    }
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some(
            "there is no space left: free some, or choose other disks by `--target-dir`, `CCT_CACHE_DIR` \
             and `TMPDIR`",
        ),
        ErrorKind::FileTooLarge => {
            Some("there is no space for files of this size: `ulimit -f` limits them")
        }
        ErrorKind::ReadOnlyFilesystem => {
            Some("choose other folders by `--target-dir`, `CCT_CACHE_DIR` and `TMPDIR`")
        }
        _ => None,
    }
}

/// True if a compiler or a linker says that it wanted room.
pub(crate) fn is_told_in(said: &[u8]) -> bool {
    let said = String::from_utf8_lossy(said);
    TOLD.iter().any(|told| said.contains(told))
}

/// Writes a file of so many bytes, and removes it.
fn attempt(folder: &Path, bytes: usize) -> io::Result<()> {
    static ONE: Mutex<()> = Mutex::new(());
    let path = plain_file::beside(&folder.join(ATTEMPT));
    // One at a time has the name, and what somebody has put there is not followed.
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let file = Removed(path);
    let _ = fs::remove_file(&file.0);
    let mut written = File::create_new(&file.0)?;
    let block = vec![0; A_LITTLE.min(bytes)];
    for _ in 0..bytes.div_ceil(block.len().max(1)) {
        written.write_all(&block)?;
    }
    // Where disks are far away, only this tells.
    written.sync_data()
}

/// A file that is removed with this value.
struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        // There may be none.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_takes_files_lacks_nothing_and_keeps_nothing() {
        let folder = env::temp_dir().join(format!("cct-room-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        assert!(lacks(&folder.join("of/a run"), 3 * A_LITTLE + 1).is_none());
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 0);
        fs::remove_dir(&folder).expect("it is empty");
    }

    #[test]
    fn a_link_in_the_place_of_an_attempt_is_not_followed() {
        let folder = env::temp_dir().join(format!("cct-attempt-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let letter = folder.join("letter");
        fs::write(&letter, "mine").expect("a file");
        let place = plain_file::beside(&folder.join(ATTEMPT));
        std::os::unix::fs::symlink(&letter, &place).expect("a link");
        assert!(lacks(&folder, A_LITTLE).is_none());
        assert_eq!(fs::read_to_string(&letter).expect("a file"), "mine");
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 1);
        fs::remove_dir_all(&folder).expect("it is ours");
    }

    #[test]
    fn words_of_compilers_are_known() {
        let linker = "/usr/bin/ld: final link failed: No space left on device";
        assert!(is_told_in(linker.as_bytes()));
        assert!(!is_told_in(b"error[E0308]: mismatched types"));
    }
}
