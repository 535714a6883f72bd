//! The files of one run: boards, schedules to replay, what tests print.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::{env, fs, io, process};

use super::board::BoardFile;
use crate::room;

/// A folder of this run's own; removed with this value.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: PathBuf,
    memory: PathBuf,
    /// Where test processes have their folders for temporary files: in the user's, since the paths of sockets
    /// must be short.
    temporary: PathBuf,
    next: AtomicU32,
    /// Takes the lowest free descriptors, see `super::process`.
    _lowest: [File; 2],
}

impl Scratch {
    /// Makes the folder inside `target`.
    pub(crate) fn create(target: &Path) -> io::Result<Scratch> {
        let folder = target.join("run").join(format!("{:07}", process::id()));
        sweep(&target.join("run"));
        fs::create_dir_all(&folder).map_err(|error| room::at(&folder, error))?;
        if let Some(lack) = room::lacks(&folder, room::A_LITTLE) {
            // A leftover is swept by the next run.
            let _ = fs::remove_dir(&folder);
            return Err(lack);
        }
        // Boards are written at each step and must not wait for a disk.
        let shared = Path::new("/dev/shm");
        let memory = if shared.is_dir() {
            shared.to_owned()
        } else {
            folder.clone()
        };
        sweep(&memory);
        let temporary = env::temp_dir();
        sweep(&temporary);
        Ok(Scratch {
            folder,
            memory,
            temporary,
            next: AtomicU32::new(0),
            _lowest: [File::open("/dev/null")?, File::open("/dev/null")?],
        })
    }

    /// A path that no other process of this run has. All are equally long, so that the environments
    /// of test processes are too, and with them the addresses on their stacks.
    pub(crate) fn path(&self, purpose: &str) -> PathBuf {
        self.folder.join(self.unique(purpose))
    }

    /// A folder that stays, beside those of runs.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        let target = self.folder.ancestors().nth(2);
        target.unwrap_or(&self.folder).join(name)
    }

    /// Writes a file that no other process of this run has.
    pub(crate) fn write(&self, purpose: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.path(purpose);
        fs::write(&path, bytes).map_err(|error| room::at(&path, error))?;
        Ok(path)
    }

    /// A new board, in memory, or where that is full, on the disk; and a folder for the temporary files of
    /// its process.
    pub(crate) fn board(&self) -> io::Result<BoardFile> {
        let name = self.unique("cct");
        // The board may lie there, too.
        let folder = format!("{name}-tmp");
        let mut temporary = self.temporary.join(&folder);
        let make = |folder: &Path| DirBuilder::new().mode(0o700).create(folder);
        if make(&temporary).is_err() {
            temporary = self.folder.join(&folder);
            make(&temporary).map_err(|error| room::at(&temporary, error))?;
        }
        BoardFile::create(&self.memory.join(&name), &temporary).or_else(|_| {
            let path = self.folder.join(&name);
            BoardFile::create(&path, &temporary).map_err(|error| room::at(&path, error))
        })
    }

    /// The reason why a failure of a test says nothing: there is no room for files.
    pub(crate) fn lack(&self) -> Option<io::Error> {
        room::lacks_for_files(&self.folder)
    }

    fn unique(&self, purpose: &str) -> String {
        format!(
            "{purpose}-{:07}-{:06}",
            process::id(),
            self.next.fetch_add(1, Relaxed)
        )
    }
}

/// Removes what runs have left in a folder that were killed, and could not.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(owner);
        if owner.is_some_and(|owner| !Path::new(&format!("/proc/{owner}")).exists()) {
            // Another user's files stay.
            let path = entry.path();
            let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
        }
    }
}

/// The process that made what has this name: a run's folder, or a board.
fn owner(name: &str) -> Option<u32> {
    let number = match name.strip_prefix("cct-") {
        Some(rest) => rest.split_once('-')?.0,
        None => name,
    };
    (number.len() >= 7).then(|| number.parse().ok()).flatten()
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A leftover is swept with the target folder.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_killed_runs_left_is_removed_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("cct-sweep.{}", process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        // No process has such a number: the kernel stops at 2^22.
        let own = format!("cct-{:07}-000001", process::id());
        let all = ["cct-9999999-000000", "cct-notes", "cct-123", &own];
        for name in all {
            fs::write(folder.join(name), "").expect("a file");
        }
        fs::create_dir(folder.join("9999999")).expect("a folder");
        sweep(&folder);
        let left = fs::read_dir(&folder).expect("it is there").flatten();
        let mut left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        left.sort();
        let mut expected = all[1..].to_vec();
        expected.sort_unstable();
        assert_eq!(left, expected);
        fs::remove_dir_all(&folder).expect("removable");
    }
}
