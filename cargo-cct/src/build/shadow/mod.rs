//! A package as rustc is to see it: Rust files rewritten, all else linked in.
//!
//! ```text
//! <target>/cct/shadow/<name>-<key>/          stands for `/`
//!     home/me/work/src/lib.rs                rewritten
//!     home/me/work/src/table.csv             a link to the original
//!     home/me/work/docs                      likewise: no Rust below
//! <target>/cct/shadow/<name>-<key>.index     what was rewritten from what
//! ```
//!
//! Absolute paths are mirrored, so that each relative path in `mod`, `#[path]` and `include…!` means the
//! same place. Several compilers read a tree at a time, and any of them may find it out of date: one at a
//! time mends it, files take their places whole, and those whose content is the same are not touched.

mod files;
mod index;
mod mentions;
mod plan;

use std::fs;
use std::io;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use self::index::{Entry, Index};
use self::plan::Plan;
use super::leftovers::{self, clear_place, note_use};
use super::owned::{self, How};
use super::{digest, embedded};
use crate::rewrite::{self, Edition, Named, Passes};
use crate::run::threads;

pub(crate) use self::files::rust_files;

/// The subject of a tree, and how it is rewritten.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    /// The package's folder.
    pub package: PathBuf,
    /// The folder above it up to which all is linked in: the workspace's, or the package's own.
    pub base: PathBuf,
    /// The file that the crate begins with.
    pub root: PathBuf,
    /// Of the package, its library alone is built.
    pub is_library: bool,
    /// The crate's edition.
    pub edition: Edition,
    /// The passes that are applied.
    pub passes: Passes,
    /// Functions that settings name.
    pub named: Named,
}

/// A tree that is up to date.
#[derive(Debug)]
pub(super) struct Shadow {
    /// Stands for the root of the file system.
    folder: PathBuf,
    /// Names the rewritten text of all files.
    pub digest: String,
    /// Tells whether any file differs from what the user wrote.
    pub differs: bool,
}

impl Shadow {
    /// Makes or mends the tree of a package, in the folder that has all of them.
    pub(super) fn make(home: &Path, subject: &Subject) -> io::Result<Shadow> {
        let made = Shadow::make_in(home, subject);
        made.map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => error,
            kind => {
                let home = home.display();
                let advice = "if something else has changed it, `cargo cct clean` removes it";
                io::Error::new(kind, format!("{error}, in `{home}`: {advice}"))
            }
        })
    }

    fn make_in(home: &Path, subject: &Subject) -> io::Result<Shadow> {
        let folder = home.join(subject.name());
        // Something else may be in its place, as a link that leads to the user's files.
        clear_place(home, true)?;
        fs::create_dir_all(home)?;
        mark_as_built(home)?;
        let [lock, record] = leftovers::files_of(&folder);
        clear_place(&lock, false)?;
        let _alone = owned::lock_file(&lock, How::Alone, &|| ())?;
        note_use(&lock);
        clear_place(&folder, true)?;
        clear_place(&record, false)?;
        let before = Index::read(&record);
        let mirror = Mirror {
            subject,
            folder: &folder,
            before: &before,
        };
        let index = mirror.bring_up_to_date()?;
        if index != before {
            index.write(&record)?;
        }
        Ok(Shadow {
            digest: index.digest(),
            differs: index.files.values().any(|entry| entry.differs),
            folder,
        })
    }

    /// Where a file is mirrored.
    pub(super) fn path(&self, original: &Path) -> PathBuf {
        mirrored(&self.folder, original)
    }
}

impl Subject {
    /// Trees of different packages, passes or tools never meet.
    fn name(&self) -> String {
        let name = self.package.file_name().unwrap_or_default();
        let outside = self.root.strip_prefix(&self.package).err();
        let root = outside.map_or(Path::new(""), |_| &self.root);
        let passes = self.passes.names();
        let named = self.named.to_string();
        let parts = [
            embedded::WRAPPER.as_bytes(),
            &[u8::from(self.is_library)],
            self.package.as_os_str().as_encoded_bytes(),
            self.base.as_os_str().as_encoded_bytes(),
            root.as_os_str().as_encoded_bytes(),
            self.edition.year().as_bytes(),
            passes.as_bytes(),
            named.as_bytes(),
        ];
        let key = &digest::of_parts(&parts)[..16];
        format!("{}-{key}", name.to_string_lossy())
    }
}

/// The record of a file, and its new text unless that is there.
type New = (Entry, Option<String>);

/// A thread is worth its while from so many files on.
const LEAST: usize = 16;

/// A tree that is being mended.
#[derive(Debug)]
struct Mirror<'a> {
    subject: &'a Subject,
    folder: &'a Path,
    before: &'a Index,
}

impl Mirror<'_> {
    fn bring_up_to_date(&self) -> io::Result<Index> {
        let subject = self.subject;
        let mut plan = Plan::new(vec![subject.base.clone(), subject.package.clone()]);
        let mut index = Index::default();
        let mut texts = Vec::new();
        let mut open = rust_files(&subject.package);
        if subject.is_library {
            open.retain(|file| !files::is_beside_library(file, &subject.package));
        }
        open.push(subject.root.clone());
        while !open.is_empty() {
            open.sort();
            open.dedup();
            open.retain(|file| {
                let name = file.to_str();
                name.is_some_and(|name| !index.files.contains_key(name))
            });
            for (file, entry) in self.entries(std::mem::take(&mut open)) {
                let Some((entry, text)) = entry else {
                    // It is not text, or went away meanwhile: whatever is there is linked in.
                    continue;
                };
                plan.rewritten(&file)?;
                texts.extend(text.map(|text| (file.clone(), text)));
                for mention in entry.mentions.iter().map(PathBuf::from) {
                    if !files::is_rust(&mention) {
                        plan.linked(&mention);
                    } else if let Some(folder) = mention.parent() {
                        // Its own modules lie beside it.
                        plan.base(folder);
                        if !subject.package.starts_with(folder) {
                            open.extend(rust_files(folder));
                        }
                        open.push(mention);
                    }
                }
                let name = file.into_os_string().into_string();
                index.files.extend(name.ok().map(|name| (name, entry)));
            }
        }
        plan.carry_out(self.folder)?;
        for (file, text) in texts {
            let place = mirrored(self.folder, &file);
            plan::write(&place, &text)?;
            let entry = file.to_str().and_then(|name| index.files.get_mut(name));
            if let Some(entry) = entry {
                entry.copy = index::Stamp::of(&place)?;
            }
        }
        Ok(index)
    }

    /// Reads the records of files, which are independent of each other: as many at a time as there are
    /// processors.
    fn entries(&self, files: Vec<PathBuf>) -> Vec<(PathBuf, Option<New>)> {
        let count = thread::available_parallelism().map_or(1, NonZero::get);
        let share = files.len().div_ceil(count).max(LEAST);
        let work = |files: &[PathBuf]| -> Vec<Option<New>> {
            files.iter().map(|file| self.entry(file)).collect()
        };
        let entries: Vec<Option<New>> = thread::scope(|scope| {
            let parts: Vec<_> = files
                .chunks(share)
                .map(|files| (files, threads::start_in(scope, move || work(files))))
                .collect();
            let done = parts.into_iter().map(|(files, part)| match part {
                Ok(part) => part.join().unwrap_or_else(|panic| resume_unwind(panic)),
                Err(_) => work(files),
            });
            done.flatten().collect()
        });
        files.into_iter().zip(entries).collect()
    }

    /// Reads the record of a file, and its new text unless that is there.
    fn entry(&self, file: &Path) -> Option<New> {
        let stamp = index::Stamp::of(file).ok()?;
        if let Some(entry) = self.before.fresh(file, stamp)
            && index::Stamp::of_file(&mirrored(self.folder, file)) == Some(entry.copy)
        {
            return Some((entry.clone(), None));
        }
        let text = fs::read_to_string(file).ok()?;
        let Subject {
            edition, passes, ..
        } = *self.subject;
        let new = rewrite::rewrite(&text, file, edition, passes, &self.subject.named);
        let entry = Entry {
            stamp,
            copy: stamp,
            differs: new.is_some(),
            mentions: mentions::outside(&text, file, self.subject),
            digest: digest::of_parts(&[new.as_deref().unwrap_or(&text).as_bytes()]),
        };
        Some((entry, Some(new.unwrap_or(text))))
    }
}

/// Has walks through packages pass over the folder around `home`, as they do over cargo's.
fn mark_as_built(home: &Path) -> io::Result<()> {
    const SIGNATURE: &str = "Signature: 8a477f597d28d172789f06886806bc55\n";
    let tag = home.parent().unwrap_or(home).join("CACHEDIR.TAG");
    if tag.exists() {
        return Ok(());
    }
    match plan::write(&tag, SIGNATURE) {
        // Another process has put it there meanwhile.
        Err(_) if tag.exists() => Ok(()),
        written => written,
    }
}

/// Where an absolute path is below a folder that stands for the root.
fn mirrored(folder: &Path, original: &Path) -> PathBuf {
    let mut path = folder.to_owned();
    path.extend(original.strip_prefix("/").unwrap_or(original));
    path
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::SystemTime;

    use super::*;

    /// A package in a folder of its own, and a home for trees.
    struct Place {
        folder: PathBuf,
    }

    impl Place {
        fn new(name: &str) -> Place {
            let unique = format!("cct-shadow-{}-{name}", std::process::id());
            let folder = std::env::temp_dir().join(unique);
            let place = Place { folder };
            place.write("w/p/Cargo.toml", "");
            place.write(
                "w/p/src/lib.rs",
                "const A: &str = include_str!(\"a.rs\");\n",
            );
            place.write("w/p/src/a.rs", "a\n");
            place.write("w/p/docs/deep/text.md", "");
            place.write("w/q/Cargo.toml", "");
            place
        }

        fn write(&self, file: &str, text: &str) {
            let path = self.folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn make(&self) -> Shadow {
            let package = self.folder.join("w/p");
            let subject = Subject {
                root: package.join("src/lib.rs"),
                is_library: false,
                package,
                base: self.folder.join("w"),
                edition: Edition::Rust2021,
                passes: Passes::ALL,
                named: Named::default(),
            };
            Shadow::make(&self.folder.join("target/shadow"), &subject).unwrap()
        }

        fn is_link(&self, shadow: &Shadow, file: &str) -> bool {
            let original = self.folder.join(file);
            fs::read_link(shadow.path(&original)).is_ok_and(|to| to == original)
        }

        fn changed(&self, shadow: &Shadow, file: &str) -> SystemTime {
            let path = shadow.path(&self.folder.join(file));
            path.symlink_metadata().unwrap().modified().unwrap()
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            // Files that stay behind are no reason to fail.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }

    #[test]
    fn rust_is_rewritten_and_all_else_is_linked() {
        let place = Place::new("kinds");
        let shadow = place.make();
        assert!(shadow.differs);
        let text = fs::read_to_string(shadow.path(&place.folder.join("w/p/src/lib.rs"))).unwrap();
        assert!(text.contains("/w/p/src/a.rs"), "{text}");
        assert!(!place.is_link(&shadow, "w/p/src/a.rs"));
        for file in ["w/q", "w/p/docs", "w/p/Cargo.toml"] {
            assert!(place.is_link(&shadow, file), "{file}");
        }
    }

    #[test]
    fn only_what_changed_is_touched() {
        let place = Place::new("change");
        let first = place.make();
        let files = ["w/p/src/lib.rs", "w/p/Cargo.toml"];
        let before = files.map(|file| place.changed(&first, file));
        place.write("w/p/src/a.rs", "b\n");
        place.write("w/p/src/new/c.rs", "c\n");
        let second = place.make();
        assert_eq!(files.map(|file| place.changed(&second, file)), before);
        assert_ne!(first.digest, second.digest);
        let new = second.path(&place.folder.join("w/p/src/new/c.rs"));
        assert_eq!(fs::read_to_string(&new).unwrap(), "c\n");
        fs::remove_dir_all(place.folder.join("w/p/src/new")).unwrap();
        place.make();
        assert!(!new.exists());
    }

    #[test]
    fn several_may_find_it_out_of_date() {
        let place = Place::new("many");
        for round in 0..20 {
            let text = format!("const A: &str = include_str!(\"a.rs\"); // {round}\n");
            place.write("w/p/src/lib.rs", &text.repeat(1 + round % 7));
            thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        let shadow = place.make();
                        let root = shadow.path(&place.folder.join("w/p/src/lib.rs"));
                        let text = fs::read_to_string(root).unwrap();
                        assert_eq!(text.lines().count(), 1 + round % 7);
                        assert_eq!(text.matches("/w/p/src/a.rs").count(), 1 + round % 7);
                    });
                }
            });
        }
    }
}
