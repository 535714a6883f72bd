//! The files of one run: boards, schedules to replay, what tests print.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::{fs, io, process};

use super::board::BoardFile;

/// A folder of this run's own; removed with this value.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: PathBuf,
    memory: PathBuf,
    next: AtomicU32,
    /// Takes the lowest free descriptor, see `super::process`.
    _lowest: File,
}

impl Scratch {
    /// Makes the folder inside `target`.
    pub(crate) fn create(target: &Path) -> io::Result<Scratch> {
        let folder = target.join("run").join(format!("{:07}", process::id()));
        fs::create_dir_all(&folder)?;
        // Boards are written at each step and must not wait for a disk.
        let shared = Path::new("/dev/shm");
        let memory = if shared.is_dir() {
            shared.to_owned()
        } else {
            folder.clone()
        };
        Ok(Scratch {
            folder,
            memory,
            next: AtomicU32::new(0),
            _lowest: File::open("/dev/null")?,
        })
    }

    /// A path that no other process of this run has. All are equally long, so that the environments
    /// of test processes are too, and with them the addresses on their stacks.
    pub(crate) fn path(&self, purpose: &str) -> PathBuf {
        self.folder.join(self.unique(purpose))
    }

    /// A new board.
    pub(crate) fn board(&self) -> io::Result<BoardFile> {
        BoardFile::create(&self.memory.join(self.unique("cct")))
    }

    fn unique(&self, purpose: &str) -> String {
        format!(
            "{purpose}-{:07}-{:06}",
            process::id(),
            self.next.fetch_add(1, Relaxed)
        )
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A leftover is swept with the target folder.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
