//! A failure that comes up inside a dependency, or comes of a call into one that is torn, is told as if
//! that were the user's own code: the reader asks which of its steps led to the failure.

use std::collections::BTreeMap;

use cct::operation::Operation;
use cct::trace::{Site, Step, Trace, WorkerKind};
use cct::verdict::{Bug, BugKind};

use super::names::{self, Names};
use super::origin::Origin;
use super::source::Source;
use super::torn::{self, Torn};
use crate::failure::Record;

/// The record with the steps of the dependency at its own lines, whose paths are short; the paths in full by
/// these; the calls in the user's code that the steps come of; and the call that is torn.
pub(super) struct Inside {
    pub(super) record: Record,
    pub(super) files: BTreeMap<String, String>,
    pub(super) calls: BTreeMap<usize, OuterCall>,
    pub(super) torn: Option<Torn>,
}

/// The call in the user's code that a step comes of which is shown at its own place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct OuterCall {
    /// The call, as far as its text is known.
    pub(super) text: Option<String>,
    /// Where it is.
    pub(super) site: Site,
}

/// A step in a dependency.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Within {
    /// The dependency that the user's code calls.
    pub(super) dependency: String,
    /// The innermost line of that, an index into the sites.
    pub(super) site: u32,
    /// The user's line that calls it.
    pub(super) caller: Option<u32>,
}

impl Inside {
    /// Looks into the dependency whose operations are steps, where no executor has its part in the schedule:
    /// the one in which the failure comes up, or else one that tore a call, if the user's own steps are
    /// `unexplained`.
    pub(super) fn of(
        record: &Record,
        names: &Names,
        failing: usize,
        unexplained: bool,
    ) -> Option<Inside> {
        let (bug, trace) = (record.bug.as_ref()?, record.trace.as_ref()?);
        // Of a call that is one step, only the first operation is known.
        if trace.schedule.coarse
            || !(trace.workers.iter()).all(|worker| worker.kind == WorkerKind::Thread)
        {
            return None;
        }
        let (dependency, torn) = match dependency(bug, trace) {
            Some(dependency) => (dependency, None),
            None if unexplained => {
                let (dependency, torn) = torn::of(trace, names, failing)?;
                (dependency, Some(torn))
            }
            None => return None,
        };
        let is_inside = |site: &Site| Origin::of(site) == Origin::Crate(dependency.clone());
        let mut inside = Inside {
            record: record.clone(),
            files: BTreeMap::new(),
            calls: BTreeMap::new(),
            torn,
        };
        let shown = inside.record.trace.as_mut()?;
        for (index, step) in shown.steps.iter_mut().enumerate() {
            let is_its_own = crate_of(trace, step).as_deref() == Some(&*dependency);
            let within = within(trace, step).filter(|within| within.dependency == dependency);
            let Some(line) = within
                .map(|within| within.site)
                .or(is_its_own.then_some(step.site))
            else {
                continue;
            };
            let call = names::caller(trace, step).map(|site| OuterCall {
                text: names.call(step).map(str::to_owned),
                site: site.clone(),
            });
            inside.calls.extend(call.map(|call| (index, call)));
            (step.site, step.caller) = (line, None);
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

/// The dependency that a step is in, unless the step is in the user's own code.
pub(super) fn within(trace: &Trace, step: &Step) -> Option<Within> {
    let path = step.path.and_then(|path| trace.paths.get(path as usize));
    let borrows = names::operation(step).is_some_and(Operation::borrows_site);
    let own = (!borrows).then_some(step.site);
    let lines = own.into_iter().chain(path.into_iter().flatten().copied());
    let owner = |line: u32| trace.sites.get(line as usize).map(Origin::of);
    let is_users = |line: u32| owner(line) == Some(Origin::User);
    let crates: Vec<(String, u32)> = lines
        .take_while(|&line| !is_users(line))
        .filter_map(|line| match owner(line)? {
            Origin::Crate(name) => Some((name, line)),
            Origin::User | Origin::Std => None,
        })
        .collect();
    let (dependency, _) = crates.last()?;
    let (_, site) = crates.iter().find(|(name, _)| name == dependency)?;
    Some(Within {
        dependency: dependency.clone(),
        site: *site,
        caller: step.caller,
    })
}

/// The crate that the step's own line is in.
pub(super) fn crate_of(trace: &Trace, step: &Step) -> Option<String> {
    match Origin::of(names::site(trace, step)?) {
        Origin::Crate(name) => Some(name),
        Origin::User | Origin::Std => None,
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
    // A worker that spins fails where it looks.
    let spins = || {
        let spinning = bug.waits.iter().filter(|wait| wait.spins);
        let mut found = spinning.filter_map(|wait| {
            let mut own = trace.steps.iter().rev();
            let look = own.find(|step| step.worker == wait.worker && step.read.is_some())?;
            Some(within(trace, look)?.dependency)
        });
        found.next()
    };
    let by_site = bug.site.as_ref().and_then(of_crate);
    by_site.or_else(|| is_misuse.then(last)?).or_else(spins)
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
