//! Files of somebody else's, which have to stay as they are.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use cct_tests::support::Workspace;

/// A folder with them, in a workspace.
#[derive(Debug)]
pub(crate) struct Garden {
    folder: PathBuf,
    was: Vec<(PathBuf, Vec<u8>, i64)>,
}

impl Garden {
    /// Plants it.
    pub(crate) fn new(workspace: &Workspace) -> Garden {
        for (name, text) in [
            ("garden/letter.txt", "mine"),
            ("garden/trace.json", "{\"format\":\"mine\"}"),
            ("garden/deep/report.txt", "mine, too"),
            ("garden/deep/lib.rs", "fn mine() {}"),
            ("garden/.lock", "a lock of mine"),
            ("garden/20261128/notes.txt", "of that day"),
            ("garden/cct-9999999-notes/notes.txt", "about the tool"),
        ] {
            workspace.write(name, text);
        }
        let folder = workspace.path("garden");
        let was = content(&folder);
        Garden { folder, was }
    }

    /// Its folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// True if each of its files is as it was; others may have come.
    pub(crate) fn is_as_it_was(&self) -> bool {
        let now = content(&self.folder);
        self.was.iter().all(|file| now.contains(file))
    }
}

fn content(folder: &Path) -> Vec<(PathBuf, Vec<u8>, i64)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.flat_map(|entry| {
        let path = entry.path();
        let Ok(about) = fs::symlink_metadata(&path) else {
            return Vec::new();
        };
        if about.is_dir() {
            return content(&path);
        }
        let bytes = if about.is_file() {
            fs::read(&path).unwrap_or_default()
        } else {
            Vec::new()
        };
        vec![(path, bytes, about.mtime())]
    });
    files.collect()
}
