//! All that is known about a failure, as it is written to `trace.json`.

use std::collections::BTreeSet;
use std::path::Path;

use cct::codec::Wire as _;
use cct::config::Settings;
use cct::origin::{self, Table};
use cct::trace::{Schedule, Site, Trace};
use cct::verdict::{Bug, RacyAccess};
use cct::wire::{self, Certain, Panic};
use serde::{Deserialize, Serialize};

use super::class::Class;
use super::history::{History, Sighting};
use super::id::Id;
use super::landmark::Landmark;
use super::leads_to::LeadsTo;
use super::place::Sources;
use crate::build::chosen::Chosen;
use crate::run::{Finding, Repeats, Shrinking, TestName};

/// A failure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Always [`Record::FORMAT`].
    pub format: String,
    /// The version of everything in here, [`wire::VERSION`].
    pub version: u32,
    /// Its id.
    pub id: Id,
    /// How it is known again, and when it was seen.
    #[serde(default)]
    pub history: History,
    /// Where it comes from.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// The test.
    #[serde(flatten)]
    pub name: TestName,
    /// The iteration it was found in, from 1.
    pub iteration: u64,
    /// The bug; none when the schedule was saved for its own sake.
    pub bug: Option<Bug>,
    /// Whether it repeats.
    #[serde(flatten)]
    pub repeats: Repeats,
    /// The files that schedules of the test have both changed and depended on.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub shared_files: BTreeSet<String>,
    /// Set once it was tried to shrink it.
    #[serde(default)]
    pub shrinking: Option<Shrinking>,
    /// From where on it is certain, if that was found out of this schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certain: Option<Certain>,
    /// The failure that it leads to, for a data race.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leads_to: Option<LeadsTo>,
    /// The data race that leads to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub led_by: Option<Id>,
    /// Panics of workers that nobody noticed.
    pub unobserved_panics: Vec<Panic>,
    /// Settings above the test's attribute, as `key=value` lines.
    pub overrides: String,
    /// Settings below it.
    pub defaults: String,
    /// The schedule that leads to it.
    pub schedule: Schedule,
    /// The trace; missing when the process did not survive.
    pub trace: Option<Trace>,
    /// The output of the failing schedule.
    pub printed: String,
    /// The sites of the user's files, to be found again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub landmarks: Vec<Landmark>,
}

/// Where a failure comes from, and how to build its executable again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Provenance {
    /// The version of the tool.
    pub tool: String,
    /// The compiler.
    pub rustc: String,
    /// The run's seed.
    pub run_seed: u64,
    /// The package.
    pub package: String,
    /// The kind of the target, as cargo calls it.
    pub kind: String,
    /// The target's name.
    pub target: String,
    /// The manifest, from the workspace's root.
    pub manifest: String,
    /// The folder that cargo ran in, from the workspace's root.
    pub folder: String,
    /// The executable, from the target folder.
    pub executable: String,
    /// The hash of its content.
    pub executable_hash: String,
    /// The arguments for cargo, so that it builds the same again.
    pub selection: Vec<String>,
    /// The packages that were rewritten.
    #[serde(default)]
    pub chosen: Chosen,
    /// The owners of source files, as far as the trace goes.
    #[serde(default)]
    pub origins: Table,
    /// When it was found, in seconds since the Unix epoch.
    pub found_at: u64,
}

impl Record {
    /// The text of [`Record::format`].
    pub(crate) const FORMAT: &str = "cargo-cct failure";

    /// Puts a finding on record, under the id that it has if its bug is a new one; sites are of files below
    /// `root`.
    pub(crate) fn new(
        provenance: Provenance,
        name: TestName,
        finding: &Finding,
        root: &Path,
    ) -> Record {
        let class = finding.bug.as_ref().map(|bug| Class::of(bug, root));
        let what = match &class {
            Some(class) => serde_json::to_vec(class).expect("words are written"),
            // The clock at which the run began does not make it another schedule.
            None => Schedule {
                wall_clock: 0,
                ..finding.schedule.clone()
            }
            .to_bytes(),
        };
        let id = Id::of(&[name.to_string().as_bytes(), &what]);
        let sighting = Sighting {
            at: provenance.found_at,
            seed: provenance.run_seed,
            iteration: finding.iteration,
            strategy: finding.schedule.strategy.clone(),
        };
        let files: Vec<_> = sites_of(finding).map(|site| site.file.as_str()).collect();
        Record {
            format: Record::FORMAT.to_owned(),
            version: wire::VERSION,
            id,
            history: History::new(class.unwrap_or_default(), sighting),
            provenance: Provenance {
                origins: origin::needed_for(&files),
                ..provenance
            },
            name,
            iteration: finding.iteration,
            bug: finding.bug.clone(),
            repeats: finding.repeats.clone(),
            shared_files: finding.shared_files.clone(),
            shrinking: finding.shrinking.clone(),
            certain: finding.certain,
            leads_to: None,
            led_by: finding.led_by.clone(),
            unobserved_panics: finding.unobserved.clone(),
            overrides: finding.overrides.to_string(),
            defaults: finding.defaults.to_string(),
            schedule: finding.schedule.clone(),
            trace: finding.trace.clone(),
            printed: finding.printed.clone(),
            landmarks: landmarks(finding, root),
        }
    }
}

impl Record {
    /// Adds what records do not say from before they had histories.
    #[must_use]
    pub(super) fn complete(mut self) -> Record {
        if self.history.sightings.is_empty() {
            let sighting = Sighting {
                at: self.provenance.found_at,
                seed: self.provenance.run_seed,
                iteration: self.iteration,
                strategy: self.schedule.strategy.clone(),
            };
            self.history = History::new(self.history.class, sighting);
        }
        self
    }

    /// True if it was found by a search whose schedules had processes of their own as those of this finding's
    /// search had, or had not: a search begins anew when that changes.
    pub(crate) fn is_of_search_of(&self, finding: &Finding) -> bool {
        let before = Settings::parse(&self.overrides).unwrap_or_default();
        before.isolation == finding.overrides.isolation
    }

    /// The finding that is on record, with the settings that it was found with.
    pub(crate) fn finding(&self, overrides: Settings, defaults: Settings) -> Finding {
        Finding {
            iteration: self.iteration,
            bug: self.bug.clone(),
            schedule: self.schedule.clone(),
            trace: self.trace.clone(),
            repeats: self.repeats.clone(),
            shrinking: self.shrinking.clone(),
            certain: self.certain,
            leads_to: None,
            led_by: self.led_by.clone(),
            unobserved: self.unobserved_panics.clone(),
            shared_files: self.shared_files.clone(),
            printed: self.printed.clone(),
            known: None,
            overrides,
            defaults,
        }
    }
}

/// The sites of the finding that may be elsewhere when the code is edited.
fn landmarks(finding: &Finding, root: &Path) -> Vec<Landmark> {
    let mut sources = Sources::new(root);
    let sites: BTreeSet<&Site> = sites_of(finding).collect();
    let landmarks = sites.into_iter();
    landmarks
        .filter_map(|site| Landmark::of(site, &mut sources))
        .collect()
}

/// All places that a report of the finding may speak of.
fn sites_of(finding: &Finding) -> impl Iterator<Item = &Site> {
    let of_trace = finding.trace.iter().flat_map(|trace| {
        let spawned = trace
            .workers
            .iter()
            .filter_map(|info| info.spawned_at.as_ref());
        let calls = trace.backtraces.iter().flat_map(|stack| &stack.calls);
        let awaits = trace.awaits.iter().flat_map(|awaits| &awaits.points);
        let sites = trace.sites.iter().chain(spawned);
        let sites = sites.chain(calls.filter_map(|call| call.site.as_ref()));
        sites.chain(awaits.map(|point| &point.site))
    });
    let of_bug = finding.bug.iter().flat_map(|bug| {
        let waits = bug.waits.iter();
        let waits = waits.flat_map(|wait| [&wait.site].into_iter().chain(&wait.caller));
        let led_to = bug.led_to.iter().filter_map(|then| then.site.as_ref());
        let races = bug.race.iter().flat_map(|race| race.accesses());
        let races = races.flat_map(RacyAccess::sites);
        bug.site.iter().chain(waits).chain(led_to).chain(races)
    });
    let of_panics = finding.unobserved.iter();
    let of_panics = of_panics.filter_map(|panic| panic.site.as_ref());
    of_trace.chain(of_bug).chain(of_panics)
}
