//! A failure that comes up inside a dependency is told as if that were the user's own code: the reader asks
//! which of its steps led to the failure.

use std::collections::BTreeMap;

use cct::trace::{Site, Trace, WorkerKind};
use cct::verdict::{Bug, BugKind};

use super::names::{self, Names};
use super::origin::Origin;
use super::source::Source;
use crate::failure::Record;

/// The record with the steps of the dependency at its own lines, whose paths are short; the paths in full by
/// these; and the calls in the user's code that the steps come of.
pub(super) struct Inside {
    pub(super) record: Record,
    pub(super) files: BTreeMap<String, String>,
    pub(super) calls: BTreeMap<usize, String>,
}

impl Inside {
    /// Looks into the dependency, if the failure comes up in one whose operations are steps, and no executor
    /// has its part in the schedule.
    pub(super) fn of(record: &Record, names: &Names) -> Option<Inside> {
        let (bug, trace) = (record.bug.as_ref()?, record.trace.as_ref()?);
        let dependency = dependency(bug, trace)?;
        // Of a call that is one step, only the first operation is known.
        if trace.schedule.coarse
            || !(trace.workers.iter()).all(|worker| worker.kind == WorkerKind::Thread)
        {
            return None;
        }
        let is_inside = |site: &Site| Origin::of(site) == Origin::Crate(dependency.clone());
        let mut inside = Inside {
            record: record.clone(),
            files: BTreeMap::new(),
            calls: BTreeMap::new(),
        };
        let shown = inside.record.trace.as_mut()?;
        for (index, step) in shown.steps.iter_mut().enumerate() {
            if names::site(trace, step).is_some_and(is_inside) {
                let call = names.call(step).map(str::to_owned);
                inside.calls.extend(call.map(|call| (index, call)));
                step.caller = None;
            }
        }
        let bug = inside.record.bug.as_mut()?;
        for site in shown.sites.iter_mut().chain(bug.site.as_mut()) {
            if is_inside(site) {
                let short = short_path(&site.file).to_owned();
                let full = std::mem::replace(&mut site.file, short.clone());
                inside.files.insert(short, full);
            }
        }
        Some(inside)
    }

    /// The source that finds the files by their short paths.
    pub(super) fn source(&self, source: &Source) -> Source {
        Source::new(source.root())
            .with(source.named())
            .with_files(self.files.clone())
    }
}

/// The dependency in which the failure comes up.
fn dependency(bug: &Bug, trace: &Trace) -> Option<String> {
    let of_crate = |site: &Site| match Origin::of(site) {
        Origin::Crate(name) => Some(name),
        Origin::User | Origin::Std => None,
    };
    let is_misuse = matches!(
        bug.kind,
        BugKind::BadMemory | BugKind::Abort | BugKind::Signal
    );
    // Of these the site may be that of the call.
    let last = || {
        let mut own = trace.steps.iter().rev();
        let last = own.find(|step| !step.note && Some(step.worker) == bug.worker)?;
        of_crate(names::site(trace, last)?)
    };
    let by_site = bug.site.as_ref().and_then(of_crate);
    by_site.or_else(|| is_misuse.then(last)?)
}

/// A path in a package from a registry or a repository, without the folders above the package's.
pub(super) fn short_path(file: &str) -> &str {
    let package = |rest: &'_ str| rest.split_once('/').map_or(0, |(above, _)| above.len() + 1);
    for above in ["/registry/src/", "/git/checkouts/"] {
        if let Some((_, rest)) = file.split_once(above) {
            return &rest[package(rest)..];
        }
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_named_by_their_folder() {
        let registry =
            "/home/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/spin-0.9.7/src/once.rs";
        assert_eq!(short_path(registry), "spin-0.9.7/src/once.rs");
        assert_eq!(
            short_path("/r/git/checkouts/spin-1f/a0b/src/once.rs"),
            "a0b/src/once.rs"
        );
        assert_eq!(short_path("src/lib.rs"), "src/lib.rs");
    }
}
