//! The Rust files of a package.

use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

/// Lists them in order, without those of packages inside it, and of what was built.
pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter();
    entries
        .filter_entry(|entry| entry.depth() == 0 || !is_apart(entry))
        // What cannot be read is not compiled either.
        .filter_map(Result::ok)
        .filter(|entry| !entry.file_type().is_dir() && is_rust(entry.path()))
        .map(DirEntry::into_path)
        .collect()
}

/// Tells whether a path is one of a Rust file.
pub(super) fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "rs")
}

/// Tells whether a folder is no part of the package around it.
fn is_apart(entry: &DirEntry) -> bool {
    entry.file_type().is_dir()
        && (is_no_source(entry.path()) || entry.path().join("Cargo.toml").exists())
}

/// Tells whether a path is one of a repository's own files, or of what was built from them.
pub(super) fn is_no_source(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ".git") || path.join("CACHEDIR.TAG").exists()
}
