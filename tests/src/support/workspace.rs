//! A copy of a fixture that a test may build in and change.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{cargo, cargo_cct};

/// A folder of its own for one test, removed at the end.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Copies the fixture `tests/fixtures/<name>`.
    #[track_caller]
    pub fn of_fixture(name: &str) -> Self {
        Self::of_folder(
            &Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("fixtures")
                .join(name),
        )
    }

    /// Copies any folder, without its `target`.
    #[track_caller]
    pub fn of_folder(folder: &Path) -> Self {
        let workspace = Self::empty(folder.file_name().and_then(|name| name.to_str()));
        if let Err(error) = copy(folder, &workspace.root) {
            panic!("cannot copy `{}`: {error}", folder.display());
        }
        workspace
    }

    /// Makes an empty folder; the name is the last part of its path.
    #[track_caller]
    pub fn empty(name: Option<&str>) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let unique = format!("cct-tests-{}-{count}", process::id());
        let root = std::env::temp_dir()
            .join(unique)
            .join(name.unwrap_or("workspace"));
        fs::create_dir_all(&root).expect("the temporary folder is writable");
        Self { root }
    }

    /// Returns the path of the copy, or of a file in it.
    pub fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    /// Writes a file, with the folders it lies in.
    #[track_caller]
    pub fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        let folder = path.parent().expect("a file lies in a folder");
        fs::create_dir_all(folder).expect("the copy is writable");
        fs::write(path, text).expect("the copy is writable");
    }

    /// Reads a file.
    #[track_caller]
    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap_or_else(|error| panic!("`{file}`: {error}"))
    }

    /// Returns the subcommand, to be run in the copy.
    pub fn cct(&self) -> Command {
        let mut command = cargo_cct();
        command.current_dir(&self.root);
        command
    }

    /// Returns plain cargo, to be run in the copy.
    pub fn cargo(&self) -> Command {
        let mut command = cargo();
        command.current_dir(&self.root);
        command
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // A folder that stays behind is no reason to fail a test.
        if let Some(unique) = self.root.parent() {
            let _ = fs::remove_dir_all(unique);
        }
    }
}

/// Copies a folder's files and folders, but nothing that was built.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if !entry.file_type()?.is_dir() {
            fs::copy(entry.path(), target)?;
        } else if entry.file_name() != "target" {
            copy(&entry.path(), &target)?;
        }
    }
    Ok(())
}
