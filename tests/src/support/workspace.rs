//! A copy of a fixture that a test may build in and change.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Events, Finished, cargo, cargo_cct};

/// A folder of its own.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    life: Life,
}

/// How long a copy lives.
#[derive(Debug)]
enum Life {
    /// As long as the value.
    Short,
    /// For good, so that the next run of the tests finds it built; nobody else has it meanwhile.
    Long(#[expect(dead_code, reason = "held, never read")] File),
}

impl Workspace {
    /// Copies the fixture `tests/fixtures/<name>` for one test; removed at the end.
    #[track_caller]
    pub fn of_fixture(name: &str) -> Self {
        Self::of_folder(&fixture(name))
    }

    /// The same, of a fixture that uses the library `cct`.
    #[track_caller]
    pub fn of_fixture_with_library(name: &str) -> Self {
        Self::of_fixture(name).with_library()
    }

    /// A copy for one test as well, whose target folder has the library `cct` built already, if an earlier
    /// test of whichever fixture has done so in `folder`: that takes longer than most tests. All else is as
    /// in a new copy.
    #[track_caller]
    pub fn of_fixture_with_built_library(folder: &str, name: &str) -> Self {
        let mut places = (0..).map(|number| Path::new(folder).join(format!("library-{number}")));
        let free = places.find_map(|place| {
            let root = place.join(name);
            fs::create_dir_all(&root).expect("the target folder is writable");
            let lock = File::create(place.join("lock")).expect("the target folder is writable");
            lock.try_lock().is_ok().then_some((root, lock))
        });
        let (root, lock) = free.expect("some place is free");
        copy(&fixture(name), &root);
        // Cargo tells builds apart by the paths of their packages.
        let (target, built) = (root.join("target"), root.with_file_name("target"));
        fs::create_dir_all(&built).expect("the target folder is writable");
        if !target.is_symlink() {
            symlink("../target", target).expect("the target folder is writable");
        }
        forget_runs(&built.join("cct"));
        let life = Life::Long(lock);
        Self { root, life }.with_library()
    }

    #[track_caller]
    fn with_library(self) -> Self {
        let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cct-runtime");
        let library = library.to_str().expect("the checkout's path is text");
        self.replace("Cargo.toml", "../../../cct-runtime", library);
        self
    }

    /// Copies any folder, without its `target`.
    #[track_caller]
    pub fn of_folder(folder: &Path) -> Self {
        let workspace = Self::empty(folder.file_name().and_then(|name| name.to_str()));
        copy(folder, &workspace.root);
        workspace
    }

    /// Copies the fixture `tests/fixtures/<name>` for the tests of a process to share: they may
    /// build in it, but not change it. It stays, built, in `folder`.
    #[track_caller]
    pub fn kept_of_fixture(folder: &str, name: &str) -> Self {
        Self::kept(folder, &fixture(name))
    }

    /// The same for any folder.
    #[track_caller]
    pub fn kept(folder: &str, from: &Path) -> Self {
        let name = from.file_name().expect("a folder has a name");
        let root = Path::new(folder).join(name);
        fs::create_dir_all(&root).expect("the target folder is writable");
        let lock =
            File::create(root.with_extension("lock")).expect("the target folder is writable");
        lock.lock().expect("files can be locked");
        copy(from, &root);
        let life = Life::Long(lock);
        Self { root, life }
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
        // A process that had this number before may have left its own.
        let _ = fs::remove_dir_all(root.parent().expect("it has one"));
        fs::create_dir_all(&root).expect("the temporary folder is writable");
        let life = Life::Short;
        Self { root, life }
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

    /// Replaces each `old` in a file, where there must be one.
    #[track_caller]
    pub fn replace(&self, file: &str, old: &str, new: &str) {
        let text = self.read(file);
        assert!(text.contains(old), "no `{old}` in `{file}`:\n{text}");
        self.write(file, &text.replace(old, new));
    }

    /// Returns the subcommand, to be run in the copy.
    pub fn cct(&self) -> Command {
        let mut command = cargo_cct();
        command.current_dir(&self.root);
        command
    }

    /// Runs `cargo cct test` with a fixed seed, and expects the exit code.
    #[track_caller]
    pub fn test(&self, args: &[&str], code: i32) -> Finished {
        let finished = Finished::of(self.cct().arg("test").args(SEED).args(args));
        finished.expect(code);
        finished
    }

    /// The same, and reads what is told to programs.
    #[track_caller]
    pub fn explore(&self, args: &[&str], code: i32) -> Events {
        let json = ["test", "--json"];
        let finished = Finished::of(self.cct().args(json).args(SEED).args(args));
        finished.expect(code);
        Events::of(&finished)
    }

    /// Returns plain cargo, to be run in the copy.
    pub fn cargo(&self) -> Command {
        let mut command = cargo();
        command.current_dir(&self.root);
        command
    }
}

/// The arguments of every exploration.
const SEED: [&str; 2] = ["--seed", "1"];

impl Drop for Workspace {
    fn drop(&mut self) {
        // A folder that stays behind is no reason to fail a test.
        if let (Life::Short, Some(unique)) = (&self.life, self.root.parent()) {
            let _ = fs::remove_dir_all(unique);
        }
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name)
}

#[track_caller]
fn copy(from: &Path, to: &Path) {
    if let Err(error) = try_copy(from, to) {
        panic!("cannot copy `{}`: {error}", from.display());
    }
}

/// Copies a folder's files and folders, but nothing that was built. A file that is there already
/// keeps its time, so that cargo does not build it again.
fn try_copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    remove_others(from, to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            if entry.file_name() != "target" {
                try_copy(&entry.path(), &target)?;
            }
            continue;
        }
        let content = fs::read(entry.path())?;
        if fs::read(&target).ok().as_ref() != Some(&content) {
            fs::write(target, content)?;
        }
    }
    Ok(())
}

/// Removes what runs have left in the tool's part of a target folder, but not what cargo built there.
#[track_caller]
fn forget_runs(target: &Path) {
    const BUILT: [&str; 5] = [
        "CACHEDIR.TAG",
        ".rustc_info.json",
        "debug",
        "origins",
        "shadow",
    ];
    for entry in fs::read_dir(target).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        if BUILT.contains(&&*name) || name.contains("-linux-") {
            continue;
        }
        let removed = if path.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        };
        removed.expect("the target folder is writable");
    }
}

/// Removes what is no longer in the original, but nothing that cargo made.
fn remove_others(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(to)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == "target" || name == "Cargo.lock" || from.join(&name).exists() {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
