//! The intended content of a tree, and the work that makes it so.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::files::is_no_source;
use super::mirrored;
use crate::plain_file;

/// The replacement of an original.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// A folder of the tree's own, with all that is in the original.
    Folder,
    /// A folder of which only what is needed is there.
    Passage,
    /// A link to the original.
    Link,
    /// A file of the tree's own.
    Text,
}

/// All places of a tree, by the original's path; folders come before what is in them.
#[derive(Debug)]
pub(super) struct Plan {
    places: BTreeMap<PathBuf, Place>,
    /// Folders below which each folder of the tree has all that is in its original.
    bases: Vec<PathBuf>,
}

impl Plan {
    /// Plans a tree that is complete below some folders.
    pub(super) fn new(bases: Vec<PathBuf>) -> Plan {
        Plan {
            places: BTreeMap::new(),
            bases,
        }
    }

    /// Makes the tree complete below a further folder.
    pub(super) fn base(&mut self, folder: &Path) {
        let is_new = !self.bases.iter().any(|base| folder.starts_with(base));
        if is_new {
            self.bases.push(folder.to_owned());
        }
    }

    /// Has a file rewritten.
    pub(super) fn rewritten(&mut self, file: &Path) -> io::Result<()> {
        let folders: Vec<_> = file.ancestors().skip(1).collect();
        for folder in folders.into_iter().rev() {
            self.open(folder)?;
        }
        self.places.insert(file.to_owned(), Place::Text);
        Ok(())
    }

    /// Has a file or folder linked in, unless it is there.
    pub(super) fn linked(&mut self, path: &Path) {
        let above: Vec<_> = path.ancestors().skip(1).collect();
        for folder in above.into_iter().rev() {
            match self.places.get(folder) {
                Some(Place::Folder | Place::Passage) => {}
                Some(Place::Link | Place::Text) => return,
                None => {
                    self.places.insert(folder.to_owned(), Place::Passage);
                }
            }
        }
        self.places.entry(path.to_owned()).or_insert(Place::Link);
    }

    /// Makes a folder the tree's own; below a base all that is in it comes along as links.
    fn open(&mut self, folder: &Path) -> io::Result<()> {
        if self.places.get(folder) == Some(&Place::Folder) {
            return Ok(());
        }
        if !self.bases.iter().any(|base| folder.starts_with(base)) {
            self.places.insert(folder.to_owned(), Place::Passage);
            return Ok(());
        }
        self.places.insert(folder.to_owned(), Place::Folder);
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if !is_no_source(&path) {
                self.places.entry(path).or_insert(Place::Link);
            }
        }
        Ok(())
    }

    /// Makes the tree in `root`, but for the texts.
    pub(super) fn carry_out(&self, root: &Path) -> io::Result<()> {
        fs::create_dir_all(root)?;
        self.clear(root, Path::new("/"))?;
        for (original, place) in &self.places {
            let path = mirrored(root, original);
            match place {
                Place::Folder | Place::Passage if !path.is_dir() => fs::create_dir(&path)?,
                Place::Link if fs::read_link(&path).ok().as_ref() != Some(original) => {
                    let staging = beside(&path);
                    symlink(original, &staging)?;
                    fs::rename(&staging, &path)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Removes what is not planned, and what stands where something of another kind is to be.
    fn clear(&self, root: &Path, original: &Path) -> io::Result<()> {
        for entry in fs::read_dir(mirrored(root, original))? {
            let entry = entry?;
            let original = original.join(entry.file_name());
            let is_folder = entry.file_type()?.is_dir();
            match self.places.get(&original) {
                Some(Place::Folder | Place::Passage) if is_folder => self.clear(root, &original)?,
                Some(Place::Link | Place::Text) if !is_folder => {}
                _ if is_folder => fs::remove_dir_all(entry.path())?,
                _ => fs::remove_file(entry.path())?,
            }
        }
        Ok(())
    }
}

/// Writes a file unless it has that content; whoever reads it meanwhile sees the old or the new one.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let is_own = path.symlink_metadata().is_ok_and(|it| it.is_file());
    if is_own && fs::read(path).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(());
    }
    let staging = beside(path);
    fs::write(&staging, text)?;
    fs::rename(&staging, path)
}

/// A name in the same folder that nobody else has, and that cargo takes for no target.
fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    plain_file::beside(&path.with_file_name(name))
}
