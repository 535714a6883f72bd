//! Empties the folder for temporary files at the end of an iteration, where the process has one to itself.
//!
//! Files and folders from before the first iteration stay, as they are by then.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;

use super::kept::kept;

/// So many iterations pass between two looks in any case.
const LOOK_EVERY: u32 = 64;

/// Somebody uses a file, a folder or a socket that has a path.
pub fn note_path_use() {
    kept().any_path.store(true, Relaxed);
}

/// The folder that the process has to itself.
static OWN: OnceLock<PathBuf> = OnceLock::new();

/// This folder is the process's own.
pub(crate) fn know_own(folder: PathBuf) {
    OWN.get_or_init(|| folder);
}

/// The process's own folder, if it has one.
pub(crate) fn own() -> Option<&'static Path> {
    OWN.get().map(PathBuf::as_path)
}

/// The folder for temporary files.
#[derive(Debug)]
pub(crate) struct Temporary {
    /// None if others have it as well.
    folder: Option<PathBuf>,
    earlier: BTreeSet<PathBuf>,
    until_look: u32,
}

impl Temporary {
    /// Remembers all that is in this folder now, which stays.
    pub(crate) fn now(folder: Option<PathBuf>) -> Temporary {
        let mut earlier = BTreeSet::new();
        if let Some(folder) = &folder {
            remember(folder, &mut earlier);
        }
        Temporary {
            folder,
            earlier,
            until_look: 0,
        }
    }

    /// Removes what has come since, if anybody can have made something.
    pub(crate) fn empty(&mut self, any_process: bool) {
        let Some(folder) = &self.folder else { return };
        let any_used = kept().any_path.load(Relaxed);
        if !any_used && !any_process && self.until_look > 0 {
            self.until_look -= 1;
            return;
        }
        self.until_look = LOOK_EVERY;
        put_back(folder);
        remove_new(folder, &self.earlier);
        // The looks were ours.
        kept().any_path.store(false, Relaxed);
    }
}

/// Has the folder itself be there again, with its rights. A link in its place leads to the files of others.
fn put_back(folder: &Path) {
    let about = fs::symlink_metadata(folder);
    if !about.as_ref().is_ok_and(fs::Metadata::is_dir) {
        let _ = fs::remove_file(folder);
        let _ = DirBuilder::new().mode(0o700).create(folder);
    } else if about.is_ok_and(|it| it.permissions().mode() & 0o700 != 0o700) {
        let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    }
}

/// Adds everything in a folder, and in those in it.
fn remember(folder: &Path, all: &mut BTreeSet<PathBuf>) {
    for (path, is_folder) in entries(folder) {
        if is_folder {
            remember(&path, all);
        }
        all.insert(path);
    }
}

/// Removes all but this from a folder, and from those in it; the rest stays until the next time.
fn remove_new(folder: &Path, earlier: &BTreeSet<PathBuf>) {
    for (path, is_folder) in entries(folder) {
        match (earlier.contains(&path), is_folder) {
            (true, true) => remove_new(&path, earlier),
            (true, false) => {}
            (false, true) => {
                if fs::remove_dir_all(&path).is_err() {
                    open_up(&path);
                    let _ = fs::remove_dir_all(&path);
                }
            }
            (false, false) => drop(fs::remove_file(&path)),
        }
    }
}

/// Takes the rights to a folder, and to those in it, that somebody has taken away.
fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    for (path, is_folder) in entries(folder) {
        if is_folder {
            open_up(&path);
        }
    }
}

/// The paths of what is in a folder, and whether each is a folder itself. A link to one is none.
fn entries(folder: &Path) -> impl Iterator<Item = (PathBuf, bool)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        (entry.path(), is_folder)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_is_removed_and_nothing_else() {
        let name = format!("cct-temporary.{}", std::process::id());
        let root = std::env::temp_dir().join(name);
        let folder = root.join("folder");
        fs::create_dir_all(folder.join("earlier/inner")).expect("a folder");
        fs::write(folder.join("earlier/file"), "1").expect("a file");
        fs::create_dir(root.join("outside")).expect("a folder");
        fs::write(root.join("outside/file"), "1").expect("a file");
        let mut temporary = Temporary::now(Some(folder.clone()));
        fs::create_dir_all(folder.join("new/inner")).expect("a folder");
        fs::write(folder.join("new/inner/file"), "1").expect("a file");
        fs::write(folder.join("earlier/inner/file"), "1").expect("a file");
        let link = |name| std::os::unix::fs::symlink(root.join("outside"), folder.join(name));
        link("link").expect("a link");
        link("new/link").expect("a link");
        let closed = Permissions::from_mode(0o000);
        fs::set_permissions(folder.join("new"), closed).expect("ours");
        temporary.empty(true);
        let mut left = BTreeSet::new();
        remember(&root, &mut left);
        let expected = [
            "folder",
            "folder/earlier",
            "folder/earlier/file",
            "folder/earlier/inner",
            "outside",
            "outside/file",
        ];
        assert_eq!(left, expected.map(|path| root.join(path)).into());
        fs::remove_dir_all(&root).expect("removable");
    }

    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let name = format!("cct-temporary-link.{}", std::process::id());
        let place = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&place);
        let (folder, other) = (place.join("own"), place.join("other"));
        for folder in [&folder, &other] {
            fs::create_dir_all(folder).expect("a folder");
        }
        fs::write(other.join("letter"), "mine").expect("a file");
        let mut temporary = Temporary::now(Some(folder.clone()));
        fs::remove_dir(&folder).expect("a folder");
        std::os::unix::fs::symlink(&other, &folder).expect("a link");
        temporary.empty(true);
        assert!(other.join("letter").exists());
        assert!(fs::symlink_metadata(&folder).is_ok_and(|it| it.is_dir()));
        fs::remove_dir_all(&place).expect("removable");
    }
}
