//! Failures that are known, by whose schedules a test is tried before it is explored.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use cct::config::{Memory, Settings};

use super::relative;
use super::replay::{Judged, Way, again};
use crate::build::cargo::Executable;
use crate::build::code::Code;
use crate::build::workspace::Workspace;
use crate::failure::{Id, Kept, Record, Store, build_of};
use crate::report::{Replay, remark_line, warning_word};
use crate::run::{
    Finding, First, KnownFailure, Launch, Plan, Repeats, Scratch, Stop, TestName, Tried, TriedEnd,
    TriedOf, plan,
};

/// The schedules that are tried first in a run.
#[derive(Debug)]
pub(super) struct Known<'a> {
    store: Store,
    /// Where the sources are.
    root: &'a Path,
    /// The failures of each test, those seen last first.
    failures: BTreeMap<TestName, Vec<Id>>,
    /// The files of each test, and their records.
    kept: BTreeMap<TestName, Vec<KeptHere>>,
    /// The features and the profile of this build.
    build: Vec<String>,
    /// The tests that failed when they were tried last, and when that was.
    failing: BTreeMap<TestName, u64>,
    /// Settings above the tests' attributes.
    overrides: &'a Settings,
    scratch: &'a Scratch,
    stop: &'a Stop,
}

/// A file of the user's with the schedule of a test.
#[derive(Debug)]
struct KeptHere {
    /// Its path from the workspace's root.
    file: String,
    record: Record,
    /// It was kept with the features and the profile of this build.
    is_of_this_build: bool,
}

impl<'a> Known<'a> {
    /// The failures on record, whose sources are below `root`; none is tried if `are_tried` is false. The
    /// selection has the arguments for cargo.
    pub(super) fn new(
        (store, root, selection): (Store, &'a Path, &[String]),
        are_tried: bool,
        overrides: &'a Settings,
        scratch: &'a Scratch,
        stop: &'a Stop,
    ) -> Known<'a> {
        let mut known = Known {
            store,
            root,
            failures: BTreeMap::new(),
            failing: BTreeMap::new(),
            kept: BTreeMap::new(),
            build: build_of(selection),
            overrides,
            scratch,
            stop,
        };
        let mut heads = if are_tried {
            known.store.heads()
        } else {
            Vec::new()
        };
        heads.sort_by_key(|head| Reverse(head.last()));
        // The race is told, with what it leads to.
        let ids: BTreeSet<Id> = heads.iter().map(|head| head.id.clone()).collect();
        heads.retain(|head| head.led_by.as_ref().is_none_or(|race| !ids.contains(race)));
        for head in heads {
            let last = known.failing.entry(head.name()).or_default();
            if head.fails() {
                *last = head.last().max(*last);
            }
            known.failures.entry(head.name()).or_default().push(head.id);
        }
        known
    }

    /// Adds what is kept in the packages of these executables; returns what is wrong with files.
    pub(super) fn add_kept(
        &mut self,
        executables: &[Executable],
        workspace: &Workspace,
    ) -> Vec<anyhow::Error> {
        let mut errors = Vec::new();
        let folders: BTreeSet<&PathBuf> = executables.iter().map(|one| &one.folder).collect();
        for folder in folders {
            let own: Vec<_> = executables
                .iter()
                .filter(|one| one.folder == *folder)
                .collect();
            for (path, kept) in Kept::all(folder) {
                if let Err(error) = kept
                    .map_err(Into::into)
                    .and_then(|kept| self.add(&kept, &path, &own, workspace))
                {
                    errors.push(error);
                }
            }
        }
        errors
    }

    /// The same of one test, which the executable has.
    pub(super) fn add_kept_of(
        &mut self,
        executable: &Executable,
        test: &str,
        workspace: &Workspace,
    ) -> Vec<anyhow::Error> {
        let mut errors = Vec::new();
        for (path, kept) in Kept::all(&executable.folder) {
            let is_its = |kept: &Kept| {
                let target = (&*kept.kind, &*kept.target, &*kept.test);
                target == (&*executable.kind, &*executable.target, test)
            };
            let added = match kept {
                Ok(kept) if is_its(&kept) => self.insert(&kept, &path, executable, workspace),
                Ok(_) => Ok(()),
                Err(error) => Err(error.into()),
            };
            errors.extend(added.err());
        }
        errors
    }

    /// Adds a file to what is kept of its test, if that is among these.
    fn add(
        &mut self,
        kept: &Kept,
        path: &Path,
        executables: &[&Executable],
        workspace: &Workspace,
    ) -> anyhow::Result<()> {
        let is_its = |one: &&&Executable| one.kind == kept.kind && one.target == kept.target;
        let file = relative(path, &workspace.root);
        let Some(executable) = executables.iter().find(is_its) else {
            let folder = executables.first().map(|one| one.folder.as_path());
            let (kind, target) = (&kept.kind, &kept.target);
            anyhow::ensure!(
                folder.is_none_or(|folder| workspace.may_have(folder, kind, target)),
                "`{file}` keeps a schedule of the target `{target}` ({kind}), which its package does not \
                 have: remove the file, or change `kind` and `target` in it"
            );
            // It was not built this time.
            return Ok(());
        };
        let (test, binary) = (&kept.test, &executable.label);
        let is_there = plan::names(executable, &[])?.contains(test);
        let is_of_this_build = kept.build == self.build;
        if !is_there && !is_of_this_build {
            let build = kept.build.join(" ");
            crate::report::remark_line!(
                "{}: `{file}` keeps a schedule of `{test}`, which is not in this build: it was kept {}",
                warning_word(),
                if build.is_empty() {
                    "without features or a profile".to_owned()
                } else {
                    format!("with `{build}`")
                }
            );
            return Ok(());
        }
        anyhow::ensure!(
            is_there,
            "`{file}` keeps a schedule of `{test}`, which is no test of `{binary}`: remove the file, or \
             change the name in it"
        );
        self.insert(kept, path, executable, workspace)
    }

    fn insert(
        &mut self,
        kept: &Kept,
        path: &Path,
        executable: &Executable,
        workspace: &Workspace,
    ) -> anyhow::Result<()> {
        let name = TestName {
            binary: executable.label.clone(),
            test: kept.test.clone(),
        };
        let record = kept.record(path, &name)?;
        let is_of_this_build = kept.build == self.build && self.sees(&record);
        self.kept.entry(name).or_default().push(KeptHere {
            file: relative(path, &workspace.root),
            record,
            is_of_this_build,
        });
        Ok(())
    }

    /// Puts tests first that failed last, and leaves the order of the rest.
    pub(super) fn order(&self, plan: &mut Plan, executables: &[Executable]) {
        plan.jobs.sort_by_cached_key(|job| {
            let name = TestName {
                binary: executables[job.executable].label.clone(),
                test: job.test().unwrap_or_default().to_owned(),
            };
            Reverse(self.failing.get(&name).copied().unwrap_or_default())
        });
    }

    /// True if this build shows all accesses to memory that the failure was found with, and memory may be as
    /// weak.
    fn sees(&self, record: &Record) -> bool {
        let settings = Settings::parse(&record.overrides).unwrap_or_default();
        let own = self.overrides.clone().resolve();
        let is_weak = own.memory != Memory::Sc;
        Code::wanted(&settings.resolve()) <= Code::wanted(&own)
            && (is_weak || record.schedule.staleness == 0)
    }

    /// Tries a failure on record; none if that would tell nothing new.
    fn try_known(&self, id: &Id, executable: &Executable) -> io::Result<Option<Tried>> {
        let Some(record) = self.store.of_id(id) else {
            // Removed meanwhile.
            return Ok(None);
        };
        let is_of_this_build =
            build_of(&record.provenance.selection) == self.build && self.sees(&record);
        if record.repeats != Repeats::Yes || record.bug.is_none() || !is_of_this_build {
            return Ok(None);
        }
        let hash = executable.hash()?;
        if record.history.gone_in.as_deref() == Some(hash) {
            return Ok(None);
        }
        let changed = hash != record.provenance.executable_hash;
        let end = self.follow(&record, executable, changed);
        Ok(end.map(|end| Tried {
            origin: TriedOf::Known {
                id: id.clone(),
                executable: hash.to_owned(),
                was_gone: record.history.gone_in.is_some(),
            },
            end,
        }))
    }

    /// Follows the schedule on record; none if the user wanted everything to end.
    fn follow(&self, record: &Record, executable: &Executable, changed: bool) -> Option<TriedEnd> {
        let parsed = (
            Settings::parse(&record.overrides),
            Settings::parse(&record.defaults),
        );
        let (Ok(overrides), Ok(defaults)) = parsed else {
            return Some(TriedEnd::Leaves("its settings are not known".to_owned()));
        };
        // A file has no settings of manifests: they are as they are now.
        let is_kept = record.provenance.executable_hash.is_empty();
        let defaults = if is_kept {
            executable.config.clone()
        } else {
            defaults
        };
        let test = &record.name.test;
        let launch = Launch::exploring(executable, test, (&overrides, &defaults));
        let settings = self
            .overrides
            .clone()
            .over(executable.config_of(&record.name.test));
        let way = Way {
            changed: changed.then_some(self.root),
            tolerant: false,
            timeout: settings.hang_timeout(),
        };
        let judged = match again(&launch, record, way, self.scratch, self.stop) {
            Ok(judged) => judged,
            // The machine's fault: it says nothing about the failure.
            Err(error) => {
                let (word, id) = (warning_word(), &record.id);
                remark_line!("{word}: the failure {id} could not be tried: {error:#}");
                return None;
            }
        };
        let Judged {
            replay,
            record,
            found,
            ..
        } = judged;
        let reason = match replay {
            // Nobody has told it to stop before a step.
            Replay::Stopped | Replay::StoppedBefore(_) => return None,
            Replay::Passes(_) => return Some(TriedEnd::Passes),
            Replay::Reproduced(_) => {
                let finding = Finding {
                    iteration: 0,
                    known: Some(KnownFailure {
                        id: record.id.clone(),
                        is_kept,
                    }),
                    ..record.finding(overrides, defaults)
                };
                return Some(TriedEnd::Fails(Box::new(finding)));
            }
            Replay::Unfinished => "it is cut off before it fails or ends".to_owned(),
            Replay::FailsOtherwise(message) => message,
            Replay::Diverged(difference) | Replay::Followed(difference, _) => {
                let (expected, found) = (difference.expected.trim(), difference.found.trim());
                format!("expected {expected}, found {found}")
            }
        };
        let Some((bug, schedule)) = found else {
            return Some(TriedEnd::Leaves(reason));
        };
        let finding = Finding {
            iteration: 0,
            bug: Some(bug),
            schedule,
            trace: None,
            repeats: Repeats::Unknown,
            shrinking: None,
            certain: None,
            leads_to: None,
            led_by: None,
            unobserved: Vec::new(),
            shared_files: BTreeSet::new(),
            ..record.finding(overrides, defaults)
        };
        Some(TriedEnd::FailsOtherwise(Box::new(finding)))
    }
}

impl First for Known<'_> {
    fn run(&self, executable: &Executable, name: &TestName) -> io::Result<Vec<Tried>> {
        let mut tried = Vec::new();
        for kept in self.kept.get(name).into_iter().flatten() {
            let (file, record) = (&kept.file, &kept.record);
            if self.stop.is_set() {
                break;
            }
            // Another machine built it, from another version.
            let end = self.follow(record, executable, true);
            let fails =
                |end: &TriedEnd| matches!(end, TriedEnd::Fails(_) | TriedEnd::FailsOtherwise(_));
            // With other features it need not fit.
            let end = end.filter(|end| kept.is_of_this_build || fails(end));
            let (id, file) = (record.id.clone(), file.clone());
            let origin = TriedOf::Kept { id, file };
            tried.extend(end.map(|end| Tried { origin, end }));
            if tried.last().is_some_and(|tried| tried.finding().is_some()) {
                return Ok(tried);
            }
        }
        for id in self.failures.get(name).into_iter().flatten() {
            if self.stop.is_set() {
                break;
            }
            tried.extend(self.try_known(id, executable)?);
            if tried.last().is_some_and(|tried| tried.finding().is_some()) {
                break;
            }
        }
        Ok(tried)
    }
}
