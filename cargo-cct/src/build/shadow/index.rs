//! The originals of a tree's files, so that those that did not change are not read again.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::build::digest;
use crate::plain_file;

/// All rewritten files of a tree, by the original's path.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Index {
    pub files: BTreeMap<String, Entry>,
}

/// One of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The original's, when it was read.
    pub stamp: Stamp,
    /// The copy's, when it was written: nobody else has changed it if it still has that.
    pub copy: Stamp,
    /// Tells whether any edit was made.
    pub differs: bool,
    /// Existing paths that its text names, and that the walk through the package does not find.
    pub mentions: Vec<String>,
    /// Names the text.
    pub digest: String,
}

/// A file's age and size: by them cargo tells, too, whether it changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Stamp {
    /// Since the Unix epoch.
    nanos: u64,
    /// In bytes.
    length: u64,
}

impl Index {
    /// Reads an index; one that is not there, or from another version, knows nothing.
    pub(super) fn read(file: &Path) -> Index {
        let text = plain_file::read(file).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Writes it in one piece.
    pub(super) fn write(&self, file: &Path) -> io::Result<()> {
        super::plan::write(file, &serde_json::to_string(self)?)
    }

    /// The record of a file, if it still holds.
    pub(super) fn fresh(&self, file: &Path, stamp: Stamp) -> Option<&Entry> {
        let entry = self.files.get(file.to_str()?)?;
        (entry.stamp == stamp).then_some(entry)
    }

    /// Names the text of all files.
    pub(super) fn digest(&self) -> String {
        let files = self.files.iter();
        let parts: Vec<_> = files
            .flat_map(|(name, entry)| [name.as_bytes(), entry.digest.as_bytes()])
            .collect();
        digest::of_parts(&parts)
    }
}

impl Stamp {
    /// Looks at a file of the tree's own, and not through a link.
    pub(super) fn of_file(file: &Path) -> Option<Stamp> {
        let is_own = fs::symlink_metadata(file).is_ok_and(|it| it.is_file());
        is_own.then(|| Stamp::of(file).ok()).flatten()
    }

    /// Looks at a file.
    pub(super) fn of(file: &Path) -> io::Result<Stamp> {
        let metadata = fs::metadata(file)?;
        let age = metadata.modified()?.duration_since(UNIX_EPOCH);
        Ok(Stamp {
            nanos: age.map_or(0, |age| age.as_nanos() as u64),
            length: metadata.len(),
        })
    }
}
