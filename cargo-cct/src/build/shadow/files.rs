//! The Rust files of a package.

use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

/// Lists them in order, without those of packages inside it, and of what was built.
pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter();
    entries
        .filter_entry(|entry| entry.depth() == 0 || !is_apart(entry))
        // A file that cannot be read is not compiled either.
        .filter_map(Result::ok)
        .filter(|entry| !entry.file_type().is_dir() && is_rust(entry.path()))
        .map(DirEntry::into_path)
        .collect()
}

/// Tells whether a file of a package is where cargo looks for tests and the like, which are none of its
/// library's. A library that reaches there all the same has that part as it was written.
pub(super) fn is_beside_library(file: &Path, package: &Path) -> bool {
    let inside = file.strip_prefix(package);
    inside.is_ok_and(|inside| {
        ["tests", "benches", "examples"]
            .iter()
            .any(|it| inside.starts_with(it))
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_no_part_of_a_library() {
        let is_beside = |file: &str| is_beside_library(Path::new(file), Path::new("/a/tests"));
        assert!(is_beside("/a/tests/tests/b.rs"));
        assert!(is_beside("/a/tests/examples/b/main.rs"));
        assert!(!is_beside("/a/tests/src/tests/b.rs"));
        assert!(!is_beside("/a/tests/tests.rs"));
    }
}
