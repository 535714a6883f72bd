//! Writes what was found to disk, with all that is needed to find it again.

use std::io;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use cct::origin::Table;

use super::{lose, picture, relative};
use crate::build::cargo::Executable;
use crate::build::chosen::Chosen;
use crate::build::toolchain::Toolchain;
use crate::build::workspace::Workspace;
use crate::failure::{
    Id, LeadsTo, LedTo, Provenance, Record, Stays, Store, StoreError, build_of, merge, renew,
};
use crate::report::{Detail, Layout, Report, Stacks, log, remark_line, warning_word};
use crate::run::{self, Finding, Length, TestName, TestRun, TriedEnd, TriedOf};

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
    /// Puts a finding on record: once when it is found, and again when it was repeated or shrunk, in place of
    /// `before`. A bug that is on record already is seen once more, and its schedule stays if it is shorter.
    pub(super) fn keep(
        &self,
        name: TestName,
        executable: usize,
        finding: &Finding,
        before: Option<&Record>,
    ) -> io::Result<(Record, Report)> {
        let (store, root) = (&self.store, &self.workspace.root);
        let provenance = match before {
            Some(record) => record.provenance.clone(),
            None => self.provenance(&self.executables[executable])?,
        };
        let leads_to = match (&finding.leads_to, before) {
            (Some(leads_to), Some(race)) => {
                Some(self.keep_what_follows(&name, executable, leads_to, race)?)
            }
            _ => None,
        };
        let mut found = Record {
            leads_to,
            ..Record::new(provenance, name, finding, root)
        };
        let lock = store.lock();
        found.id = self.id_of(&found, finding, before);
        let there = store.of_id(&found.id);
        if let Some(there) = &there
            && there.provenance.executable_hash == found.provenance.executable_hash
        {
            found.leads_to = found.leads_to.or_else(|| there.leads_to.clone());
        }
        let is_on_record = finding.known.as_ref().is_some_and(|known| !known.is_kept);
        let is_same = |there: &Record| {
            // This run wrote it, or its schedule led here.
            let before = before.is_some_and(|before| before.schedule == there.schedule);
            before || is_on_record
        };
        let (kept, stays) = match there.clone() {
            None => (found.clone(), Stays::Second),
            Some(there) if is_same(&there) => (renew(there, found.clone()), Stays::Second),
            Some(there) => merge(there, found.clone()),
        };
        found.history.clone_from(&kept.history);
        let report = Report::of(&found, root).with_stacks(Stacks::of_environment());
        let is_other = |there: &Record| there.schedule != kept.schedule && !is_on_record;
        if stays == Stays::Second && there.as_ref().is_some_and(is_other) {
            warn(store.set_aside(&kept.id));
        }
        let report = match stays {
            Stays::First => {
                self.write(&kept, &Report::of(&kept, root));
                report
            }
            Stays::Second => {
                let report = picture::keep(store, &kept, report, self.workspace);
                self.write(&kept, &report);
                report
            }
        };
        warn(lock.map(|_| PathBuf::new()));
        Ok((found, report))
    }

    /// The id under which a finding is kept, whose own is that of `found`.
    fn id_of(&self, found: &Record, finding: &Finding, before: Option<&Record>) -> Id {
        let (store, root) = (&self.store, &self.workspace.root);
        let is_anothers = |id: &Id| {
            store
                .of_id(id)
                .is_some_and(|there| there.name != found.name)
        };
        let id = match (before, &finding.known) {
            // The repetition may put the bug in other words; the failure is the same.
            (Some(before), _) => before.id.clone(),
            (None, Some(known)) if !is_anothers(&known.id) => known.id.clone(),
            (None, _) if finding.bug.is_none() => found.id.clone(),
            (None, _) => {
                let known = store.known(&found.name, &found.history.class, root);
                known.unwrap_or_else(|| found.id.clone())
            }
        };
        // A file in `cct-regressions` may be a copy of this one, edited by hand for another test.
        if is_anothers(&id) {
            let TestName { binary, test } = &found.name;
            let id = id.to_string();
            return Id::of(&[id.as_bytes(), binary.as_bytes(), test.as_bytes()]);
        }
        id
    }

    /// Puts on record what this race leads to.
    fn keep_what_follows(
        &self,
        name: &TestName,
        executable: usize,
        leads_to: &run::LeadsTo,
        race: &Record,
    ) -> io::Result<LeadsTo> {
        let keep = |finding: &Finding| {
            let finding = Finding {
                led_by: (!leads_to.is_independent).then(|| race.id.clone()),
                ..finding.clone()
            };
            let (record, report) = self.keep(name.clone(), executable, &finding, None)?;
            Ok::<_, io::Error>(LedTo {
                id: record.id,
                status: report.label().to_owned(),
                headline: report.headline(),
                story: report.paragraph(),
            })
        };
        Ok(LeadsTo {
            points: leads_to.points.clone(),
            schedules: leads_to.schedules,
            failure: leads_to.finding.as_ref().map(keep).transpose()?,
            is_independent: leads_to.is_independent,
        })
    }

    /// The report of a failure that was found. Its id may lead to another schedule, which was on record.
    pub(super) fn told(&self, (found, report): (Record, Report)) -> (Record, Report) {
        let kept = self.store.of_id(&found.id);
        let other = kept.filter(|kept| kept.schedule != found.schedule);
        let length = other.and_then(|kept| kept.trace.as_ref().map(Length::of));
        (found, report.with_other(length))
    }

    /// A failure that is on record, and its report.
    pub(super) fn on_record(&self, id: &Id) -> Option<(Record, Report)> {
        let record = self.store.of_id(id)?;
        let report = Report::of(&record, &self.workspace.root);
        Some((record, report.with_stacks(Stacks::of_environment())))
    }

    /// Notes which failures' schedules have not led to them in this run.
    pub(super) fn mark_all_gone(&self, run: &TestRun) {
        for tried in &run.tried {
            if let TriedOf::Known { id, executable, .. } = &tried.origin
                && matches!(tried.end, TriedEnd::Passes | TriedEnd::Leaves(_))
            {
                self.mark_gone(id, executable);
            }
        }
    }

    /// Notes that a failure's schedule does not lead to it in the executable with this hash.
    fn mark_gone(&self, id: &Id, executable: &str) {
        let lock = self.store.lock();
        let record = self.store.of_id(id);
        // With other features it may fail as ever.
        let is_of_this =
            |record: &Record| build_of(&record.provenance.selection) == build_of(&self.selection);
        let record = record.filter(is_of_this);
        if let Some(mut record) = record {
            record.history.gone_in = Some(executable.to_owned());
            let report = Report::of(&record, &self.workspace.root);
            let when = self.store.time_of(id);
            self.write(&record, &report);
            // It was not seen: the latest failure is still the latest.
            if let Some(when) = when {
                self.store.set_time(id, when);
            }
        }
        warn(lock.map(|_| PathBuf::new()));
    }

    fn write(&self, record: &Record, report: &Report) {
        let text = report.text(&Layout::FILE, Detail::Full);
        let text = anstream::adapter::strip_str(&text).to_string();
        let log = record.trace.as_ref().and_then(log);
        let told = (&*text, &report.json());
        let write = || self.store.write(record, told, log.as_deref());
        // The trace is needed for a replay, and worth more than a picture.
        let written = write().or_else(|error| match picture::remove(&self.store, &record.id) {
            Ok(()) => write(),
            Err(_) => Err(error),
        });
        warn(written);
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
            executable_hash: executable.hash()?.to_owned(),
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
        remark_line!("{}: the failure cannot be replayed", warning_word());
        lose(&error);
    }
}
