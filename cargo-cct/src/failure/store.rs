//! The folder of failures: one folder each, named by its id.
//!
//! ```text
//! <target>/cct/failures/7f3k-q2/
//!   trace.json    everything, versioned; what `replay` and `show` read
//!   report.txt    the report as it was on the terminal, all steps
//!   report.json   the same for programs
//!   timeline.html the same as a picture
//!   output.txt    what the failing schedule printed
//!   as-found/     the same files from before it was shrunk, if it was
//! ```

use std::path::{Path, PathBuf};
use std::{fs, io, process};

use cct::wire;
use serde_json::Value;

use super::id::Id;
use super::record::Record;

/// The folder of failures.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    folder: PathBuf,
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
    /// The file is something else.
    #[error("`{0}` is no failure that cargo-cct wrote")]
    Foreign(PathBuf),
    /// Something in the file is not understood.
    #[error("`{0}` has entries that this cargo-cct does not know: use the version that wrote it")]
    Unknown(PathBuf, #[source] serde_json::Error),
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

    /// Writes a failure, and its report as text and as JSON.
    pub(crate) fn write(
        &self,
        record: &Record,
        text: &str,
        json: &Value,
    ) -> Result<PathBuf, StoreError> {
        let folder = self.folder_of(&record.id);
        let failed = |error| StoreError::Access(folder.clone(), error);
        fs::create_dir_all(&folder).map_err(failed)?;
        let put = |name: &str, bytes: &[u8]| {
            // A concurrent reader finds the old file or the new one.
            let staging = folder.join(format!("{name}.tmp-{}", process::id()));
            fs::write(&staging, bytes).and_then(|()| fs::rename(&staging, folder.join(name)))
        };
        let trace = serde_json::to_vec(record)
            .map_err(io::Error::from)
            .map_err(failed)?;
        put("trace.json", &trace).map_err(failed)?;
        put("report.txt", text.as_bytes()).map_err(failed)?;
        put("report.json", format!("{json:#}\n").as_bytes()).map_err(failed)?;
        put("output.txt", record.printed.as_bytes()).map_err(failed)?;
        Ok(folder)
    }

    /// Copies a failure to beside what is going to be written in its place. `replay` and `show` find it by
    /// its folder.
    pub(crate) fn set_aside(&self, id: &Id) -> Result<PathBuf, StoreError> {
        let folder = self.folder_of(id);
        let aside = folder.join("as-found");
        let failed = |error| StoreError::Access(aside.clone(), error);
        fs::create_dir_all(&aside).map_err(failed)?;
        // The one that makes it a failure comes last.
        for name in ["output.txt", "report.json", "report.txt", "trace.json"] {
            fs::copy(folder.join(name), aside.join(name)).map_err(failed)?;
        }
        Ok(aside)
    }

    /// Reads a failure by its id, its folder, its file, or as `latest`.
    pub(crate) fn read(&self, name: &str) -> Result<Record, StoreError> {
        read_file(&self.find(name)?)
    }

    /// All failures, latest first, and what could not be read.
    pub(crate) fn all(&self) -> (Vec<Record>, Vec<StoreError>) {
        let mut records = Vec::new();
        let mut errors = Vec::new();
        for (_, file) in self.files() {
            match read_file(&file) {
                Ok(record) => records.push(record),
                Err(error) => errors.push(error),
            }
        }
        (records, errors)
    }

    /// The file of a failure, by the same.
    pub(crate) fn find(&self, name: &str) -> Result<PathBuf, StoreError> {
        if name == "latest" {
            let latest = self.files().into_iter().next();
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
            .find(|path| path.is_file());
        found.ok_or_else(|| StoreError::Missing {
            name: name.to_owned(),
            folder: self.folder.clone(),
        })
    }

    /// The files of all failures, latest first.
    fn files(&self) -> Vec<(std::time::SystemTime, PathBuf)> {
        let entries = fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .filter_map(Result::ok);
        let mut files: Vec<_> = entries
            .filter_map(|entry| {
                let file = entry.path().join("trace.json");
                Some((fs::metadata(&file).ok()?.modified().ok()?, file))
            })
            .collect();
        files.sort();
        files.reverse();
        files
    }
}

fn read_file(path: &Path) -> Result<Record, StoreError> {
    let text = fs::read(path).map_err(|error| StoreError::Access(path.to_owned(), error))?;
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
    serde_json::from_value(value).map_err(|error| StoreError::Unknown(path.to_owned(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> &'static str {
        match parse(Path::new("x"), text.as_bytes()) {
            Ok(_) => "read",
            Err(StoreError::Truncated(_)) => "truncated",
            Err(StoreError::Foreign(_)) => "foreign",
            Err(StoreError::Unknown(..)) => "unknown",
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

    #[test]
    fn what_is_not_there_is_told() {
        let store = Store::new(PathBuf::from("/nowhere"));
        assert!(matches!(store.read("latest"), Err(StoreError::Empty(_))));
        assert!(matches!(
            store.read("7f3k-q2"),
            Err(StoreError::Missing { .. })
        ));
    }

    /// Fields that have been added to records since mean the same in old ones.
    #[test]
    fn records_from_before_there_were_tasks_are_read() {
        use cct::trace::{Step, WorkerInfo, WorkerKind};
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
}
