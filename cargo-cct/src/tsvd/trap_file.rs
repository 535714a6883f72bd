//! The trap file: the pairs of places that are worth a delay, from one run to the next.
//!
//! It is written anew beside its place and renamed into it, so that it is whole at any moment. Pairs of an
//! executable count for that very executable, and are forgotten with another build of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use cct::tsvd::told::{PairTold, Place, Standing};
use serde::{Deserialize, Serialize};

use super::place::{Located, Locator};
use crate::plain_file;
use crate::report::Origin;

/// The version of the file.
const VERSION: u32 = 1;

/// The pairs of all executables.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TrapFile {
    version: u32,
    #[serde(skip)]
    path: PathBuf,
    binaries: BTreeMap<String, Traps>,
}

/// The pairs of an executable.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Traps {
    /// The content of the executable that the addresses are of.
    executable: String,
    pairs: Vec<Trap>,
}

/// A pair.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Trap {
    places: [TrapPlace; 2],
    standing: Known,
}

/// A place of a pair.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct TrapPlace {
    /// The place's number in a test process, in hexadecimal.
    number: String,
    #[serde(flatten)]
    located: Located,
}

/// The knowledge of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Known {
    Dangerous,
    Found,
    Ordered,
    GivenUp,
}

impl Known {
    fn of(standing: Standing) -> Known {
        match standing {
            Standing::Dangerous => Known::Dangerous,
            Standing::Found => Known::Found,
            Standing::Ordered => Known::Ordered,
            Standing::GivenUp => Known::GivenUp,
        }
    }

    /// As a test process reads it.
    fn word(self) -> &'static str {
        match self {
            Known::Dangerous => "dangerous",
            Known::Found => "found",
            Known::Ordered => "ordered",
            Known::GivenUp => "given-up",
        }
    }
}

/// Why a trap file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrapFileError {
    /// Its file cannot be read or written.
    #[error("cannot access the trap file `{0}`")]
    Access(PathBuf, #[source] io::Error),
    /// The file is something else.
    #[error("`{0}` is no trap file of this version: remove it, and the next run begins a new one")]
    Foreign(PathBuf, #[source] serde_json::Error),
    /// The file was written by another version.
    #[error(
        "the trap file `{path}` has version {found}, and this cargo-cct reads version {VERSION}: remove it, \
         and the next run begins a new one"
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
}

impl TrapFile {
    /// Reads it; one that is not there is empty.
    pub(crate) fn read(path: &Path) -> Result<TrapFile, TrapFileError> {
        let text = match plain_file::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(TrapFile {
                    version: VERSION,
                    path: path.to_owned(),
                    binaries: BTreeMap::new(),
                });
            }
            Err(error) => return Err(TrapFileError::Access(path.to_owned(), error)),
        };
        let mut file: TrapFile = serde_json::from_str(&text)
            .map_err(|error| TrapFileError::Foreign(path.to_owned(), error))?;
        if file.version != VERSION {
            return Err(TrapFileError::Version {
                path: path.to_owned(),
                found: file.version,
            });
        }
        path.clone_into(&mut file.path);
        Ok(file)
    }

    /// Adds all pairs of another one. Of a pair that both have, the one that says more counts.
    pub(crate) fn merge(&mut self, other: TrapFile) {
        for (binary, traps) in other.binaries {
            let mine = self.binaries.entry(binary).or_default();
            if mine.pairs.is_empty() {
                *mine = traps;
            } else if mine.executable == traps.executable {
                for trap in traps.pairs {
                    mine.add(trap);
                }
            }
        }
    }

    /// Writes it.
    pub(crate) fn write(&self) -> Result<(), TrapFileError> {
        let failed = |error| TrapFileError::Access(self.path.clone(), error);
        let text = serde_json::to_string_pretty(self).expect("it has no maps with odd keys");
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        plain_file::replace(&self.path, |path| fs::write(path, text)).map_err(failed)
    }

    /// The pairs of an executable, as a test process reads them. If it `hunts_again`, nothing was found yet.
    pub(crate) fn pairs_of(&self, binary: &str, executable: &str, hunts_again: bool) -> String {
        let Some(traps) = self.binaries.get(binary) else {
            return String::new();
        };
        if traps.executable != executable {
            return String::new();
        }
        let lines = traps.pairs.iter().map(|trap| {
            let [one, other] = &trap.places;
            let standing = match trap.standing {
                Known::Found if hunts_again => Known::Dangerous,
                standing => standing,
            };
            format!("{} {} {}\n", standing.word(), one.number, other.number)
        });
        lines.collect()
    }

    /// All places where a thread would be held, as `--points` takes them.
    pub(crate) fn points(&self) -> BTreeSet<String> {
        let pairs = self.binaries.values().flat_map(|traps| &traps.pairs);
        let pairs = pairs.filter(|pair| matches!(pair.standing, Known::Dangerous | Known::Found));
        let places = pairs.flat_map(|pair| &pair.places);
        places.filter_map(|place| point(&place.located)).collect()
    }

    /// The content of the executable with this label that the file is of, if it is of one.
    pub(crate) fn executable(&self, binary: &str) -> Option<&str> {
        self.binaries
            .get(binary)
            .map(|traps| traps.executable.as_str())
    }

    /// Notes the news of a pair.
    pub(crate) fn note(
        &mut self,
        binary: &str,
        executable: &str,
        told: &PairTold,
        locator: &mut Locator<'_>,
    ) {
        let traps = self.binaries.entry(binary.to_owned()).or_default();
        if traps.executable != executable {
            *traps = Traps {
                executable: executable.to_owned(),
                pairs: Vec::new(),
            };
        }
        let mut place = |place: &Place| TrapPlace {
            number: format!("{:x}", place.id()),
            located: locator.locate(place),
        };
        traps.add(Trap {
            places: [place(&told.first), place(&told.second)],
            standing: Known::of(told.standing),
        });
    }

    /// A violation was seen at these places of this executable.
    pub(crate) fn found(&mut self, binary: &str, places: [&Place; 2]) {
        let [one, other] = places.map(|place| format!("{:x}", place.id()));
        let pairs = self.binaries.get_mut(binary).into_iter();
        for trap in pairs.flat_map(|traps| &mut traps.pairs) {
            let [first, second] = &trap.places;
            let numbers = (&first.number, &second.number);
            if numbers == (&one, &other) || numbers == (&other, &one) {
                trap.standing = Known::Found;
            }
        }
    }

    /// How many pairs there are of this standing.
    #[cfg(test)]
    fn count(&self, standing: Standing) -> usize {
        let pairs = self.binaries.values().flat_map(|traps| &traps.pairs);
        pairs
            .filter(|trap| trap.standing == Known::of(standing))
            .count()
    }
}

/// The place as a point: its line; of generic code of std, of which all is one place, the functions of that
/// name.
fn point(located: &Located) -> Option<String> {
    let site = located.site.as_ref()?;
    if Origin::of(site) == Origin::Std {
        let name = located.function.rsplit("::").next()?;
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        return (!name.is_empty() && name.chars().all(is_name)).then(|| format!("*::{name}"));
    }
    Some(format!("{}:{}", site.file, site.line))
}

impl Traps {
    fn add(&mut self, trap: Trap) {
        let same = self.pairs.iter_mut().find(|it| it.places == trap.places);
        match same {
            Some(known) if known.standing == Known::Found => {}
            Some(known) => known.standing = trap.standing,
            None => self.pairs.push(trap),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert, proptest};

    use super::*;
    use crate::fuzz;

    /// A path of its own for each test, where nothing is.
    fn path(test: u32) -> PathBuf {
        let path =
            std::env::temp_dir().join(format!("cct-traps-{}-{test}.json", std::process::id()));
        let _ = fs::remove_file(&path);
        path
    }

    fn file(path: &Path, pairs: &[(u64, u64, Standing)]) -> TrapFile {
        let mut file = TrapFile::read(path).expect("it is not there, or whole");
        let traps = file.binaries.entry("app".to_owned()).or_default();
        "digest".clone_into(&mut traps.executable);
        for &(one, other, standing) in pairs {
            let place = |number: u64| TrapPlace {
                number: format!("{number:x}"),
                located: Located::default(),
            };
            traps.add(Trap {
                places: [place(one), place(other)],
                standing: Known::of(standing),
            });
        }
        file
    }

    #[test]
    fn a_run_begins_with_what_another_one_has_left() {
        let path = path(line!());
        let pairs = [(0x1A0, 0x1F4, Standing::Dangerous), (7, 7, Standing::Found)];
        file(&path, &pairs).write().expect("it is written");
        let read = TrapFile::read(&path).expect("it is whole");
        assert_eq!(
            read.pairs_of("app", "digest", false),
            "dangerous 1a0 1f4\nfound 7 7\n"
        );
        assert_eq!(
            read.pairs_of("app", "digest", true),
            "dangerous 1a0 1f4\ndangerous 7 7\n"
        );
        assert_eq!(read.pairs_of("app", "another", false), "");
        assert_eq!(read.pairs_of("other", "digest", false), "");
    }

    #[test]
    fn what_is_found_stays_found_when_files_are_merged() {
        let path = path(line!());
        let mut one = file(
            &path,
            &[(1, 2, Standing::Found), (3, 4, Standing::Dangerous)],
        );
        let other = file(
            &path,
            &[
                (1, 2, Standing::Dangerous),
                (3, 4, Standing::GivenUp),
                (5, 6, Standing::Dangerous),
            ],
        );
        one.merge(other);
        assert_eq!(one.count(Standing::Found), 1);
        assert_eq!(one.count(Standing::GivenUp), 1);
        assert_eq!(one.count(Standing::Dangerous), 1);
    }

    #[test]
    fn what_is_no_trap_file_is_told() {
        let path = path(line!());
        fs::write(&path, "{}").expect("it is written");
        assert!(matches!(
            TrapFile::read(&path),
            Err(TrapFileError::Foreign(..))
        ));
        fs::write(&path, r#"{"version":9,"binaries":{}}"#).expect("it is written");
        assert!(matches!(
            TrapFile::read(&path),
            Err(TrapFileError::Version { found: 9, .. })
        ));
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn a_file_in_disorder_is_read_or_refused(changes in fuzz::changes()) {
            let path = path(line!());
            let pairs = [(0x1A0, 0x1F4, Standing::Dangerous), (7, 7, Standing::Found)];
            let whole = serde_json::to_value(file(&path, &pairs)).expect("words and numbers");
            fs::write(&path, fuzz::changed(whole, &changes).to_string()).expect("it is written");
            match TrapFile::read(&path) {
                Ok(mut read) => {
                    for is_new in [false, true] {
                        read.pairs_of("app", "digest", is_new);
                    }
                    read.merge(TrapFile::read(&path).expect("as before"));
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
            fs::remove_file(&path).expect("it is ours");
        }
    }
}
