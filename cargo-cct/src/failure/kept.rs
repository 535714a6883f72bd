//! A failure that the user keeps: its schedule in words, in a file that is meant to be committed.
//!
//! ```text
//! <package>/cct-regressions/<test>.toml, <test>.2.toml, …
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use cct::config::{Settings, TABLE};
use cct::verdict::{Bug, BugKind};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::build::build_of;
use super::id::Id;
use super::place::Sources;
use super::record::Record;
use super::steps::{Head, Steps};
use super::stranger;
use crate::plain_file;
use crate::run::{Repeats, TestName};

/// The folder of kept schedules, in a package's.
const FOLDER: &str = "cct-regressions";
/// The version of the files.
const FORMAT: u32 = 1;

/// A kept schedule, as it is written.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kept {
    format: u32,
    /// The id that the failure had.
    pub id: Id,
    /// The test's path in its executable.
    pub test: String,
    /// The kind of its target, as cargo calls it.
    pub kind: String,
    /// The name of its target.
    pub target: String,
    /// The features and the profile that it was built with, as cargo's arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub build: Vec<String>,
    failure: Failure,
    /// The settings of the command line that matter.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    settings: BTreeMap<String, String>,
    head: Head,
    steps: Steps,
}

/// The bug.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Failure {
    kind: BugKind,
    message: String,
    /// A number of a site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    worker: Option<u32>,
}

/// Why a file is of no use.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeptError {
    /// It cannot be read or written.
    #[error("cannot access `{0}`")]
    Access(PathBuf, #[source] io::Error),
    /// It is no such file, or it has been damaged.
    #[error("`{0}` is no kept schedule")]
    Parse(PathBuf, #[source] Box<toml::de::Error>),
    /// It cannot be written as TOML.
    #[error("`{0}` cannot be written")]
    Write(PathBuf, #[source] toml::ser::Error),
    /// It is of another version.
    #[error(
        "`{0}` has format {1}, and this cargo-cct reads format {FORMAT}: keep the failure again"
    )]
    Format(PathBuf, u32),
    /// Something in it makes no sense.
    #[error("`{0}` is damaged: {1}")]
    Entry(PathBuf, String),
    /// The failure is of no use to keep.
    #[error("`{0}` cannot be kept: {1}")]
    Useless(Id, &'static str),
}

impl Kept {
    /// The failure in words; `root` is where its sources are.
    pub(crate) fn new(record: &Record, root: &Path) -> Result<Kept, KeptError> {
        let useless = |why| KeptError::Useless(record.id.clone(), why);
        let bug = record.bug.as_ref();
        let bug = bug.ok_or_else(|| useless("it is a schedule without a failure"))?;
        let trace = record.trace.as_ref();
        let trace = trace.ok_or_else(|| useless("no process lived to tell its steps"))?;
        if record.repeats != Repeats::Yes {
            return Err(useless("it has not been repeated"));
        }
        let mut sites = trace.sites.clone();
        let at = bug.site.as_ref().map(|site| {
            let known = sites.iter().position(|known| known == site);
            known.unwrap_or_else(|| {
                sites.push(site.clone());
                sites.len() - 1
            })
        });
        let settings = Settings::parse(&record.overrides).unwrap_or_default();
        Ok(Kept {
            format: FORMAT,
            id: record.id.clone(),
            test: record.name.test.clone(),
            kind: record.provenance.kind.clone(),
            target: record.provenance.target.clone(),
            build: build_of(&record.provenance.selection),
            failure: Failure {
                kind: bug.kind,
                message: bug.message.clone(),
                at,
                worker: bug.worker,
            },
            settings: that_matter(&settings),
            head: Head::of(&record.schedule),
            steps: Steps::of(
                trace,
                &sites,
                &mut Sources::new(root),
                &record.provenance.origins,
            ),
        })
    }

    /// Writes it into the package's folder: in place of the same failure's file if there is one, and beside
    /// the files of others.
    pub(crate) fn write(&self, package: &Path) -> Result<PathBuf, KeptError> {
        let folder = package.join(FOLDER);
        let failed = |error| KeptError::Access(folder.clone(), error);
        fs::create_dir_all(&folder).map_err(failed)?;
        let stem = self.test.replace("::", ".");
        let names = (1..).map(|number| match number {
            1 => format!("{stem}.toml"),
            _ => format!("{stem}.{number}.toml"),
        });
        let mut paths = names.map(|name| folder.join(name));
        let is_ours = |path: &PathBuf| match Kept::read(path) {
            Ok(kept) => kept.id == self.id && kept.target == self.target,
            Err(_) => !path.exists(),
        };
        let path = paths.find(is_ours).expect("there is no end of numbers");
        let text =
            toml::to_string_pretty(self).map_err(|error| KeptError::Write(path.clone(), error))?;
        let text = format!("{}{text}", self.heading());
        plain_file::put(&path, |path| fs::write(path, text)).map_err(failed)?;
        Ok(path)
    }

    fn heading(&self) -> String {
        format!(
            "# A schedule by which `{}` failed, kept by `cargo cct keep {}`.\n\
             # `cargo cct test` follows it before it explores the test. Commit it with the test, and remove\n\
             # it when it does not fit any more.\n",
            self.test, self.id
        )
    }

    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Kept, KeptError> {
        let text = plain_file::read_to_string(path);
        let text = text.map_err(|error| KeptError::Access(path.to_owned(), error))?;
        Kept::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Kept, KeptError> {
        let parse = |error| KeptError::Parse(path.to_owned(), Box::new(error));
        let table: toml::Table = toml::from_str(text).map_err(parse)?;
        if let Some(format) = table.get("format").and_then(toml::Value::as_integer)
            && format != i64::from(FORMAT)
        {
            return Err(KeptError::Format(
                path.to_owned(),
                u32::try_from(format).unwrap_or(0),
            ));
        }
        toml::from_str(text).map_err(parse)
    }

    /// All files of a package, in the order of their names.
    pub(crate) fn all(package: &Path) -> Vec<(PathBuf, Result<Kept, KeptError>)> {
        let entries = fs::read_dir(package.join(FOLDER)).into_iter().flatten();
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths: Vec<PathBuf> = paths
            .filter(|path| path.extension().is_some_and(|end| end == "toml"))
            .collect();
        paths.sort();
        let read = |path: PathBuf| (path.clone(), Kept::read(&path));
        paths.into_iter().map(read).collect()
    }

    /// The record of the failure, as far as a replay needs it.
    pub(crate) fn record(&self, path: &Path, name: &TestName) -> Result<Record, KeptError> {
        let damaged = |why| KeptError::Entry(path.to_owned(), why);
        let mut trace = self.steps.trace().map_err(damaged)?;
        let schedule = self.head.schedule().map_err(damaged)?;
        if let Some(stranger) = stranger::find(&trace, None) {
            return Err(damaged(stranger.to_string()));
        }
        trace.schedule = schedule.clone();
        let failure = &self.failure;
        let site = failure.at.map(|at| {
            let site = trace.sites.get(at).cloned();
            site.ok_or_else(|| damaged(format!("there is no site {at}")))
        });
        let (kind, message) = (failure.kind, failure.message.clone());
        let bug = Bug::new(kind, message, site.transpose()?, failure.worker);
        let mut settings = Settings::default();
        for (key, value) in &self.settings {
            settings
                .set(key, value)
                .map_err(|error| damaged(error.to_string()))?;
        }
        let value = json!({
            "format": Record::FORMAT, "version": cct::wire::VERSION, "id": self.id,
            "tool": "", "rustc": "", "run_seed": 0, "package": "", "kind": self.kind,
            "target": self.target, "manifest": "", "folder": "", "executable": "", "executable_hash": "",
            "selection": [], "found_at": 0, "binary": name.binary, "test": name.test, "iteration": 0,
            "bug": bug, "repeats": "yes", "unobserved_panics": [],
            "overrides": settings.to_string(), "defaults": "",
            "schedule": schedule, "trace": trace, "printed": "", "landmarks": self.steps.landmarks(),
        });
        let record: Result<Record, _> = serde_json::from_value(value);
        record
            .map(Record::complete)
            .map_err(|error| damaged(error.to_string()))
    }
}

/// The settings by which the same choices lead elsewhere, or the same end is another verdict.
fn that_matter(settings: &Settings) -> BTreeMap<String, String> {
    let text = settings.to_string();
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    let matters = |key: &str| {
        let decides = TABLE.iter().any(|row| row.name == key && row.decides);
        decides || key == "fail_on_unobserved_panic"
    };
    let pairs = pairs.filter(|(key, _)| matters(key));
    pairs
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert, prop_assert_eq, proptest};

    use super::super::store::tests::show;
    use super::*;
    use crate::fuzz;
    use crate::sample;

    fn kept() -> Kept {
        Kept::new(&sample::full_record(), Path::new("/nowhere")).expect("it has all that is needed")
    }

    fn check(kept: &Kept) -> Result<(), String> {
        let path = Path::new("x");
        let name = TestName {
            binary: "b".to_owned(),
            test: kept.test.clone(),
        };
        match kept.record(path, &name) {
            Ok(record) => show(&record),
            Err(error) => return Err(error.to_string()),
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn a_kept_schedule_in_disorder_is_shown_or_refused(changes in fuzz::changes()) {
            let whole = serde_json::to_value(kept()).expect("words and numbers");
            let Ok(kept) = serde_json::from_value::<Kept>(fuzz::changed(whole, &changes)) else {
                return Ok(());
            };
            let text = toml::to_string_pretty(&kept).expect("words and numbers");
            // Numbers of TOML are smaller.
            let Ok(again) = Kept::parse(Path::new("x"), &text) else {
                return Ok(());
            };
            prop_assert_eq!(&again, &kept);
            if let Err(error) = check(&kept) {
                prop_assert!(error.starts_with("`x` is damaged: "), "{}", error);
            }
        }

        #[test]
        fn words_in_disorder_are_shown_or_refused(words in fuzz::texts(vec![
            "main: ", "w1: ", "Load", "Lock", "#0", "@0", "*3", ":waits", "~", " ", "a.rs:1:9", " | ",
            "thread", "root of ", "w1", "1.0",
        ]), at in 0..4_usize) {
            let mut whole = serde_json::to_value(kept()).expect("words and numbers");
            let places = ["/steps/turns", "/steps/sites", "/steps/workers", "/head/runs"];
            let place = whole.pointer_mut(places[at]).and_then(serde_json::Value::as_array_mut);
            place.expect("a list").push(words.into());
            let kept: Kept = serde_json::from_value(whole).expect("a text is a text");
            drop(check(&kept));
        }
    }

    #[test]
    fn a_kept_schedule_is_shown() {
        assert_eq!(check(&kept()), Ok(()));
    }

    /// A line of a few letters may stand for very much.
    #[test]
    fn a_schedule_longer_than_any_is_refused() {
        for (place, value) in [
            ("/steps/objects", json!(u32::MAX)),
            ("/steps/turns", json!(vec!["main: Load#0@0*1000000"; 1000])),
        ] {
            let mut whole = serde_json::to_value(kept()).expect("words and numbers");
            *whole.pointer_mut(place).expect("it is there") = value;
            let kept: Kept = serde_json::from_value(whole).expect("it is of the right type");
            assert!(check(&kept).is_err(), "{place}");
        }
    }
}
