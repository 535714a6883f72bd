//! The claim about all schedules of a test, and its exceptions.
//!
//! Every claim that nothing is left to explore is one of these values, whoever makes it, and
//! `report/claim.rs` has its words. A run of which nothing of the sort can be said has none.

use cct::claim::{Exception, Exceptions};
use serde::{Deserialize, Serialize};

use super::outcome::{Outcome, TestRun};

/// A claim about all schedules of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Claim {
    /// Of which schedules.
    pub scope: Scope,
    /// How many were made for it.
    pub made: u64,
    /// How many of them failed in earlier processes, if the search was resumed.
    pub failed_before: u64,
    /// The exceptions that it names.
    pub but_for: Exceptions,
}

/// Of which schedules something is claimed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scope {
    /// Of the only one that there can be: there is one worker, and nothing is chosen.
    Sequential,
    /// Of all interleavings, since those that were made stand for all others.
    Proved,
    /// Of the only one that there can be, although there are more workers: never is there anybody else to
    /// pick.
    NoChoice,
    /// Of all, each of which was made.
    All,
    /// Of all within a bound of the strategy's, with its number if it has one; each was made.
    Bounded(Option<u32>),
    /// Of what a strategy plans up to its bound, with its number; several plans may come to one schedule.
    Planned(Option<u32>),
}

impl Claim {
    /// The claim that a run allows; none if it failed, was cut off, did not repeat, or has more to explore.
    pub(crate) fn of(run: &TestRun) -> Option<Claim> {
        let counters = &run.counters;
        let has_passed = matches!(run.outcome, Outcome::Passed) && run.started.is_some();
        let is_known = has_passed && run.diverged.is_none() && !counters.limits.steps;
        if !is_known || counters.cut_offs > 0 {
            return None;
        }
        let progress = counters.progress.as_ref();
        let scope = if counters.sequential {
            Scope::Sequential
        } else if !counters.exhausted || progress.is_some_and(|progress| progress.astray > 0) {
            return None;
        } else {
            match progress {
                Some(progress) if progress.plans => Scope::Planned(progress.bound),
                Some(progress) if progress.leaves_out => Scope::Bounded(progress.bound),
                Some(progress) if progress.reduces => Scope::Proved,
                Some(progress) if progress.made == 1 && counters.choice_points == 0 => {
                    Scope::NoChoice
                }
                _ => Scope::All,
            }
        };
        let mut seen = counters.left_out.and(run.linked);
        if seen.has(Exception::WeakOrderings) {
            // They are a part of these.
            seen = seen.without(Exception::LateStores);
        }
        Some(Claim {
            scope,
            made: progress.map_or(counters.schedules, |progress| progress.made),
            failed_before: counters.failed_before,
            but_for: match counters.workers {
                0 | 1 => seen.of_inputs(),
                _ => seen,
            },
        })
    }

    /// True if it is about all schedules of a test that has more than one, whatever it leaves out of each.
    pub(crate) fn is_about_all(self) -> bool {
        matches!(self.scope, Scope::Proved | Scope::NoChoice | Scope::All)
    }
}
