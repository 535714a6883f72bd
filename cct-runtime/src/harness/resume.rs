//! The file with which a search goes on where an earlier process left off.
//!
//! It is always replaced as a whole, by a file that is written beside it and renamed, so that there is
//! one that can be read at any time. It names its test and its executable. The file of another test, or
//! of an executable that has been built anew since, is refused: a schedule of one means nothing to the
//! other.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::claim::Exceptions;
use crate::codec::{Wire, wire_struct};
use crate::config::Resolved;
use crate::strategy::{Limits, Strategy};
use crate::wire::{Counters, VERSION};

const MAGIC: u64 = u64::from_le_bytes(*b"cct-goon");
/// The version of the part that strategies write.
const FORMAT: u32 = 2;
/// How often the file is written, unless that takes long.
const EVERY: Duration = Duration::from_secs(10);
/// Writing takes no more than one part in so many of the time.
const SHARE: u32 = 20;

/// A search that can be resumed.
#[derive(Debug)]
pub(super) struct Resume {
    path: PathBuf,
    saved: Saved,
    /// The time of the next write, since the search began.
    due: Duration,
}

/// The contents of the file.
#[derive(Debug)]
struct Saved {
    magic: u64,
    wire: u32,
    format: u32,
    /// The test and the executable that it belongs to.
    test: String,
    executable: u64,
    /// The settings that schedules depend on, as lines.
    settings: String,
    seed: u64,
    /// Counts of the schedules that were made.
    limits: Limits,
    left_out: Exceptions,
    workers: u32,
    failed: u64,
    ended: u64,
    /// The strategy's own part.
    strategy: Vec<u8>,
}

wire_struct!(Saved {
    magic,
    wire,
    format,
    test,
    executable,
    settings,
    seed,
    limits,
    left_out,
    workers,
    failed,
    ended,
    strategy,
});

impl Resume {
    /// Reads the file, if there is one, takes over its seed, and has the strategy go on from there. Writes
    /// it in any case, so that one that cannot be written is known before anything is explored.
    pub(super) fn open(
        path: &str,
        test: &str,
        settings: &mut Resolved,
        strategies: &mut [(String, Box<dyn Strategy>)],
    ) -> Result<Resume, String> {
        let [(name, strategy)] = strategies else {
            return Err("only one strategy can be resumed, and several take turns".to_owned());
        };
        let Some(empty) = strategy.save() else {
            return Err(format!("strategy `{name}` cannot be resumed"));
        };
        let mut saved = Saved {
            magic: MAGIC,
            wire: VERSION,
            format: FORMAT,
            test: test.to_owned(),
            executable: executable()?,
            // The seed is taken over instead.
            settings: format!("strategy={name}\n{}", settings.deciding()),
            seed: settings.seed,
            limits: Limits::default(),
            left_out: Exceptions::NONE,
            workers: 0,
            failed: 0,
            ended: 0,
            strategy: empty,
        };
        let (path, name) = (Path::new(path), path);
        match plain(path) {
            Ok(bytes) => {
                let found = read(&bytes).and_then(|found| found.check(&saved).map(|()| found));
                let found = found.map_err(|why| format!("cannot resume from `{name}`: {why}"))?;
                if !strategy.resume(&found.strategy) {
                    return Err(format!("cannot resume from `{name}`: the file is damaged"));
                }
                settings.seed = found.seed;
                saved = found;
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("cannot read `{name}`: {error}")),
        }
        let mut resume = Resume {
            path: path.to_owned(),
            saved,
            due: EVERY,
        };
        resume.write()?;
        Ok(resume)
    }

    /// Returns everything besides the strategy that decided in the schedules of earlier processes.
    pub(super) fn limits(&self) -> Limits {
        self.saved.limits
    }

    /// Returns the exceptions of the schedules of earlier processes.
    pub(super) fn left_out(&self) -> Exceptions {
        self.saved.left_out
    }

    /// Returns the most workers of a schedule of earlier processes.
    pub(super) fn workers(&self) -> u32 {
        self.saved.workers
    }

    /// Returns how many schedules of earlier processes failed.
    pub(super) fn failed(&self) -> u64 {
        self.saved.failed
    }

    /// Returns how many schedules of earlier processes came to an end.
    pub(super) fn ended(&self) -> u64 {
        self.saved.ended
    }

    /// True if it is time to write the file again, this long after the search began.
    pub(super) fn is_due(&self, elapsed: Duration) -> bool {
        elapsed >= self.due
    }

    /// Writes what the strategy knows now. `failed` is the number of schedules that failed, in this process
    /// and before. An error leaves the file of before.
    pub(super) fn save(
        &mut self,
        strategy: &dyn Strategy,
        counters: &Counters,
        failed: u64,
    ) -> Result<(), String> {
        let Some(bytes) = strategy.save() else {
            return Ok(());
        };
        self.saved.strategy = bytes;
        self.saved.limits = counters.limits;
        self.saved.left_out = counters.left_out;
        self.saved.workers = counters.workers;
        self.saved.failed = failed;
        self.saved.ended = counters.ended();
        self.write()
    }

    /// Sets the time of the next write: the more was `spent` on this one, the later.
    pub(super) fn put_off(&mut self, elapsed: Duration, spent: Duration) {
        self.due = elapsed + EVERY.max(spent * SHARE);
    }

    fn write(&mut self) -> Result<(), String> {
        let mut bytes = self.saved.to_bytes();
        hash(&bytes).put(&mut bytes);
        let mut beside = self.path.clone().into_os_string();
        beside.push(format!(".{}", std::process::id()));
        let beside = PathBuf::from(beside);
        let written = fs::File::create(&beside)
            .and_then(|mut file| file.write_all(&bytes).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&beside, &self.path));
        written.map_err(|error| {
            // A part of the file is of no use to anybody.
            let _ = fs::remove_file(&beside);
            format!("cannot write `{}`: {error}", self.path.display())
        })
    }
}

impl Saved {
    /// Checks that it belongs to the search that is about to begin.
    fn check(&self, now: &Saved) -> Result<(), String> {
        if self.test != now.test {
            return Err(format!("it belongs to test `{}`", self.test));
        }
        if self.executable != now.executable {
            return Err("the test has been built anew since it was written".to_owned());
        }
        let mut both = self.settings.lines().zip(now.settings.lines());
        match both.find(|(then, now)| then != now) {
            Some((then, now)) => Err(format!("it was written with `{then}`, not `{now}`")),
            None => Ok(()),
        }
    }
}

/// Reads a plain file. A named pipe would be waited for, and a device may have no end.
fn plain(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no plain file"));
    }
    fs::read(path)
}

fn read(bytes: &[u8]) -> Result<Saved, String> {
    let foreign = || "that is not a file of ours".to_owned();
    let (mut head, body) = (bytes, bytes.split_last_chunk::<8>());
    if u64::take(&mut head) != Some(MAGIC) {
        return Err(foreign());
    }
    if u32::take(&mut head) != Some(VERSION) || u32::take(&mut head) != Some(FORMAT) {
        return Err("it is of another version of cargo-cct".to_owned());
    }
    let damaged = || "the file is damaged".to_owned();
    let (body, sum) = body.ok_or_else(damaged)?;
    if hash(body) != u64::from_le_bytes(*sum) {
        return Err(damaged());
    }
    Saved::from_bytes(body).ok_or_else(damaged)
}

/// Returns a number that tells this executable from others.
fn executable() -> Result<u64, String> {
    let bytes = fs::read("/proc/self/exe");
    let bytes = bytes.map_err(|error| format!("cannot read the test executable: {error}"))?;
    Ok(hash(&bytes))
}

fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, word: u64| {
        (hash ^ word)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29)
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(bytes.len() as u64, |hash, &word| {
        step(hash, u64::from_le_bytes(word))
    });
    rest.iter()
        .fold(hash, |hash, &byte| step(hash, byte.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;
    use crate::strategy::Spec;

    /// An empty folder for the test of this name.
    fn folder(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("cct-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).expect("a folder");
        folder
    }

    fn open(path: &Path, test: &str, strategy: &str, max_steps: u32) -> Result<u64, String> {
        let settings = Settings {
            seed: Some(5),
            max_steps: Some(max_steps),
            ..Settings::default()
        };
        let mut settings = settings.resolve();
        let mut strategies = Spec::parse(strategy).expect("a strategy").build();
        let path = path.to_str().expect("a path in Unicode");
        Resume::open(path, test, &mut settings, &mut strategies)?;
        Ok(settings.seed)
    }

    #[test]
    fn contents_are_read_back() {
        crate::fuzz::law::<Saved>();
    }

    #[test]
    fn a_file_is_made_and_read_again() {
        let folder = folder("made");
        let path = folder.join("file");
        assert_eq!(open(&path, "a", "dfs", 9), Ok(5));
        assert_eq!(open(&path, "a", "dfs", 9), Ok(5));
        // Nothing is left beside it.
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 1);
        fs::remove_dir_all(&folder).expect("removable");
    }

    #[test]
    fn a_file_of_another_search_is_refused_with_the_reason() {
        let folder = folder("refused");
        let path = folder.join("file");
        open(&path, "a", "dfs", 9).expect("a new file");
        let refused = |test, strategy, steps, why: &str| {
            let error = open(&path, test, strategy, steps).expect_err("refused");
            assert!(error.contains(why), "{error}");
        };
        refused("b", "dfs", 9, "belongs to test `a`");
        refused(
            "a",
            "preemption:2",
            9,
            "`strategy=dfs`, not `strategy=preemption:2`",
        );
        refused("a", "dfs", 8, "`max_steps=9`, not `max_steps=8`");
        refused("a", "random", 9, "`random` cannot be resumed");
        refused("a", "dfs,preemption", 9, "only one strategy");

        let whole = fs::read(&path).expect("it is there");
        let mut bytes = whole.clone();
        bytes[60] ^= 1;
        fs::write(&path, &bytes).expect("writable");
        refused("a", "dfs", 9, "damaged");
        fs::write(&path, &whole[..whole.len() - 3]).expect("writable");
        refused("a", "dfs", 9, "damaged");
        bytes[8] += 1;
        fs::write(&path, &bytes).expect("writable");
        refused("a", "dfs", 9, "another version");
        fs::write(&path, "something else").expect("writable");
        refused("a", "dfs", 9, "not a file of ours");
        fs::remove_dir_all(&folder).expect("removable");
    }

    #[test]
    fn a_failed_write_is_told_and_leaves_the_file_of_before() {
        let folder = folder("unwritable");
        let path = folder.join("none").join("file");
        let error = open(&path, "a", "dfs", 9).expect_err("no such folder");
        assert!(error.contains("cannot write"), "{error}");

        let mut strategies = Spec::parse("dfs").expect("a strategy").build();
        let mut settings = Settings::default().resolve();
        let path = folder.join("file");
        let text = path.to_str().expect("a path in Unicode");
        let mut resume = Resume::open(text, "a", &mut settings, &mut strategies).expect("new");
        let before = fs::read(&path).expect("it is there");
        // The device that is always full.
        let beside = folder.join(format!("file.{}", std::process::id()));
        std::os::unix::fs::symlink("/dev/full", &beside).expect("a link");
        let strategy = &*strategies[0].1;
        let error = resume
            .save(strategy, &Counters::default(), 1)
            .expect_err("full");
        assert!(error.contains("cannot write"), "{error}");
        assert_eq!(fs::read(&path).expect("it is there"), before);
        resume
            .save(strategy, &Counters::default(), 1)
            .expect("room again");
        assert_ne!(fs::read(&path).expect("it is there"), before);
        fs::remove_dir_all(&folder).expect("removable");
    }
}
