//! Removes failures that nobody has seen for long, and what killed processes have left half written.
//!
//! The tool removes files that it has written, and nothing else: the folder of a failure in which there is
//! anything of the user's stays as it is, and so do failures that are kept.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use serde_json::Value;

use super::id::Id;
use super::record::Record;
use super::store::{AS_FOUND, FILES, Store, StoreError};
use crate::forgotten::is_long_ago;
use crate::plain_file;

/// Of failures that were written not long ago, as many stay.
const MOST: usize = 400;

impl Store {
    /// Removes files that were begun by processes that are gone.
    pub(crate) fn sweep(&self) {
        let folders = entries(&self.folder).filter(|entry| is_failure_name(&entry.file_name()));
        for folder in folders.map(|entry| entry.path()) {
            let files = entries(&folder).chain(entries(&folder.join(AS_FOUND)));
            for file in files.filter(is_half_written) {
                // The next run can try again.
                let _ = fs::remove_file(file.path());
            }
        }
    }

    /// Removes failures that were written long ago, or are none of the latest, but for these. Returns how
    /// many.
    pub(crate) fn trim(&self, but: &BTreeSet<Id>) -> Result<usize, StoreError> {
        self.trim_to(but, MOST)
    }

    fn trim_to(&self, but: &BTreeSet<Id>, most: usize) -> Result<usize, StoreError> {
        let files = self.files()?;
        let old = files.iter().enumerate();
        let mut old = old
            .filter(|(at, (time, _))| *at >= most || is_long_ago(*time))
            .filter_map(|(_, (time, file))| Some((time, file, file.parent()?)))
            .filter(|(.., folder)| is_removable(folder, but))
            .peekable();
        if old.peek().is_none() {
            return Ok(0);
        }
        let _lock = self.lock()?;
        // Another run may have found it again before the lock was ours.
        let is_as_listed = |file: &Path, listed: &SystemTime| {
            let modified = fs::metadata(file).and_then(|about| about.modified());
            modified.is_ok_and(|time| time == *listed)
        };
        let removed = old.filter(|(time, file, folder)| is_as_listed(file, time) && remove(folder));
        Ok(removed.count())
    }
}

/// The entries of a folder that is no link to somebody else's.
fn entries(folder: &Path) -> impl Iterator<Item = fs::DirEntry> + use<> {
    let is_real = fs::symlink_metadata(folder).is_ok_and(|it| it.is_dir());
    let entries = is_real.then(|| fs::read_dir(folder).ok()).flatten();
    entries.into_iter().flatten().flatten()
}

fn is_failure_name(name: &OsStr) -> bool {
    name.to_str().and_then(Id::parse).is_some()
}

/// True for one of our files that a process which is gone has not written to its end.
fn is_half_written(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let begun = name.to_str().and_then(plain_file::half_written);
    begun.is_some_and(|(file, maker)| FILES.contains(&file) && maker.has_left(&entry.path()))
}

/// True for a failure of this tool's, or of another version of it, without anything else in its folder.
fn is_removable(folder: &Path, but: &BTreeSet<Id>) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    let Some(id) = name.and_then(Id::parse) else {
        return false;
    };
    let is_failure = || {
        let text = plain_file::read(&folder.join("trace.json")).ok()?;
        let value: Value = serde_json::from_slice(&text).ok()?;
        (value.get("format")?.as_str()? == Record::FORMAT).then_some(())
    };
    !but.contains(&id) && has_only(folder, &[AS_FOUND]) && is_failure().is_some()
}

/// True if in a folder there are files of ours alone, and folders of these names with such files.
fn has_only(folder: &Path, folders: &[&str]) -> bool {
    let is_real = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_dir());
    let Ok(mut entries) = fs::read_dir(folder) else {
        return false;
    };
    is_real(folder)
        && entries.all(|entry| {
            entry.is_ok_and(|entry| {
                let name = entry.file_name();
                let named = |all: &[&str]| all.iter().any(|one| name == **one);
                let is_folder = entry.file_type().is_ok_and(|it| it.is_dir());
                let is_file = entry.file_type().is_ok_and(|it| it.is_file());
                (is_file && named(&FILES))
                    || (is_folder && named(folders) && has_only(&entry.path(), &[]))
            })
        })
}

/// Removes the files; one that cannot be removed leaves the folder to the next run.
fn remove(folder: &Path) -> bool {
    let empty = |folder: &Path| {
        for name in FILES {
            match fs::remove_file(folder.join(name)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return false,
                _ => {}
            }
        }
        fs::remove_dir(folder).is_ok()
    };
    let as_found = folder.join(AS_FOUND);
    (!as_found.exists() || empty(&as_found)) && empty(folder)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::PathBuf;
    use std::time::Duration;

    use super::*;
    use crate::maker::Maker;

    fn put(folder: &Path, name: &str, days: u64) {
        let folder = folder.join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let text = format!("{{\"format\":\"{}\",\"version\":0}}", Record::FORMAT);
        let file = folder.join("trace.json");
        fs::write(&file, text).expect("a file");
        fs::write(folder.join("report.txt"), "").expect("a file");
        let time = SystemTime::now() - Duration::from_hours(24 * days);
        let opened = File::options().write(true).open(file);
        opened.and_then(|it| it.set_modified(time)).expect("a time");
    }

    fn left(folder: &PathBuf) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("it is there").flatten();
        let names = entries.map(|entry| entry.file_name().into_string().expect("a text"));
        let mut names: Vec<String> = names.filter(|name| name != ".lock").collect();
        names.sort();
        names
    }

    #[test]
    fn what_nobody_has_seen_for_long_goes_and_what_is_the_users_stays() {
        let folder = std::env::temp_dir().join(format!("cct-trim.{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let ids = [
            "2222-22", "3333-33", "4444-44", "5555-55", "6666-66", "7777-77",
        ];
        for (days, id) in ids.iter().enumerate() {
            put(&folder, id, 58 + days as u64);
        }
        put(&folder, "2222-22/as-found", 58);
        fs::write(folder.join("5555-55/notes.txt"), "mine").expect("a file");
        put(&folder, "mine", 100);
        fs::create_dir_all(folder.join("8888-88")).expect("a folder");
        fs::write(folder.join("8888-88/trace.json"), "{}").expect("a file");
        let store = Store::new(folder.clone());
        let but = BTreeSet::from([Id::parse("6666-66").expect("an id")]);
        assert_eq!(store.trim_to(&but, 100).expect("it can be trimmed"), 2);
        let stay = [
            "2222-22", "3333-33", "5555-55", "6666-66", "8888-88", "mine",
        ];
        assert_eq!(left(&folder), stay);
        assert_eq!(store.trim_to(&but, 2).expect("it can be trimmed"), 1);
        assert_eq!(left(&folder), [&stay[..1], &stay[2..]].concat());
        fs::remove_dir_all(&folder).expect("removable");
    }

    #[test]
    fn what_is_half_written_goes_unless_it_is_the_users() {
        let folder = std::env::temp_dir().join(format!("cct-half.{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let (here, place) = (folder.join("failures"), folder.join("elsewhere"));
        let (own, gone, elsewhere) = (Maker::own(), Maker::gone(), Maker::elsewhere());
        let stay = [
            "2222-22/trace.json".to_owned(),
            format!("2222-22/notes.tmp-{gone}"),
            "2222-22/trace.json.tmp-9999999".to_owned(),
            format!("mine/trace.json.tmp-{gone}"),
            format!("2222-22/trace.json.tmp-{own}"),
            format!("2222-22/trace.json.tmp-{elsewhere}"),
        ];
        let left = [
            format!("2222-22/trace.json.tmp-{gone}"),
            format!("3333-33/as-found/report.txt.tmp-{gone}"),
        ];
        for file in stay.iter().chain(&left) {
            let path = here.join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
        let linked = format!("report.txt.tmp-{gone}");
        fs::create_dir(&place).expect("a folder");
        fs::write(place.join(&linked), "").expect("a file");
        std::os::unix::fs::symlink(&place, here.join("4444-44")).expect("a link");
        Store::new(here.clone()).sweep();
        assert!(stay.iter().all(|file| here.join(file).exists()));
        assert!(!left.iter().any(|file| here.join(file).exists()));
        assert!(place.join(&linked).exists());
        fs::remove_dir_all(&folder).expect("removable");
    }
}
