//! From a data race to what it leads to: the test is explored again, with the race's own accesses as
//! scheduling points.
//!
//! A program without races behaves the same however its plain accesses are interleaved, so none of them is a
//! step otherwise. Where two accesses race, what comes of it depends on just that.

use std::io;
use std::time::Duration;

use cct::config::Settings;
use cct::trace::Site;
use cct::verdict::{AccessWay, BugKind, Race, RacyAccess};

use super::confirm::repeat;
use super::explore::Explorer;
use super::finding::{Finding, Repeats};
use super::process::Launch;
use super::spread::spread;

/// How long is looked for a failure, at most.
const TIME: Duration = Duration::from_secs(2);

/// The failure that a race leads to, as far as that was looked for.
#[derive(Clone, Debug)]
pub(crate) struct LeadsTo {
    /// The lines whose accesses were scheduling points, as `--points` takes them.
    pub points: Vec<String>,
    /// How many schedules were made.
    pub schedules: u64,
    /// The failure.
    pub finding: Option<Finding>,
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
        let overrides = Settings {
            races: Some(false),
            time: Some(launch.overrides.time.map_or(time, |all| all.min(time))),
            points: Some(points.clone()),
            resume: None,
            ..launch.overrides.clone()
        };
        let launch = Launch {
            overrides: &overrides,
            ..launch.clone()
        };
        let (scratch, stop) = (self.scratch, &self.stop);
        let explored = spread(&launch, 1, hang_timeout, scratch, stop, |_| {})?;
        let mut leads_to = LeadsTo {
            points,
            schedules: explored.counters.schedules,
            finding: None,
        };
        let found = explored
            .found
            .filter(|found| found.bug.kind != BugKind::Silence);
        if let Some(found) = found {
            let settings = (overrides.clone(), launch.defaults.clone());
            leads_to.schedules = found.iteration;
            let mut finding = Finding::new(found, explored.printed, settings);
            let schedule = finding.schedule.clone();
            finding.judge(repeat(&launch, &schedule, hang_timeout, scratch, stop)?);
            leads_to.finding = Some(finding).filter(|finding| finding.repeats == Repeats::Yes);
        }
        Ok(Some(leads_to))
    }
}

/// The lines of the race's plain accesses.
fn points(found: &Finding) -> Vec<String> {
    let race = found.bug.as_ref().filter(|bug| bug.kind == BugKind::Race);
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
