//! The files that iterations both change and depend on, outside of the folder for temporary files.
//!
//! Such a file may be why a schedule does not repeat. Paths are kept as the program wrote them; those that
//! are relative to an open folder are left out, and so is all that other processes do, and code past the
//! functions of the C library.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use super::kept::kept;

/// So many paths are kept.
const MOST: usize = 1024;

/// How a path was used.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PathUse {
    /// Its content, or whether there was anything, made a difference.
    pub asks: bool,
    /// It was made, written, moved or removed.
    pub changes: bool,
    /// It was asked what is in this folder.
    pub lists: bool,
}

/// A worker has used a path like this.
pub fn note_path(path: &[u8], used: PathUse) {
    crate::engine::outside(|| {
        let mut all = kept().paths.lock().unwrap_or_else(PoisonError::into_inner);
        add(&mut all, path, used);
    });
}

fn add(all: &mut BTreeMap<Box<[u8]>, PathUse>, path: &[u8], used: PathUse) {
    if let Some(known) = all.get_mut(path) {
        known.asks |= used.asks;
        known.changes |= used.changes;
        known.lists |= used.lists;
    } else if all.len() < MOST {
        all.insert(path.into(), used);
    }
}

/// The files that iterations have changed and depended on, but for those in this folder.
pub(crate) fn shared_files(temporary: Option<&Path>) -> Vec<String> {
    let all = kept().paths.lock().unwrap_or_else(PoisonError::into_inner);
    let here = std::env::current_dir().unwrap_or_default();
    both(&all, &here, temporary)
}

fn both(all: &BTreeMap<Box<[u8]>, PathUse>, here: &Path, temporary: Option<&Path>) -> Vec<String> {
    let mut whole: BTreeMap<PathBuf, PathUse> = BTreeMap::new();
    for (path, used) in all {
        let path = here.join(OsStr::from_bytes(path));
        let known = whole.entry(path).or_default();
        known.asks |= used.asks;
        known.changes |= used.changes;
        known.lists |= used.lists;
    }
    let lists = |folder: &Path| whole.get(folder).is_some_and(|used| used.lists);
    let is_shared = |path: &Path, used: PathUse| {
        used.changes && (used.asks || path.parent().is_some_and(lists))
    };
    // Nobody can change these, or they are gone.
    let is_other = |path: &Path| {
        let system = ["/proc", "/sys", "/dev"];
        system.iter().any(|it| path.starts_with(it))
            || temporary.is_some_and(|it| path.starts_with(it))
    };
    let shared = whole
        .iter()
        .filter(|(path, used)| is_shared(path, **used) && !is_other(path));
    shared
        .map(|(path, _)| path.to_string_lossy().into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(kinds: &str) -> PathUse {
        PathUse {
            asks: kinds.contains('?'),
            changes: kinds.contains('!'),
            lists: kinds.contains('*'),
        }
    }

    fn shared(uses: &[(&str, &str)]) -> Vec<String> {
        let mut all = BTreeMap::new();
        for (path, kinds) in uses {
            add(&mut all, path.as_bytes(), used(kinds));
        }
        both(&all, Path::new("/here"), Some(Path::new("/tmp/own")))
    }

    #[test]
    fn a_file_is_shared_that_is_changed_and_asked_for() {
        assert_eq!(shared(&[("a", "?"), ("a", "!")]), ["/here/a"]);
        assert_eq!(shared(&[("a", "?"), ("/here/a", "!")]), ["/here/a"]);
        assert_eq!(shared(&[("/b/c", "!"), ("/b", "*")]), ["/b/c"]);
        assert!(shared(&[("a", "!"), ("b", "?"), ("c", "*")]).is_empty());
        assert!(shared(&[("/tmp/own/a", "?!"), ("/dev/null", "?!")]).is_empty());
    }

    #[test]
    fn paths_are_kept_up_to_a_bound() {
        let mut all = BTreeMap::new();
        for number in 0..2 * MOST {
            add(&mut all, number.to_string().as_bytes(), used("?"));
        }
        add(&mut all, b"0", used("!"));
        assert_eq!(all.len(), MOST);
        assert_eq!(both(&all, Path::new("/"), None), ["/0"]);
    }
}
