//! From a data race to what it leads to: the test is explored again, with the race's own accesses as
//! scheduling points.
//!
//! A program without races behaves the same however its plain accesses are interleaved, so none of them is a
//! step otherwise. Where two accesses race, what comes of it depends on just that.

use std::io;
use std::time::Duration;

use cct::config::Settings;
use cct::trace::Site;
use cct::verdict::{AccessWay, Bug, BugKind, Race, RacyAccess};

use super::confirm::{repeat, same_end};
use super::explore::Explorer;
use super::finding::{Finding, Repeats};
use super::process::Launch;
use super::spread::spread;

/// How long is looked for a failure, at most.
const TIME: Duration = Duration::from_secs(2);
/// So many schedules without these points are made at least, to see whether it comes without them.
const WITHOUT: u64 = 100;

/// The failure that a race leads to, as far as that was looked for.
#[derive(Clone, Debug)]
pub(crate) struct LeadsTo {
    /// The lines whose accesses were scheduling points, as `--points` takes them.
    pub points: Vec<String>,
    /// How many schedules were made.
    pub schedules: u64,
    /// The failure.
    pub finding: Option<Finding>,
    /// It comes without these points as well, in twice as many schedules: it is another bug, as far as that
    /// shows it.
    pub is_independent: bool,
}

impl Explorer<'_> {
    /// Looks for a failure that the race leads to. It is repeated, and not shrunk yet. None if the finding is
    /// no race of plain accesses, or there is no time.
    pub(super) fn leads_to(
        &self,
        launch: &Launch<'_>,
        found: &Finding,
        hang_timeout: Duration,
    ) -> io::Result<Option<LeadsTo>> {
        let points = points(found);
        let wanted = self
            .overrides
            .clone()
            .over(launch.executable.config.clone());
        let time = wanted.shrink().min(TIME);
        let is_whole = self.part.is_none() && found.repeats == Repeats::Yes;
        if points.is_empty() || time.is_zero() || !is_whole || self.stop.is_set() {
            return Ok(None);
        }
        let without = Settings {
            races: Some(false),
            time: Some(launch.overrides.time.map_or(time, |all| all.min(time))),
            points: Some(Vec::new()),
            resume: None,
            ..launch.overrides.clone()
        };
        let with = Settings {
            points: Some(points.clone()),
            ..without.clone()
        };
        let explore = |overrides: &Settings| {
            let launch = Launch {
                overrides,
                ..launch.clone()
            };
            spread(&launch, 1, hang_timeout, self.scratch, &self.stop, |_| {})
        };
        let explored = explore(&with)?;
        let mut leads_to = LeadsTo {
            points,
            schedules: explored.counters.schedules,
            finding: None,
            is_independent: false,
        };
        let found = explored
            .found
            .filter(|found| found.bug.kind != BugKind::Silence);
        if let Some(found) = found {
            leads_to.schedules = found.iteration;
            let settings = (with.clone(), launch.defaults.clone());
            let mut finding = Finding::new(found, explored.printed, settings);
            let (schedule, launch) = (finding.schedule.clone(), finding.launch(launch));
            finding.judge(repeat(
                &launch,
                &schedule,
                hang_timeout,
                self.scratch,
                &self.stop,
            )?);
            if finding.repeats == Repeats::Yes {
                let others = explore(&Settings {
                    iterations: Some((2 * leads_to.schedules).max(WITHOUT)),
                    ..without
                })?;
                let other = others.found.map(|found| found.bug);
                leads_to.is_independent = same_end(finding.bug.as_ref(), other.as_ref());
                leads_to.finding = Some(finding);
            }
        }
        Ok(Some(leads_to))
    }
}

/// The lines of the race's plain accesses, or of the calls.
fn points(found: &Finding) -> Vec<String> {
    let is_race = |bug: &&Bug| matches!(bug.kind, BugKind::Race | BugKind::Violation);
    let race = found.bug.as_ref().filter(is_race);
    let race = race.and_then(|bug| bug.race.as_deref());
    let accesses = race.into_iter().flat_map(Race::accesses);
    let is_plain = |access: &&RacyAccess| matches!(access.way, AccessWay::Read | AccessWay::Write);
    let sites = accesses
        .filter(is_plain)
        .filter_map(|access| access.site.as_ref());
    let mut points: Vec<String> = sites
        .map(|Site { file, line, .. }| format!("{file}:{line}"))
        .collect();
    points.dedup();
    points
}
