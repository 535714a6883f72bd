//! The cache: what is prepared once for all workspaces.
//!
//! ```text
//! <cache>/<entry>/                a sysroot, or the wrappers
//! <cache>/<entry>/CACHEDIR.TAG    says that it is the tool's own
//! <cache>/<entry>/files           each of its files, with its size, time and digest
//! <cache>/<entry>.lock            locked by who fills or removes it, shared by who uses it
//! <cache>/archives/<entry>/       an archive that is unpacked
//! ```
//!
//! An entry is written beside its place and renamed into it, so nobody ever sees half of one. One that was
//! changed since is made anew.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{env, process};

use walkdir::WalkDir;

use super::digest;
use super::leftovers::clear_place;
use super::owned::{self, How, OwnedError, Use};
use crate::forgotten::is_long_ago;
use crate::plain_file;

/// The folder of all entries.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

/// An entry that is whole, and stays while it is used.
#[derive(Debug)]
pub(crate) struct Entry {
    pub home: PathBuf,
    /// None where the cache cannot be written.
    _use: Option<Use>,
}

/// An event worth a line, while an entry is sought.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum News<'a> {
    /// There is none: it is being made.
    Makes,
    /// Something has changed this one: it is being made anew.
    Mends(&'a Path),
    /// This process makes or removes it, and is waited for; 0 if it is not known.
    WaitsFor(u32),
    /// So many that nobody has used for long were removed.
    Trims(usize),
}

/// Why there is no entry.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CacheError {
    /// No folder to keep it in.
    #[error("no place for the cache: set `CCT_CACHE_DIR`, `XDG_CACHE_HOME` or `HOME`")]
    NoPlace,
    /// The cache cannot be written.
    #[error("cannot write the cache at `{0}`")]
    Access(PathBuf, #[source] io::Error),
}

/// The list of an entry's files.
const FILES: &str = "files";

/// Of entries that were used not long ago, as many stay when another one is made.
const MOST: usize = 16;

/// The folder of archives that are unpacked.
const ARCHIVES: &str = "archives";

impl Cache {
    /// The user's, which need not be there.
    pub(crate) fn find() -> Result<Cache, CacheError> {
        let set = |name| env::var_os(name).filter(|value: &OsString| !value.is_empty());
        let folder = if let Some(folder) = set("CCT_CACHE_DIR") {
            std::path::absolute(&folder)
                .map_err(|error| CacheError::Access(folder.into(), error))?
        } else {
            let base = set("XDG_CACHE_HOME").map(PathBuf::from);
            let base = base.or_else(|| Some(PathBuf::from(set("HOME")?).join(".cache")));
            base.ok_or(CacheError::NoPlace)?.join("cargo-cct")
        };
        Ok(Cache { folder })
    }

    /// Where it is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of archives that are unpacked.
    pub(crate) fn archives(&self) -> PathBuf {
        self.folder.join(ARCHIVES)
    }

    /// The entry of this name. `fill` makes it in its first argument, a folder that becomes the second one.
    pub(crate) fn entry<E: From<CacheError>>(
        &self,
        name: &str,
        tell: &dyn Fn(News<'_>),
        fill: impl Fn(&Path, &Path) -> Result<(), E>,
    ) -> Result<Entry, E> {
        let home = self.folder.join(name);
        let lock = self.folder.join(format!("{name}.lock"));
        let failed = |error| CacheError::Access(self.folder.clone(), error);
        // A link in its place may lead to something of the user's; where nothing can be removed all stays.
        let _ = clear_place(&lock, false);
        let waits = || tell(News::WaitsFor(holder(&lock)));
        loop {
            match owned::lock_in(&self.folder, &lock, How::Shared, &waits) {
                Ok(used) if is_whole(&home) => {
                    // Where the time cannot be set it counts as used when it was made.
                    let _ = File::open(&lock).and_then(|file| file.set_modified(SystemTime::now()));
                    return Ok(Entry {
                        home,
                        _use: Some(used),
                    });
                }
                Err(_) if is_whole(&home) => return Ok(Entry { home, _use: None }),
                used => drop(used.map_err(failed)?),
            }
            let alone = owned::lock_in(&self.folder, &lock, How::Alone, &waits).map_err(failed)?;
            if !is_whole(&home) {
                // It says who fills the entry to those that wait.
                let _ = fs::write(&lock, process::id().to_string());
                self.make(name, tell, &fill)?;
                self.trim(name, tell);
                let _ = fs::write(&lock, "");
            }
            drop(alone);
        }
    }

    /// Makes the entry, whose lock is held.
    fn make<E: From<CacheError>>(
        &self,
        name: &str,
        tell: &dyn Fn(News<'_>),
        fill: impl Fn(&Path, &Path) -> Result<(), E>,
    ) -> Result<(), E> {
        let home = self.folder.join(name);
        let failed = |error| CacheError::Access(self.folder.clone(), error);
        // A process that was killed while it filled one could not remove it.
        let begun = format!("{name}.tmp-");
        for path in self.named(|it| it.starts_with(&begun)) {
            owned::remove_any(&path).map_err(failed)?;
        }
        if home.exists() {
            tell(News::Mends(&home));
            let aside = self.folder.join(format!("{begun}old"));
            fs::rename(&home, &aside).map_err(failed)?;
            owned::remove_any(&aside).map_err(failed)?;
        } else {
            tell(News::Makes);
        }
        let staging = self.folder.join(format!("{begun}{}", process::id()));
        let place = || {
            fs::create_dir_all(&staging)?;
            owned::mark(&staging)
        };
        let made = place().map_err(|error| E::from(failed(error)));
        let made = made.and_then(|()| fill(&staging, &home));
        let made = made.and_then(|()| {
            let placed = write_files(&staging).and_then(|()| fs::rename(&staging, &home));
            placed.map_err(|error| E::from(failed(error)))
        });
        if made.is_err() {
            // The rest of one that failed helps nobody; it may be gone already.
            let _ = fs::remove_dir_all(&staging);
        }
        made
    }

    /// Removes entries, but for this one, that nobody has used for long.
    fn trim(&self, name: &str, tell: &dyn Fn(News<'_>)) {
        let used = |home: &PathBuf| {
            let lock = home.with_extension("lock");
            let about = fs::metadata(lock).or_else(|_| fs::metadata(home));
            about
                .and_then(|it| it.modified())
                .unwrap_or(SystemTime::UNIX_EPOCH)
        };
        let mut others = self.named(|it| it != name);
        others.retain(|home| owned::is_own(home));
        others.sort_by_key(|home| std::cmp::Reverse(used(home)));
        let old = others
            .iter()
            .enumerate()
            .filter(|&(at, home)| at + 1 >= MOST || is_long_ago(used(home)));
        let removed = old
            .filter(|(_, home)| remove(home, None).is_ok_and(|it| it))
            .count();
        if removed > 0 {
            tell(News::Trims(removed));
        }
    }

    /// Removes all that is the tool's own, also what others have begun and not ended. Returns how many
    /// entries there were. `waits` is called before somebody is waited for who uses one.
    pub(crate) fn clean(&self, waits: &dyn Fn(&Path)) -> Result<usize, OwnedError> {
        let failed = |error| OwnedError::Access(self.folder.clone(), error);
        let mut number = 0;
        let archives = Cache {
            folder: self.archives(),
        };
        for cache in [&archives, self] {
            for home in cache.named(|_| true) {
                if owned::is_own(&home) && remove(&home, Some(waits)).map_err(failed)? {
                    number += 1;
                }
            }
            // A folder that others use as well is not empty.
            let _ = fs::remove_dir(&cache.folder);
        }
        Ok(number)
    }

    /// The folders with such names.
    fn named(&self, is_one: impl Fn(&str) -> bool) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let named = entries.filter(|entry| {
            entry.file_type().is_ok_and(|it| it.is_dir())
                && entry.file_name().to_str().is_some_and(&is_one)
                && !owned::is_used_by_runs(&entry.path())
        });
        named.map(|entry| entry.path()).collect()
    }
}

/// Uses an archive that is unpacked there, or will be.
pub(crate) fn use_archive(home: &Path, waits: &dyn Fn()) -> io::Result<Use> {
    let folder = home.parent().unwrap_or(home);
    owned::lock_in(folder, &lock_of(home), How::Shared, waits)
}

/// Removes an entry with its lock. Without `waits` one that is used stays. False if it does, or is gone.
fn remove(home: &Path, waits: Option<&dyn Fn(&Path)>) -> io::Result<bool> {
    let path = lock_of(home);
    let locked = match waits {
        Some(waits) => owned::lock_file(&path, How::Alone, &|| waits(home)).map(Some),
        None => owned::lock_unused(&path),
    };
    let alone = match locked {
        // Another one has removed the whole cache.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        locked => locked?,
    };
    let Some(alone) = alone else {
        return Ok(false);
    };
    let is_there = home.exists();
    owned::remove_any(home)?;
    owned::remove_any(&path)?;
    drop(alone);
    Ok(is_there)
}

/// An entry that was begun has the lock of the entry that it was to become.
fn lock_of(home: &Path) -> PathBuf {
    let name = home.file_name().unwrap_or_default().to_string_lossy();
    let name = name.split(".tmp-").next().unwrap_or_default();
    home.with_file_name(format!("{name}.lock"))
}

/// The process that says of itself that it has the lock.
fn holder(lock: &Path) -> u32 {
    let mut text = String::new();
    let read = plain_file::open(lock).and_then(|file| file.take(20).read_to_string(&mut text));
    read.ok()
        .and_then(|_| text.trim().parse().ok())
        .unwrap_or(0)
}

/// Lists the files of an entry that is being made.
fn write_files(folder: &Path) -> io::Result<()> {
    let mut text = String::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        if entry.file_type().is_file() {
            let about = entry.metadata()?;
            let time = plain_file::changed_at(&about);
            let digest = digest::of_file(entry.path())?;
            let path = entry.path().strip_prefix(folder).unwrap_or(entry.path());
            let path = path.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
            writeln!(text, "{} {time} {digest} {path}", about.len()).expect("text takes text");
        }
    }
    let mut file = File::create(folder.join(FILES))?;
    writeln!(text, "end").expect("text takes text");
    file.write_all(text.as_bytes())
}

/// True if all files of an entry are as they were when it was made.
fn is_whole(home: &Path) -> bool {
    let Ok(text) = plain_file::read_to_string(&home.join(FILES)) else {
        return false;
    };
    let mut lines: Vec<&str> = text.lines().collect();
    lines.pop() == Some("end")
        && owned::is_own(home)
        && lines.iter().all(|line| is_same(home, line))
}

/// The same of one file. A copy has another time, and is read.
fn is_same(home: &Path, line: &str) -> bool {
    let mut words = line.splitn(4, ' ');
    let mut word = || words.next().unwrap_or_default();
    let (size, time, digest, path) = (word(), word(), word(), home.join(word()));
    fs::metadata(&path).is_ok_and(|about| {
        let is_sized = about.is_file() && about.len().to_string() == size;
        let is_timed = plain_file::changed_at(&about) == time;
        is_sized && (is_timed || digest::of_file(&path).is_ok_and(|it| it == digest))
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::os::unix::fs::symlink;
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::forgotten::FORGOTTEN;

    fn cache(name: &str) -> Cache {
        let folder = env::temp_dir().join(format!("cct-cache-{name}.{}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        Cache { folder }
    }

    fn fill(staging: &Path, _: &Path) -> Result<(), CacheError> {
        let written = fs::create_dir_all(staging.join("lib"))
            .and_then(|()| fs::write(staging.join("lib/one"), "content"))
            .and_then(|()| fs::write(staging.join("two"), "other content"));
        written.map_err(|error| CacheError::Access(staging.to_owned(), error))
    }

    /// Seeks the entry `it`; returns where it is, and the news.
    fn seek(cache: &Cache) -> (PathBuf, Vec<String>) {
        let told = RefCell::new(Vec::new());
        let tell = |news: News<'_>| told.borrow_mut().push(format!("{news:?}"));
        let entry = cache.entry("it", &tell, fill).expect("it can be made");
        assert_eq!(
            fs::read_to_string(entry.home.join("lib/one")).expect("a file"),
            "content"
        );
        (entry.home.clone(), told.into_inner())
    }

    fn is_mended(told: &[String]) -> bool {
        told.len() == 1 && told[0].starts_with("Mends")
    }

    /// As by several commands at once. One that uses an entry has all of it.
    #[test]
    fn some_make_and_use_entries_while_others_remove_them() {
        let cache = &cache("busy");
        thread::scope(|scope| {
            for number in 0..4 {
                scope.spawn(move || {
                    for _ in 0..100 {
                        if number % 2 == 0 {
                            cache.clean(&|_| ()).expect("removable");
                        } else {
                            let entry = cache.entry("it", &|_| (), fill).expect("it can be made");
                            assert!(is_whole(&entry.home));
                        }
                    }
                });
            }
        });
        cache.clean(&|_| ()).expect("removable");
        assert!(!cache.folder.exists());
    }

    #[test]
    fn an_entry_is_made_once_and_anew_when_something_has_changed_it() {
        let cache = cache("damage");
        let (home, told) = seek(&cache);
        assert_eq!(told, ["Makes"]);
        assert_eq!(seek(&cache).1, [""; 0]);
        let damages: [fn(&Path) -> io::Result<()>; 7] = [
            |home| fs::write(home.join("lib/one"), ""),
            // As long as before; files may have been made in the same tick of the clock.
            |home| {
                fs::write(home.join("lib/one"), "CONTENT")?;
                File::open(home.join("lib/one"))?.set_modified(SystemTime::UNIX_EPOCH)
            },
            |home| fs::remove_file(home.join("two")),
            |home| fs::remove_file(home.join(FILES)),
            |home| fs::write(home.join(FILES), "7 0.0 0 lib/one"),
            |home| fs::remove_dir_all(home).and_then(|()| fs::create_dir(home)),
            |home| fs::remove_dir_all(home).and_then(|()| fs::write(home, "no folder")),
        ];
        for (number, damage) in damages.into_iter().enumerate() {
            damage(&home).expect("it can be damaged");
            assert!(is_mended(&seek(&cache).1), "{number}");
            assert_eq!(seek(&cache).1, [""; 0], "{number}");
        }
        fs::remove_dir_all(&cache.folder).expect("removable");
    }

    /// The cache may be told to be where a target folder is, whose part for the tool has the same tag.
    #[test]
    fn the_part_of_a_target_folder_is_no_entry() {
        let cache = cache("target");
        let (home, _) = seek(&cache);
        let part = cache.folder.join("cct");
        drop(owned::use_folder(&part, &|| ()).expect("a folder"));
        assert_eq!(cache.clean(&|_| ()).expect("removable"), 1);
        assert!(!home.exists() && owned::is_own(&part));
        fs::remove_dir_all(&cache.folder).expect("removable");
    }

    #[test]
    fn a_copy_of_the_cache_is_whole() {
        let (from, to) = (cache("from"), cache("to"));
        let (home, _) = seek(&from);
        fs::create_dir_all(to.folder.join("it/lib")).expect("a folder");
        for name in ["lib/one", "two", FILES, "CACHEDIR.TAG"] {
            fs::copy(home.join(name), to.folder.join("it").join(name)).expect("a file");
        }
        assert_eq!(seek(&to).1, [""; 0]);
        for cache in [from, to] {
            fs::remove_dir_all(cache.folder).expect("removable");
        }
    }

    #[test]
    fn builds_that_were_killed_leave_nothing_once_another_has_come() {
        let cache = cache("killed");
        fs::create_dir_all(cache.folder.join("it.tmp-4194399/lib")).expect("a folder");
        seek(&cache);
        let left = cache.named(|name| name.contains(".tmp-"));
        assert!(left.is_empty(), "{left:?}");
        fs::remove_dir_all(&cache.folder).expect("removable");
    }

    #[test]
    fn who_waits_is_told_for_whom() {
        let cache = cache("wait");
        let (started, starts) = std::sync::mpsc::channel();
        let (goes_on, waits) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let same = cache.clone();
            scope.spawn(move || {
                let first = |staging: &Path, home: &Path| {
                    started.send(()).expect("somebody listens");
                    waits.recv().expect("somebody says so");
                    fill(staging, home)
                };
                same.entry("it", &|_| (), first).expect("it can be made");
            });
            starts.recv().expect("it starts");
            let told = RefCell::new(Vec::new());
            let tell = |news: News<'_>| {
                told.borrow_mut().push(format!("{news:?}"));
                // The other one waits for this.
                let _ = goes_on.send(());
            };
            cache.entry("it", &tell, fill).expect("it can be made");
            let waited = format!("WaitsFor({})", process::id());
            assert!(told.borrow().contains(&waited), "{told:?}");
            assert!(!told.borrow().contains(&"Makes".to_owned()), "{told:?}");
        });
        fs::remove_dir_all(&cache.folder).expect("removable");
    }

    #[test]
    fn what_nobody_has_used_for_long_goes_and_what_is_in_use_stays() {
        let cache = cache("trim");
        let old = SystemTime::now() - 2 * FORGOTTEN;
        let entries: Vec<Entry> = (0..MOST + 4)
            .map(|number| {
                let name = format!("entry-{number:02}");
                let entry = cache.entry(&name, &|_| (), fill).expect("it can be made");
                let lock = cache.folder.join(format!("{name}.lock"));
                let age = Duration::from_secs(60 * (100 - number as u64));
                let time = if number == 7 {
                    old
                } else {
                    SystemTime::now() - age
                };
                File::options()
                    .write(true)
                    .open(lock)
                    .and_then(|it| it.set_modified(time))
                    .expect("a time");
                entry
            })
            .collect();
        // All are in use.
        let (_, told) = seek(&cache);
        assert_eq!(told, ["Makes"]);
        let used = entries.into_iter().next();
        fs::remove_dir_all(cache.folder.join("it")).expect("removable");
        assert_eq!(seek(&cache).1, ["Makes".to_owned(), "Trims(4)".to_owned()]);
        let is_there = |number: usize| cache.folder.join(format!("entry-{number:02}")).exists();
        assert!(is_there(0) && !is_there(1) && !is_there(7) && is_there(MOST + 3));
        drop(used);
        fs::remove_dir_all(&cache.folder).expect("removable");
    }

    #[test]
    fn only_own_entries_are_cleaned() {
        let cache = cache("clean");
        let other = env::temp_dir().join(format!("cct-cache-linked.{}", process::id()));
        let _ = fs::remove_dir_all(&other);
        fs::create_dir_all(&other).expect("a folder");
        owned::mark(&other).expect("a tag");
        seek(&cache);
        fs::create_dir_all(cache.folder.join("photos")).expect("a folder");
        fs::write(cache.folder.join("photos/one"), "mine").expect("a file");
        fs::write(cache.folder.join("it.txt"), "mine").expect("a file");
        fs::write(cache.folder.join("notes.lock"), "mine").expect("a file");
        symlink(&other, cache.folder.join("elsewhere")).expect("a link");
        assert_eq!(cache.clean(&|_| ()).expect("it can be cleaned"), 1);
        let mut left: Vec<_> = fs::read_dir(&cache.folder)
            .expect("it is there")
            .flatten()
            .map(|entry| entry.file_name().into_string().expect("a text"))
            .collect();
        left.sort();
        assert_eq!(left, ["elsewhere", "it.txt", "notes.lock", "photos"]);
        assert!(cache.folder.join("photos/one").exists() && owned::is_own(&other));
        for folder in [cache.folder, other] {
            fs::remove_dir_all(folder).expect("removable");
        }
    }
}
