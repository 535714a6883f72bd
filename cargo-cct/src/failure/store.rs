//! The folder of failures: one folder for each bug, named by its id.
//!
//! ```text
//! <target>/cct/failures/7f3k-q2/
//!   trace.json    everything, versioned; what `replay` and `show` read
//!   report.txt    the report as it was on the terminal, all steps
//!   report.json   the same for programs
//!   timeline.html the same as a picture
//!   log.jsonl     what actors did, if there are any
//!   output.txt    what the failing schedule printed
//!   as-found/     the same files as they were first, if a shorter schedule was found since
//! ```
//!
//! Several runs may write at a time: who changes something holds the lock of the whole folder.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

use cct::verdict::Bug;
use cct::wire;
use serde::Deserialize;
use serde_json::Value;

use super::class::Class;
use super::history::History;
use super::id::Id;
use super::merge::{Stays, merge};
use super::record::Record;
use super::seal;
use super::stranger::{self, Stranger};
use crate::build::owned::{self, How, Use};
use crate::plain_file;
use crate::run::TestName;

/// How often the lock of failures is tried once the user wants an end, some 200 ms each time.
const INTERRUPTED: u32 = 10;

/// The files of a failure; the one that makes it a failure comes last.
pub(super) const FILES: [&str; 6] = [
    "timeline.html",
    "log.jsonl",
    "output.txt",
    "report.json",
    "report.txt",
    "trace.json",
];
/// The folder with the same files as they were first.
pub(super) const AS_FOUND: &str = "as-found";

/// The folder of failures.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(super) folder: PathBuf,
}

/// The parts of a record that tell which bug it is; the rest is passed over.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Head {
    version: u32,
    /// Its id.
    pub id: Id,
    binary: String,
    test: String,
    bug: Option<Bug>,
    /// The data race that leads to it.
    #[serde(default)]
    pub led_by: Option<Id>,
    #[serde(default)]
    history: History,
}

impl Head {
    /// The test.
    pub(crate) fn name(&self) -> TestName {
        TestName {
            binary: self.binary.clone(),
            test: self.test.clone(),
        }
    }

    /// When it was seen last, in seconds since the Unix epoch.
    pub(crate) fn last(&self) -> u64 {
        self.history.last()
    }

    /// True if its schedule led to it when it was tried last.
    pub(crate) fn fails(&self) -> bool {
        self.bug.is_some() && self.history.gone_in.is_none()
    }

    /// True if a bug of this class is this one.
    fn is_of(&self, class: &Class, root: &Path) -> bool {
        match &self.bug {
            Some(bug) if self.history.class.is_unknown() => Class::of(bug, root) == *class,
            bug => bug.is_some() && self.history.class == *class,
        }
    }
}

/// Why a failure cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    /// There is none.
    #[error("no failure has been found yet: `{0}` has none")]
    Empty(PathBuf),
    /// There is no such one.
    #[error("no failure `{name}`: neither an id in `{folder}` nor a path")]
    Missing {
        /// The id that was asked for.
        name: String,
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// Its files cannot be read or written.
    #[error("cannot access `{0}`")]
    Access(PathBuf, #[source] io::Error),
    /// The file is cut off.
    #[error("`{0}` ends too early: it was cut off while it was written or copied")]
    Truncated(PathBuf),
    /// The file is not as it was written: what it says is not what happened.
    #[error("`{0}` was changed after cargo-cct wrote it: run `cargo cct test` again")]
    Changed(PathBuf),
    /// The file is something else.
    #[error("`{0}` is no failure that cargo-cct wrote")]
    Foreign(PathBuf),
    /// Something in the file is not understood.
    #[error("`{0}` has entries that this cargo-cct does not know: use the version that wrote it")]
    Unknown(PathBuf, #[source] serde_json::Error),
    /// Its parts do not belong together.
    #[error("`{0}` was changed: {1}")]
    Stranger(PathBuf, Stranger),
    /// The file was written by another version.
    #[error(
        "`{path}` has version {found}, but this cargo-cct {tool} reads version {known}: \
         run `cargo cct test` again, or use the version that wrote it"
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
        /// The version this tool reads.
        known: u32,
        /// The version of this tool.
        tool: &'static str,
    },
}

impl Store {
    /// The failures in this folder, which need not exist.
    pub(crate) fn new(folder: PathBuf) -> Store {
        Store { folder }
    }

    /// Where a failure's files are.
    pub(crate) fn folder_of(&self, id: &Id) -> PathBuf {
        self.folder.join(id.to_string())
    }

    /// Waits until nobody else changes anything, and keeps others from it.
    pub(crate) fn lock(&self) -> Result<Use, StoreError> {
        let path = self.folder.join(".lock");
        let failed = |error| StoreError::Access(path.clone(), error);
        // Failures may be kept elsewhere, with a link to there.
        if !self.folder.is_dir() {
            plain_file::folder(&self.folder).map_err(failed)?;
        }
        // It is never held for long, so that nothing is said of a wait. A finding is kept also after
        // ctrl-C, if somebody else is done in a moment.
        let mut locked = owned::lock_file(&path, How::Alone, &|| ());
        for _ in 0..INTERRUPTED {
            let is_interrupted = |error: &io::Error| error.kind() == io::ErrorKind::Interrupted;
            if !locked.as_ref().is_err_and(is_interrupted) {
                break;
            }
            locked = owned::lock_file(&path, How::Alone, &|| ());
        }
        locked.map_err(failed)
    }

    /// The bugs, latest first, as far as they can be read.
    pub(crate) fn heads(&self) -> Vec<Head> {
        let files = self.files().unwrap_or_default().into_iter();
        let heads = files.filter_map(|(_, file)| {
            let text = plain_file::read(&file).ok()?;
            let head: Head = serde_json::from_slice(&text).ok()?;
            (head.version == wire::VERSION && !seal::is_broken(&text)).then_some(head)
        });
        heads.collect()
    }

    /// The bug of this class, if there is one on record: one that is gone only if there is no other.
    pub(crate) fn known(&self, name: &TestName, class: &Class, root: &Path) -> Option<Id> {
        let mut heads = self.heads();
        heads.retain(|head| head.name() == *name && head.is_of(class, root));
        let first = heads.iter().position(Head::fails).unwrap_or(0);
        heads.into_iter().nth(first).map(|head| head.id)
    }

    /// Reads the failure of this id, if there is one.
    pub(crate) fn of_id(&self, id: &Id) -> Option<Record> {
        read_file(&self.folder_of(id).join("trace.json")).ok()
    }

    /// When the failure of this id was written.
    pub(crate) fn time_of(&self, id: &Id) -> Option<SystemTime> {
        let file = self.folder_of(id).join("trace.json");
        fs::metadata(file).ok()?.modified().ok()
    }

    /// Has it been written then: failures are told latest first.
    pub(crate) fn set_time(&self, id: &Id, when: SystemTime) {
        let file = File::options()
            .write(true)
            .open(self.folder_of(id).join("trace.json"));
        // In vain where files have no times: then the order is another one.
        let _ = file.and_then(|file| file.set_modified(when));
    }

    /// Writes a failure, its report as text and as JSON, and the log of its actors, if it has any.
    pub(crate) fn write(
        &self,
        record: &Record,
        (text, json): (&str, &Value),
        log: Option<&str>,
    ) -> Result<PathBuf, StoreError> {
        let folder = self.folder_of(&record.id);
        let failed = |error| StoreError::Access(folder.clone(), error);
        plain_file::folder(&folder).map_err(failed)?;
        let put = |name: &str, bytes: &[u8]| {
            plain_file::put(&folder.join(name), |path| fs::write(path, bytes))
        };
        let trace = seal::sealed(record).map_err(failed)?;
        put("trace.json", &trace).map_err(failed)?;
        put("report.txt", text.as_bytes()).map_err(failed)?;
        put("report.json", format!("{json:#}\n").as_bytes()).map_err(failed)?;
        put("output.txt", record.printed.as_bytes()).map_err(failed)?;
        if let Some(log) = log {
            put("log.jsonl", log.as_bytes()).map_err(failed)?;
        }
        Ok(folder)
    }

    /// Takes in the bugs of another folder, which need not exist; to do so again changes nothing. Returns
    /// under which id each is known here; `leave_out` hears of what cannot be read.
    pub(crate) fn take_in(
        &self,
        other: &Store,
        leave_out: &mut dyn FnMut(StoreError),
    ) -> Result<Vec<(Id, Id)>, StoreError> {
        let mut ids = Vec::new();
        let is_same = fs::canonicalize(&other.folder).ok() == fs::canonicalize(&self.folder).ok();
        if is_same || !other.folder.is_dir() {
            return Ok(ids);
        }
        let _lock = self.lock()?;
        // A class that is not known yet is told by places, which are the same for all shards.
        let root = Path::new("");
        let (records, unread) = other.all()?;
        for record in records {
            let from = other.folder_of(&record.id);
            let name = record.id.clone();
            let known = self.known(&record.name, &record.history.class, root);
            let there = known.as_ref().and_then(|id| self.of_id(id));
            let (Some(id), Some(there)) = (known, there) else {
                self.copy_in(&from, &name, &record)?;
                ids.push((name.clone(), name));
                continue;
            };
            let (merged, stays) = merge(there, record);
            match stays {
                Stays::First => self.rewrite(&id, &merged)?,
                Stays::Second => {
                    let merged = Record {
                        id: id.clone(),
                        ..merged
                    };
                    self.copy_in(&from, &id, &merged)?;
                }
            }
            ids.push((name, id));
        }
        unread.into_iter().for_each(leave_out);
        Ok(ids)
    }

    /// Copies a failure's folder to be that of this id, with this record.
    fn copy_in(&self, from: &Path, id: &Id, record: &Record) -> Result<(), StoreError> {
        let to = self.folder_of(id);
        let failed = |error| StoreError::Access(to.clone(), error);
        copy_folder(from, &to).map_err(failed)?;
        self.rewrite(id, record)
    }

    /// Writes a record alone, if it is another one than that which is there.
    fn rewrite(&self, id: &Id, record: &Record) -> Result<(), StoreError> {
        let path = self.own_folder_of(id)?.join("trace.json");
        let failed = |error| StoreError::Access(path.clone(), error);
        let text = seal::sealed(record).map_err(failed)?;
        if plain_file::read(&path).ok().as_ref() == Some(&text) {
            return Ok(());
        }
        plain_file::put(&path, |path| fs::write(path, text)).map_err(failed)
    }

    /// Copies a failure to beside what is going to be written in its place, unless an earlier one is there
    /// already. `replay` and `show` find it by its folder.
    pub(crate) fn set_aside(&self, id: &Id) -> Result<PathBuf, StoreError> {
        let folder = self.own_folder_of(id)?;
        let aside = folder.join(AS_FOUND);
        if !aside.join("trace.json").exists() {
            // Without the picture, which takes room and can be drawn again.
            let files = &FILES[1..];
            let copied = plain_file::folder(&aside).and_then(|()| copy(files, &folder, &aside));
            copied.map_err(|error| StoreError::Access(aside.clone(), error))?;
        }
        Ok(aside)
    }

    /// Has a failure's folder be a folder of the tool's, to be written to. A link is moved aside, and the
    /// files to which it leads are copied.
    fn own_folder_of(&self, id: &Id) -> Result<PathBuf, StoreError> {
        let folder = self.folder_of(id);
        let linked = folder.is_symlink().then(|| fs::canonicalize(&folder));
        let made = plain_file::folder(&folder).and_then(|()| match linked {
            Some(Ok(from)) => copy(&FILES, &from, &folder),
            _ => Ok(()),
        });
        made.map_err(|error| StoreError::Access(folder.clone(), error))?;
        Ok(folder)
    }

    /// Reads a failure by its id, its folder, its file, or as `latest`.
    pub(crate) fn read(&self, name: &str) -> Result<Record, StoreError> {
        read_file(&self.find(name)?)
    }

    /// All failures, latest first, and what could not be read.
    pub(crate) fn all(&self) -> Result<(Vec<Record>, Vec<StoreError>), StoreError> {
        let mut records = Vec::new();
        let mut errors = Vec::new();
        for (_, file) in self.files()? {
            match read_file(&file) {
                Ok(record) => records.push(record),
                Err(error) => errors.push(error),
            }
        }
        Ok((records, errors))
    }

    /// The file of a failure, by the same.
    pub(crate) fn find(&self, name: &str) -> Result<PathBuf, StoreError> {
        if name == "latest" {
            let latest = self.files()?.into_iter().next();
            return Ok(latest
                .ok_or_else(|| StoreError::Empty(self.folder.clone()))?
                .1);
        }
        let by_id = Id::parse(name).map(|id| self.folder_of(&id).join("trace.json"));
        let path = Path::new(name);
        let by_path = if path.is_dir() {
            path.join("trace.json")
        } else {
            path.to_owned()
        };
        let found = by_id
            .into_iter()
            .chain([by_path])
            .find(|path| path.symlink_metadata().is_ok());
        found.ok_or_else(|| StoreError::Missing {
            name: name.to_owned(),
            folder: self.folder.clone(),
        })
    }

    /// The files of all failures, latest first.
    pub(super) fn files(&self) -> Result<Vec<(SystemTime, PathBuf)>, StoreError> {
        let failed = |error| StoreError::Access(self.folder.clone(), error);
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if is_nothing(&error) => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let entry = entry.map_err(failed)?;
            if entry.file_name().to_str().is_some_and(plain_file::is_aside) {
                continue;
            }
            let file = entry.path().join("trace.json");
            // A link that leads nowhere is there, too, and so is what may not be looked at: both are told.
            let there = fs::metadata(&file).or_else(|_| fs::symlink_metadata(&file));
            match there.and_then(|it| it.modified()) {
                Ok(time) => files.push((time, file)),
                Err(error) if is_nothing(&error) => {}
                Err(_) => files.push((SystemTime::UNIX_EPOCH, file)),
            }
        }
        files.sort();
        files.reverse();
        Ok(files)
    }
}

/// True if there is no such file, or what stands in the place of its folder is none.
fn is_nothing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Copies the files of a failure that are there.
fn copy(files: &[&str], from: &Path, to: &Path) -> io::Result<()> {
    for &name in files {
        match plain_file::copy(&from.join(name), &to.join(name)) {
            // Only the last one is in each.
            Err(error) if name != "trace.json" && error.kind() == io::ErrorKind::NotFound => {}
            copied => copied?,
        }
    }
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    plain_file::folder(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else {
            plain_file::copy(&entry.path(), &to)?;
        }
    }
    Ok(())
}

fn read_file(path: &Path) -> Result<Record, StoreError> {
    let text = plain_file::read(path);
    let text = text.map_err(|error| StoreError::Access(path.to_owned(), error))?;
    parse(path, &text)
}

fn parse(path: &Path, text: &[u8]) -> Result<Record, StoreError> {
    let foreign = || StoreError::Foreign(path.to_owned());
    let value: Value = serde_json::from_slice(text).map_err(|error| {
        let starts_well =
            text.starts_with(format!("{{\"format\":\"{}\"", Record::FORMAT).as_bytes());
        if error.is_eof() && (starts_well || text.is_empty()) {
            StoreError::Truncated(path.to_owned())
        } else {
            foreign()
        }
    })?;
    if value.get("format").and_then(Value::as_str) != Some(Record::FORMAT) {
        return Err(foreign());
    }
    let found = value
        .get("version")
        .and_then(Value::as_u64)
        .ok_or_else(foreign)?;
    if found != u64::from(wire::VERSION) {
        return Err(StoreError::Version {
            path: path.to_owned(),
            found,
            known: wire::VERSION,
            tool: env!("CARGO_PKG_VERSION"),
        });
    }
    let record: Record = serde_json::from_value(value)
        .map_err(|error| StoreError::Unknown(path.to_owned(), error))?;
    let trace = record.trace.as_ref();
    if let Some(stranger) = trace.and_then(|trace| stranger::find(trace, record.bug.as_ref())) {
        return Err(StoreError::Stranger(path.to_owned(), stranger));
    }
    // Everything else that may be wrong with it says more.
    if seal::is_broken(text) {
        return Err(StoreError::Changed(path.to_owned()));
    }
    Ok(record.complete())
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::any;
    use proptest::sample::Index;
    use proptest::{prop_assert, proptest};

    use cct::trace::{Trace, WorkerKind};

    use super::*;
    use crate::fuzz;
    use crate::sample;

    fn kind(text: &str) -> &'static str {
        match parse(Path::new("x"), text.as_bytes()) {
            Ok(_) => "read",
            Err(StoreError::Truncated(_)) => "truncated",
            Err(StoreError::Foreign(_)) => "foreign",
            Err(StoreError::Unknown(..)) => "unknown",
            Err(StoreError::Changed(_)) => "changed",
            Err(StoreError::Stranger(..)) => "stranger",
            Err(StoreError::Version { .. }) => "version",
            Err(_) => "other",
        }
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told() {
        assert_eq!(kind(""), "truncated");
        assert_eq!(
            kind("{\"format\":\"cargo-cct failure\",\"version\":1,\"id\":\"7f"),
            "truncated"
        );
        assert_eq!(kind("{\"a\": 1"), "foreign");
        assert_eq!(kind("not json"), "foreign");
        assert_eq!(
            kind("{\"format\":\"cargo-cct failure\",\"version\":0}"),
            "version"
        );
        let this = wire::VERSION;
        assert_eq!(
            kind(&format!(
                "{{\"format\":\"cargo-cct failure\",\"version\":{this}}}"
            )),
            "unknown"
        );
    }

    /// A table of workers would have as many places as a number says that nobody has looked at.
    #[test]
    fn a_worker_that_is_not_there_is_told() {
        use cct::operation::Operation;

        let steps = [0, 1].map(|worker| sample::step(worker, Operation::Load, "a.rs"));
        let record = |trace: &Trace| {
            let record = sample::record(trace, "lost");
            let mut value = serde_json::to_value(record).expect("a record is JSON");
            value["format"] = Record::FORMAT.into();
            value["version"] = wire::VERSION.into();
            kind(&value.to_string())
        };
        let mut trace = sample::trace(&steps);
        assert_eq!(record(&trace), "read");
        trace.steps[1].worker = u32::MAX;
        assert_eq!(record(&trace), "stranger");
        trace.steps[1].worker = 1;
        trace.workers[1].kind = WorkerKind::Root(2);
        assert_eq!(record(&trace), "stranger");
    }

    #[test]
    fn what_is_not_there_is_told() {
        let store = Store::new(PathBuf::from("/nowhere"));
        assert!(matches!(store.read("latest"), Err(StoreError::Empty(_))));
        assert!(matches!(
            store.read("7f3k-q2"),
            Err(StoreError::Missing { .. })
        ));
    }

    /// A link that leads to itself is as good as a folder that nobody may look into.
    #[test]
    fn that_failures_cannot_be_looked_at_is_told() {
        let folder = std::env::temp_dir().join(format!("cct-unseen.{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let looped = |path: &Path| std::os::unix::fs::symlink(path, path).expect("a link");
        let store = Store::new(folder.join("failures"));
        looped(&store.folder);
        let is_told = |read: Result<_, StoreError>| matches!(read, Err(StoreError::Access(..)));
        assert!(is_told(store.all().map(drop)) && is_told(store.read("latest").map(drop)));
        fs::remove_file(&store.folder).expect("a link");
        fs::create_dir(&store.folder).expect("a folder");
        looped(&store.folder.join("2222-22"));
        // Another one was moved aside, and is none.
        looped(&store.folder.join("2222-22.aside"));
        fs::create_dir(store.folder.join("3333-33")).expect("a folder");
        let (records, errors) = store.all().expect("a folder");
        assert!(records.is_empty() && errors.len() == 1, "{errors:?}");
        assert!(is_told(store.read("latest").map(drop)));
        fs::remove_dir_all(&folder).expect("it is ours");
    }

    /// The tool writes to a folder of its own; where a link leads to, all stays.
    #[test]
    fn a_failure_that_is_a_link_is_copied_before_it_is_changed() {
        let folder = std::env::temp_dir().join(format!("cct-own.{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let (store, mine) = (Store::new(folder.join("failures")), folder.join("mine"));
        let record = sample::full_record();
        let ours = store.folder_of(&record.id);
        let change = |change: &dyn Fn()| {
            let _ = fs::remove_dir_all(&folder);
            store
                .write(&record, ("report", &Value::Null), None)
                .expect("it can be written");
            fs::rename(&ours, &mine).expect("it is there");
            fs::write(mine.join("notes"), "mine").expect("a file");
            std::os::unix::fs::symlink(&mine, &ours).expect("a link");
            let before = sorted(&mine);
            change();
            assert_eq!(sorted(&mine), before);
            assert!(!ours.is_symlink() && ours.with_extension("aside").is_symlink());
        };
        change(&|| {
            let aside = store.set_aside(&record.id).expect("it can be copied");
            assert_eq!(sorted(&aside).len(), 4);
        });
        change(&|| {
            let other = Record {
                printed: "more".to_owned(),
                ..record.clone()
            };
            store
                .rewrite(&record.id, &other)
                .expect("it can be written");
            assert_eq!(store.of_id(&record.id).expect("a failure").printed, "more");
        });
        // One that lacks is no reason to give up the others.
        fs::remove_file(ours.join("report.txt")).expect("it is there");
        let aside = store.set_aside(&record.id).expect("it can be copied");
        assert_eq!(sorted(&aside).len(), 3);
        fs::remove_dir_all(&folder).expect("it is ours");
    }

    fn sorted(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        let files = entries.map(|entry| entry.path());
        let mut files: Vec<_> = files
            .map(|file| (file.clone(), fs::read(file).expect("a file")))
            .collect();
        files.sort();
        files
    }

    /// Fields that have been added to records since mean the same in old ones.
    #[test]
    fn records_from_before_there_were_tasks_are_read() {
        use cct::trace::{Step, WorkerInfo};
        use cct::verdict::Wait;

        let worker: WorkerInfo = read(r#"{"name":null,"spawned_at":null}"#);
        assert_eq!(worker.kind, WorkerKind::Thread);
        let step: Step = read(
            r#"{"worker":1,"operation":"Join","object":null,"site":0,"outcome":"done","read":null,
                "written":null,"contested":true}"#,
        );
        assert_eq!((step.note, step.thread), (false, None));
        let wait: Wait = read(
            r#"{"worker":1,"operation":"Join","address":8,"object":null,"holder":null,"spins":false,
                "in_cycle":false,"site":{"file":"a.rs","line":1,"column":1}}"#,
        );
        assert_eq!(wait.task, None);
    }

    /// Kinds are added in the middle of the list: codes would be others then.
    #[test]
    fn operations_have_names() {
        use cct::operation::Operation;
        use cct::trace::Step;

        let step = |name: &str| {
            let fields = r#""object":null,"site":0,"outcome":"done","read":null,"written":null"#;
            format!("{{\"worker\":1,\"operation\":\"{name}\",{fields},\"choice_point\":true}}")
        };
        for &operation in Operation::ALL {
            let text = step(operation.key());
            let read: Step = read(&text);
            assert_eq!(read.operation, operation as u8);
            let written = serde_json::to_string(&read).expect("numbers and names");
            let name = format!("\"operation\":\"{}\"", operation.key());
            assert!(written.contains(&name), "{written}");
        }
        let unknown = serde_json::from_str::<Step>(&step("Fly"));
        let error = unknown.expect_err("no such operation");
        assert!(error.to_string().contains("`Fly`"), "{error}");
    }

    fn read<T: serde::de::DeserializeOwned>(text: &str) -> T {
        serde_json::from_str(text).expect("it was written so")
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        /// Damage is told by the seal; with another seal, all that can be read can be shown.
        #[test]
        fn a_record_in_disorder_is_shown_or_refused(
            changes in fuzz::changes(),
            at in any::<Index>(),
            by in 1..=255_u8,
        ) {
            let whole = serde_json::to_value(sample::full_record()).expect("a record is JSON");
            let text = serde_json::to_vec(&fuzz::changed(whole, &changes)).expect("it is JSON");
            let length = text.len();
            let mut sealed = seal::with_seal(text);
            match parse(Path::new("x"), &sealed) {
                Ok(record) => {
                    prop_assert!(Id::parse(&record.id.to_string()).is_some());
                    show(&record);
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
            let at = at.index(sealed.len());
            sealed[at] ^= by;
            // Without its seal it still says the same.
            prop_assert!(at >= length - 1 || parse(Path::new("x"), &sealed).is_err());
        }
    }

    /// Shows it in all the ways there are.
    pub(in super::super) fn show(record: &Record) {
        use crate::report::{Detail, Layout, Report, chrome_trace, log, timeline};

        let report = Report::of(record, Path::new("/nowhere"));
        for detail in [Detail::Around, Detail::Full] {
            report.text(&Layout::FILE, detail);
        }
        report.json();
        timeline(&report, None);
        chrome_trace(&report);
        record.trace.as_ref().and_then(log);
    }
}
