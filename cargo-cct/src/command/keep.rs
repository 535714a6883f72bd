//! Writes what was found to disk, with all that is needed to find it again.

use std::error::Error as _;
use std::io;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use cct::origin::Table;

use super::{picture, relative};
use crate::build::cargo::Executable;
use crate::build::chosen::Chosen;
use crate::build::digest;
use crate::build::toolchain::Toolchain;
use crate::build::workspace::Workspace;
use crate::failure::{Provenance, Record, Store, StoreError};
use crate::report::{Detail, Layout, Report, warning_word};
use crate::run::{Finding, TestName};

/// The facts that all failures of a run have in common.
#[derive(Debug)]
pub(super) struct Keeper<'a> {
    /// Where the sources are.
    pub workspace: &'a Workspace,
    /// The toolchain of the build.
    pub toolchain: &'a Toolchain,
    /// The products of the build.
    pub executables: &'a [Executable],
    /// The arguments for cargo.
    pub selection: Vec<String>,
    /// The packages that were rewritten.
    pub chosen: &'a Chosen,
    /// Where failures go.
    pub store: Store,
    /// The run's seed.
    pub run_seed: u64,
}

impl Keeper<'_> {
    /// Writes a finding: once when it is found, and again when it was repeated, in place of `before`.
    pub(super) fn keep(
        &self,
        name: TestName,
        executable: usize,
        finding: &Finding,
        before: Option<&Record>,
    ) -> io::Result<(Record, Report)> {
        let provenance = match before {
            Some(record) => record.provenance.clone(),
            None => self.provenance(&self.executables[executable])?,
        };
        let mut record = Record::new(provenance, name, finding);
        if let Some(before) = before {
            if before.shrinking.is_none() && before.schedule != record.schedule {
                warn(self.store.set_aside(&before.id));
            }
            // The repetition may put the bug in other words; the failure is the same.
            record.id = before.id.clone();
        }
        let report = Report::of(&record, &self.workspace.root);
        let report = picture::keep(&self.store, &record, report, self.workspace);
        let text =
            anstream::adapter::strip_str(&report.text(&Layout::FILE, Detail::Full)).to_string();
        warn(self.store.write(&record, &text, &report.json()));
        Ok((record, report))
    }

    fn provenance(&self, executable: &Executable) -> io::Result<Provenance> {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Ok(Provenance {
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            rustc: self.toolchain.release().to_owned(),
            run_seed: self.run_seed,
            package: executable.package.clone(),
            kind: executable.kind.clone(),
            target: executable.target.clone(),
            manifest: relative(&self.workspace.manifest, &self.workspace.root),
            folder: relative(&self.workspace.folder, &self.workspace.root),
            executable: relative(&executable.path, &self.workspace.target),
            executable_hash: digest::of_file(&executable.path)?,
            selection: self.selection.clone(),
            chosen: self.chosen.clone(),
            origins: Table::default(),
            found_at: since.as_secs(),
        })
    }
}

/// A bug is told although it cannot be written: a full disk is no reason to lose it.
fn warn(written: Result<PathBuf, StoreError>) {
    if let Err(error) = written {
        let cause = error.source().map(ToString::to_string).unwrap_or_default();
        let word = warning_word();
        anstream::eprintln!("{word}: the failure cannot be replayed: {error}: {cause}");
    }
}
