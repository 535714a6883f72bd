//! The file of results: a line that says what it is, then one JSON object, then fingerprints.
//!
//! It is always replaced as a whole, so that a process that is killed leaves the file of before.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::saved::{Origin, Results, Saved, Seen};
use crate::build::digest;
use crate::plain_file;
use crate::run::TestName;

/// The name of the file in its folder.
const NAME: &str = "results.cct";
const FORMAT: &str = "cargo-cct results";
const VERSION: u32 = 1;

/// Why results cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResultsError {
    /// The file cannot be read or written.
    #[error("cannot access `{0}`")]
    Access(PathBuf, #[source] io::Error),
    /// The file is cut off.
    #[error("`{0}` ends too early: it was cut off when it was copied")]
    Truncated(PathBuf),
    /// The file is not as it was written.
    #[error("`{0}` is damaged: its content is not what was written")]
    Damaged(PathBuf),
    /// The file is something else.
    #[error("`{0}` has no results that cargo-cct wrote")]
    Foreign(PathBuf),
    /// The file was written by another version.
    #[error(
        "`{0}` has version {1}, but this cargo-cct reads version {VERSION}: use the one that wrote it"
    )]
    Version(PathBuf, u32),
    /// The results are of something else.
    #[error("`{0}` has results of another run: {1}")]
    Other(PathBuf, String),
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    format: String,
    version: u32,
    bytes: u64,
    sha256: String,
}

/// The object.
#[derive(Serialize, Deserialize)]
struct Body {
    origin: Origin,
    complete: Vec<u32>,
    elapsed: Vec<(u32, f64)>,
    shards: Vec<(u32, Vec<(TestName, Saved)>)>,
    /// The tests whose fingerprints follow: of schedules, and of behaviours.
    seen: Vec<(TestName, u64, u64)>,
}

impl Results {
    /// Where the results of a folder are.
    pub(crate) fn path(folder: &Path) -> PathBuf {
        folder.join(NAME)
    }

    /// Reads the results in a folder; `None` if there are none.
    pub(crate) fn read(folder: &Path) -> Result<Option<Results>, ResultsError> {
        let path = Results::path(folder);
        match plain_file::read(&path) {
            Ok(bytes) => parse(&path, &bytes).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ResultsError::Access(path, error)),
        }
    }

    /// Writes them, in place of those of before.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), ResultsError> {
        let path = Results::path(folder);
        let written = fs::create_dir_all(folder)
            .and_then(|()| replace(&path, &self.bytes().map_err(io::Error::from)?));
        written.map_err(|error| ResultsError::Access(path, error))
    }

    fn bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let shards = self.shards.iter().map(|(&shard, tests)| {
            let tests = tests
                .iter()
                .map(|(name, saved)| (name.clone(), saved.clone()));
            (shard, tests.collect())
        });
        let seen = self.seen.iter().map(|(name, seen)| {
            let (schedules, behaviours) = (seen.schedules.len(), seen.behaviours.len());
            (name.clone(), schedules as u64, behaviours as u64)
        });
        let body = serde_json::to_vec(&Body {
            origin: self.origin.clone(),
            complete: self.complete.iter().copied().collect(),
            elapsed: self
                .elapsed
                .iter()
                .map(|(&shard, &time)| (shard, time))
                .collect(),
            shards: shards.collect(),
            seen: seen.collect(),
        })?;
        let mut rest = body;
        rest.push(b'\n');
        for seen in self.seen.values() {
            put_all(&mut rest, seen.schedules.iter().copied());
            put_all(&mut rest, seen.behaviours.keys().copied());
            for &first in seen.behaviours.values() {
                put(&mut rest, first);
            }
        }
        let head = serde_json::to_vec(&Head {
            format: FORMAT.to_owned(),
            version: VERSION,
            bytes: rest.len() as u64,
            sha256: digest::of_bytes(&rest),
        })?;
        Ok([head, vec![b'\n'], rest].concat())
    }
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    plain_file::replace(path, |path| {
        let mut file = fs::File::create(path)?;
        file.write_all(bytes)?;
        // A pipe and a device have nothing to be synchronized with.
        if file.metadata()?.is_file() {
            file.sync_all()?;
        }
        Ok(())
    })
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Results, ResultsError> {
    let foreign = || ResultsError::Foreign(path.to_owned());
    let damaged = || ResultsError::Damaged(path.to_owned());
    let end = bytes
        .iter()
        .position(|&byte| byte == b'\n')
        .ok_or_else(foreign)?;
    let head: Head = serde_json::from_slice(&bytes[..end]).map_err(|_| foreign())?;
    if head.format != FORMAT {
        return Err(foreign());
    }
    if head.version != VERSION {
        return Err(ResultsError::Version(path.to_owned(), head.version));
    }
    let rest = &bytes[end + 1..];
    if (rest.len() as u64) < head.bytes {
        return Err(ResultsError::Truncated(path.to_owned()));
    }
    if digest::of_bytes(rest) != head.sha256 {
        return Err(damaged());
    }
    let end = rest
        .iter()
        .position(|&byte| byte == b'\n')
        .ok_or_else(damaged)?;
    let body: Body = serde_json::from_slice(&rest[..end]).map_err(|_| damaged())?;
    let mut rest = &rest[end + 1..];
    let mut results = Results {
        origin: body.origin,
        complete: body.complete.into_iter().collect(),
        elapsed: body.elapsed.into_iter().collect(),
        shards: BTreeMap::new(),
        seen: BTreeMap::new(),
    };
    for (shard, tests) in body.shards {
        results.shards.insert(shard, tests.into_iter().collect());
    }
    for (name, schedules, behaviours) in body.seen {
        let mut seen = Seen {
            schedules: take_all(&mut rest, schedules)
                .ok_or_else(damaged)?
                .into_iter()
                .collect(),
            ..Seen::default()
        };
        for behaviour in take_all(&mut rest, behaviours).ok_or_else(damaged)? {
            seen.behaviours.insert(behaviour, 0);
        }
        for first in seen.behaviours.values_mut() {
            *first = take(&mut rest).ok_or_else(damaged)?;
        }
        results.seen.insert(name, seen);
    }
    Ok(results)
}

/// Writes ascending numbers by their distances.
fn put_all(out: &mut Vec<u8>, numbers: impl Iterator<Item = u64>) {
    let mut before = 0;
    for number in numbers {
        put(out, number - before);
        before = number;
    }
}

fn take_all(input: &mut &[u8], count: u64) -> Option<Vec<u64>> {
    let mut before = 0_u64;
    let next = |_| {
        before = before.checked_add(take(input)?)?;
        Some(before)
    };
    (0..count).map(next).collect()
}

/// Writes seven bits a byte, the lowest first.
fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take(input: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = input.split_first()?;
        *input = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::any;
    use proptest::sample::Index;
    use proptest::{prop_assert, prop_assert_eq, proptest};

    use super::super::join::tests::{results, shard};
    use super::*;
    use crate::fuzz;

    #[test]
    fn numbers_are_read_back() {
        let numbers = [
            0,
            1,
            127,
            128,
            300,
            u64::from(u32::MAX),
            u64::MAX - 1,
            u64::MAX,
        ];
        let mut bytes = Vec::new();
        put_all(&mut bytes, numbers.into_iter());
        let mut input = &bytes[..];
        assert_eq!(take_all(&mut input, 8).as_deref(), Some(&numbers[..]));
        assert!(input.is_empty());
        assert_eq!(take_all(&mut &bytes[..5], 8), None);
        // A number too many goes beyond what there is.
        assert_eq!(take_all(&mut &[1, 2][..], 3), None);
    }

    #[test]
    fn what_is_written_is_read_back_and_damage_is_noticed() {
        let folder = std::env::temp_dir().join(format!("cct-results-{}", std::process::id()));
        assert!(Results::read(&folder).expect("no folder").is_none());
        let written = results(3, &[(0, shard(9, true)), (2, shard(4, false))]);
        written.write(&folder).expect("writable");
        assert_eq!(
            Results::read(&folder).expect("whole").as_ref(),
            Some(&written)
        );

        let path = Results::path(&folder);
        let whole = fs::read(&path).expect("it is there");
        let refused = |bytes: &[u8], why: &str| {
            fs::write(&path, bytes).expect("writable");
            let error = Results::read(&folder).expect_err("refused").to_string();
            assert!(error.contains(why), "{error}");
        };
        for length in [whole.len() - 1, whole.len() / 2] {
            refused(&whole[..length], "ends too early");
        }
        for length in [0, 9] {
            refused(&whole[..length], "no results that");
        }
        let mut damaged = whole.clone();
        *damaged.last_mut().expect("bytes") ^= 1;
        refused(&damaged, "damaged");
        refused(&[&whole[..], b"more"].concat(), "damaged");
        let text = String::from_utf8_lossy(&whole);
        refused(
            text.replacen("\"version\":1", "\"version\":9", 1)
                .as_bytes(),
            "version 9",
        );
        // Nothing is left beside it.
        written.write(&folder).expect("writable");
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 1);
        fs::remove_dir_all(&folder).expect("removable");
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn results_in_disorder_are_read_or_refused(
            changes in fuzz::changes(),
            at in any::<Index>(),
            by in 1..=255_u8,
        ) {
            let path = Path::new("x");
            let whole = results(3, &[(0, shard(9, true)), (2, shard(4, false))]).bytes();
            let whole = whole.expect("they are JSON");
            let mut damaged = whole.clone();
            damaged[at.index(whole.len())] ^= by;
            let is_whole = |read: Results| read.bytes().is_ok_and(|again| again == whole);
            prop_assert!(parse(path, &damaged).map_or(true, is_whole));

            let mut lines = whole.splitn(3, |&byte| byte == b'\n').skip(1);
            let (body, numbers) = (lines.next().expect("the body"), lines.next().expect("the numbers"));
            let body = serde_json::from_slice(body).expect("JSON");
            let body = fuzz::changed(body, &changes).to_string();
            let rest = [body.as_bytes(), b"\n", numbers].concat();
            let head = Head {
                format: FORMAT.to_owned(),
                version: VERSION,
                bytes: rest.len() as u64,
                sha256: digest::of_bytes(&rest),
            };
            let head = serde_json::to_vec(&head).expect("words and numbers");
            match parse(path, &[&head, &b"\n"[..], &rest].concat()) {
                Ok(read) => {
                    let again = parse(path, &read.bytes().expect("they are JSON"));
                    prop_assert_eq!(again.expect("it was written so"), read);
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}
