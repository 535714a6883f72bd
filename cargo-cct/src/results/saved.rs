//! The results of a run's tests, shard by shard, and how they are added up.

use std::collections::{BTreeMap, BTreeSet};

use cct::claim::Exceptions;
use cct::wire::{Counters, Fingerprints};
use serde::{Deserialize, Serialize};

use crate::failure::Id;
use crate::run::{Claim, Outcome, TestName, TestRun};

/// The run that results are of. Only results of equal ones can be joined.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// The version of the tool.
    pub tool: String,
    /// Names the executables' content.
    pub executables: String,
    /// The run's seed.
    pub seed: u64,
    /// The settings that were typed, as lines.
    pub settings: String,
    /// How many shards there are.
    pub shards: u32,
    /// Tests are explored slice by slice, for a time that they share.
    pub is_campaign: bool,
}

impl Origin {
    /// How another one differs, in words.
    pub(crate) fn difference(&self, other: &Origin) -> Option<String> {
        let told = |what: &str, one: &dyn ToString, other: &dyn ToString| {
            let (one, other) = (one.to_string(), other.to_string());
            let quoted = |text: &str| format!("`{}`", text.trim_end().replace('\n', " "));
            (one != other).then(|| format!("{what} {}, not {}", quoted(&one), quoted(&other)))
        };
        let kind = |origin: &Origin| {
            if origin.is_campaign {
                "a campaign"
            } else {
                "a run"
            }
        };
        let short = |text: &str| text.chars().take(12).collect::<String>();
        told("version", &self.tool, &other.tool)
            .or_else(|| told("kind", &kind(self), &kind(other)))
            .or_else(|| told("shards", &self.shards, &other.shards))
            .or_else(|| told("seed", &self.seed, &other.seed))
            .or_else(|| told("settings", &self.settings, &other.settings))
            .or_else(|| {
                told(
                    "executables",
                    &short(&self.executables),
                    &short(&other.executables),
                )
            })
    }
}

/// How far a test is in one shard.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ending {
    /// There is more to explore.
    #[default]
    Open,
    /// All that was planned is explored.
    Passed,
    /// No schedule came to an end.
    Unfinished,
    /// It would not begin.
    Refused,
    /// It failed, and did not when its schedule was repeated.
    Flaky,
    /// It failed.
    Failed,
}

/// The results of one test in one shard.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Saved {
    /// How far it is.
    pub ending: Ending,
    /// The word for how it ended, as it was told.
    pub status: String,
    /// Why, where there is no failure to say so.
    pub reason: Option<String>,
    /// The sum of its counters; distinct ones are counted by fingerprints instead.
    pub counters: Counters,
    /// The claim that it allowed by itself.
    pub claim: Option<Claim>,
    /// Everything that a claim has to leave out.
    pub left_out: cct::claim::Exceptions,
    /// Its first schedule did not repeat.
    pub diverged: bool,
    /// It has not ended since its process said nothing for too long.
    pub silent: bool,
    /// Each schedule's fingerprint is kept.
    pub is_exact: bool,
    /// It ran as it is, once.
    pub is_native: bool,
    /// The iteration that comes next, from 1.
    pub next: u64,
    /// The failure, if it has one, and the iteration that it was found in.
    pub failure: Option<(Id, u64)>,
    /// The time that it took.
    pub seconds: f64,
    /// The slices that it was explored in, and what the last of them yielded for how long.
    pub slices: u64,
    /// See `run/allot.rs`.
    pub yielded: f64,
    /// Likewise.
    pub spent: f64,
}

/// The fingerprints of a test's schedules in all shards together.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Seen {
    /// Of schedules.
    pub schedules: BTreeSet<u64>,
    /// Of behaviours, each with the iteration that showed it first.
    pub behaviours: BTreeMap<u64, u64>,
}

/// The results of a run, or of some of its shards.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Results {
    /// The run.
    pub origin: Origin,
    /// Each test by its number of shard, from 0; a shard is in here as soon as it began.
    pub shards: BTreeMap<u32, BTreeMap<TestName, Saved>>,
    /// The shards that have come to their end.
    pub complete: BTreeSet<u32>,
    /// For how many seconds shards ran.
    pub elapsed: BTreeMap<u32, f64>,
    /// The tests' fingerprints.
    pub seen: BTreeMap<TestName, Seen>,
}

/// The most fingerprints of a test that are kept, of each kind.
const MOST: usize = 1 << 22;

impl Results {
    /// None so far.
    pub(crate) fn new(origin: Origin) -> Results {
        Results {
            origin,
            shards: BTreeMap::new(),
            complete: BTreeSet::new(),
            elapsed: BTreeMap::new(),
            seen: BTreeMap::new(),
        }
    }
}

impl Seen {
    /// Takes in what was told of more schedules; returns how many behaviours were new. False if not all are
    /// kept.
    pub(crate) fn add(&mut self, told: &Fingerprints) -> (usize, bool) {
        let before = self.behaviours.len();
        let behaviours = told
            .behaviours
            .iter()
            .copied()
            .zip(told.first.iter().copied());
        let is_kept = self.join(told.schedules.iter().copied(), behaviours);
        (self.behaviours.len() - before, is_kept && !told.is_partial)
    }

    /// Takes in others; false if there are too many to keep.
    pub(super) fn join(
        &mut self,
        schedules: impl Iterator<Item = u64>,
        behaviours: impl Iterator<Item = (u64, u64)>,
    ) -> bool {
        for schedule in schedules {
            if self.schedules.len() >= MOST && !self.schedules.contains(&schedule) {
                return false;
            }
            self.schedules.insert(schedule);
        }
        for (behaviour, first) in behaviours {
            if self.behaviours.len() >= MOST && !self.behaviours.contains_key(&behaviour) {
                return false;
            }
            let known = self.behaviours.entry(behaviour).or_insert(first);
            *known = first.min(*known);
        }
        true
    }
}

impl Default for Saved {
    /// A test that has not begun.
    fn default() -> Saved {
        Saved {
            ending: Ending::Open,
            status: String::new(),
            reason: None,
            counters: Counters::default(),
            claim: None,
            left_out: Exceptions::NONE,
            diverged: false,
            silent: false,
            is_exact: true,
            is_native: false,
            next: 1,
            failure: None,
            seconds: 0.0,
            slices: 0,
            yielded: 0.0,
            spent: 0.0,
        }
    }
}

impl Saved {
    /// Takes in a slice of the test, and what it has seen; returns how many behaviours were new.
    pub(crate) fn add(
        &mut self,
        run: &TestRun,
        failure: Option<Id>,
        seen: &mut Seen,
        origin: &Origin,
    ) -> usize {
        let mut fresh = 0;
        match &run.seen {
            Some(told) => {
                let (new, is_kept) = seen.add(told);
                fresh = new;
                self.is_exact &= is_kept;
                self.next = self.next.max(told.through.saturating_add(1));
            }
            // Its process died, and took them with it.
            None => self.is_exact &= run.started.is_none() || run.counters.schedules == 0,
        }
        self.counters = std::mem::take(&mut self.counters).and(run.counters.clone());
        self.counters.progress = run.counters.progress;
        self.claim = Claim::of(run);
        self.left_out = self.left_out.and(run.linked).and(run.counters.left_out);
        self.diverged |= run.diverged.is_some();
        self.silent |= run.silence.is_some();
        self.is_native = run.started.is_none();
        self.seconds += run.elapsed.as_secs_f64();
        self.slices += 1;
        let has_passed = run.has_passed(&self.counters);
        self.ending = ending(run, has_passed, origin, self.next);
        let passed = Outcome::Passed;
        let outcome = if has_passed { &passed } else { &run.outcome };
        crate::report::outcome_label(outcome).clone_into(&mut self.status);
        self.reason = crate::report::status_reason(run).filter(|_| !has_passed);
        if let Outcome::Failed(finding) = &run.outcome {
            self.failure = failure.map(|id| (id, finding.iteration));
        }
        fresh
    }
}

/// How far a test is after this slice, if it is one.
fn ending(run: &TestRun, has_passed: bool, origin: &Origin, next: u64) -> Ending {
    let counters = &run.counters;
    let is_campaign = origin.is_campaign;
    let planned = run.started.as_ref().map_or(0, |started| started.iterations);
    let planned = planned.saturating_mul(origin.shards.into());
    match &run.outcome {
        outcome if outcome.is_flaky() => Ending::Flaky,
        Outcome::Failed(_) | Outcome::FailedNatively(_) => Ending::Failed,
        Outcome::Refused(_) => Ending::Refused,
        Outcome::Stopped => Ending::Open,
        Outcome::Unfinished if !has_passed && (!is_campaign || run.silence.is_some()) => {
            Ending::Unfinished
        }
        Outcome::Unfinished | Outcome::Passed => {
            let is_through = counters.exhausted || counters.sequential || counters.limits.alone;
            let is_through = is_through || run.started.is_none() || next > planned;
            let is_empty = counters.schedules == 0;
            if !is_campaign || is_through || is_empty {
                if has_passed {
                    Ending::Passed
                } else {
                    Ending::Unfinished
                }
            } else {
                Ending::Open
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::join::Joined;
    use super::*;
    use crate::sample;

    /// A slice of ten schedules, none of which comes to an end if the outcome says so.
    fn slice(outcome: Outcome) -> TestRun {
        let is_cut = matches!(outcome, Outcome::Unfinished);
        let counters = Counters {
            schedules: 10,
            cut_offs: if is_cut { 10 } else { 0 },
            ..Counters::default()
        };
        let mut run = sample::run(counters, outcome);
        // It is never through.
        run.started.as_mut().expect("it was explored").iterations = u64::MAX;
        run
    }

    /// The slices of a campaign's test, added up.
    fn added(slices: impl IntoIterator<Item = TestRun>) -> Joined {
        let mut results = Results::new(Origin {
            tool: "1".to_owned(),
            executables: "e".to_owned(),
            seed: 1,
            settings: String::new(),
            shards: 1,
            is_campaign: true,
        });
        let mut saved = Saved::default();
        for slice in slices {
            saved.add(&slice, None, &mut Seen::default(), &results.origin);
        }
        let name = slice(Outcome::Passed).name;
        results
            .shards
            .insert(0, BTreeMap::from([(name.clone(), saved)]));
        results.test_of(0, &name).expect("it is there")
    }

    #[test]
    fn one_schedule_of_all_slices_that_ended_is_enough() {
        let (passed, cut) = (|| slice(Outcome::Passed), || slice(Outcome::Unfinished));
        for slices in [[passed(), cut()], [cut(), passed()]] {
            let joined = added(slices);
            assert_eq!((joined.ending, &*joined.status), (Ending::Open, "PASS"));
            assert_eq!(joined.outcome(), Ending::Passed);
        }
        let joined = added([cut(), cut()]);
        assert_eq!(
            (joined.ending, &*joined.status),
            (Ending::Open, "UNFINISHED")
        );
        assert_eq!(joined.outcome(), Ending::Unfinished);
    }
}
