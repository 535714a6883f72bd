//! The early end of a search whose schedules hardly differ.
//!
//! Random strategies cannot know that they have made all schedules. So the search looks after a few turns of
//! each: if hardly any two schedules differ, it enumerates all of them, once with a plain seed, and again
//! with seeds by which freed memory is used again and prints are steps. If all enumerations end soon, the
//! search ends, with a claim as after any other enumeration. Otherwise it goes on.
//!
//! An early end must not miss anything that a later schedule would have shown. Everything that follows from
//! the iteration's seed or from earlier iterations rules it out: random numbers, clocks, time-outs, files,
//! other processes, and the engine's own picks where workers spin. A search without a single choice point is
//! an exception: a clock that is read, the keys of a hash and a time-out cannot let anybody else run there.

use super::maker::Maker;
use super::portfolio::Member;
use super::seeds;
use crate::claim::{Exception, Exceptions};
use crate::engine::Record;
use crate::strategy::Limits;
use crate::verdict::{Bug, Verdict};

/// The search looks after so many turns of each strategy.
const TURNS: usize = 5;
/// Schedules hardly differ if no more than one in so many was a new one.
const NEW_ONE_IN: u64 = 4;
/// The most schedules that an enumeration makes.
const MOST: u64 = 30;

/// The number of enumerations, each with a seed of its own.
const SEEDS: usize = 4;

/// Exceptions that may differ from schedule to schedule, whatever the order of steps.
const UNKNOWN: [Exception; 8] = [
    Exception::StandardInput,
    Exception::Files,
    Exception::Outside,
    Exception::UncontrolledThreads,
    Exception::Allocators,
    Exception::Prints,
    Exception::StateLeftBehind,
    Exception::Signals,
];
/// Exceptions that may, too, unless there was no choice point at all.
const VARIED: [Exception; 4] = [
    Exception::TimeOuts,
    Exception::Sleeps,
    Exception::Clocks,
    Exception::RandomNumbers,
];

/// True if the search has made enough schedules to look, and they hardly differ; `strategies` take turns.
pub(super) fn is_due(maker: &Maker<'_>, strategies: usize) -> bool {
    let counters = &maker.tally.counters;
    let turns = TURNS * strategies;
    counters.schedules == turns as u64
        && counters.distinct * NEW_ONE_IN <= counters.schedules
        && counters.cut_offs == 0
        && !counters.sequential
        && maker.settings.iterations >= counters.schedules + SEEDS as u64 * MOST
        && Evidence {
            limits: counters.limits,
            left_out: counters.left_out,
            is_only: counters.choice_points == 0,
            has_drawn_bytes: maker.tally.has_drawn_bytes,
        }
        .is_enough()
}

/// Enumerates all schedules, if they are few; notes then that none is left. Returns the last verdict.
pub(super) fn look(
    maker: &mut Maker<'_>,
    iteration: u64,
    body: &dyn Fn() -> Option<Bug>,
) -> Verdict {
    let mut first = None;
    let (mut limits, mut left_out) = (Limits::default(), Exceptions::NONE);
    let mut verdict = Verdict::Passed;
    for seed in seeds::of_each_sort(maker.settings.seed, SEEDS) {
        let mut member = Member::enumerating(&maker.settings, seed);
        for _ in 0..MOST {
            maker.runner.clean_up();
            verdict = maker.make(&mut member, iteration, Record::Schedule, body);
            if maker.is_over(&verdict) || member.strategy.is_exhausted() {
                break;
            }
        }
        if maker.is_over(&verdict) || !member.strategy.is_exhausted() {
            return verdict;
        }
        limits = limits.and(member.limits);
        left_out = left_out.and(member.left_out);
        first = first.or_else(|| member.strategy.progress());
    }
    let Some(progress) = first else {
        return verdict;
    };
    let before = &maker.tally.counters;
    let evidence = Evidence {
        limits: limits.and(before.limits),
        left_out: left_out.and(before.left_out),
        is_only: before.choice_points == 0 && progress.made == 1,
        has_drawn_bytes: maker.tally.has_drawn_bytes,
    };
    let is_end = progress.astray == 0 && before.cut_offs == 0 && evidence.is_enough();
    if is_end {
        let counters = &mut maker.tally.counters;
        counters.exhausted = true;
        counters.progress = Some(progress);
        counters.limits = limits;
        counters.left_out = left_out;
    }
    verdict
}

/// The schedules that an early end follows from.
#[derive(Clone, Copy, Debug)]
struct Evidence {
    limits: Limits,
    left_out: Exceptions,
    /// None of them had a choice point.
    is_only: bool,
    /// Random numbers were drawn, other than the keys of hashes.
    has_drawn_bytes: bool,
}

impl Evidence {
    /// True if the schedules have shown all that others would.
    fn is_enough(&self) -> bool {
        let has = |exceptions: &[Exception]| exceptions.iter().any(|&it| self.left_out.has(it));
        let allowed = Limits {
            time: self.limits.time && self.is_only,
            ..Limits::default()
        };
        let may_vary = !self.is_only || self.has_drawn_bytes;
        self.limits == allowed && !has(&UNKNOWN) && !(may_vary && has(&VARIED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Schedules without limits and exceptions, with choice points or without.
    fn plain(is_only: bool) -> Evidence {
        Evidence {
            limits: Limits::default(),
            left_out: Exceptions::NONE,
            is_only,
            has_drawn_bytes: false,
        }
    }

    fn but_for(exception: Exception, evidence: Evidence) -> Evidence {
        let mut left_out = evidence.left_out;
        left_out.add(exception);
        Evidence {
            left_out,
            ..evidence
        }
    }

    #[test]
    fn schedules_without_exceptions_are_enough() {
        assert!(plain(false).is_enough() && plain(true).is_enough());
    }

    #[test]
    fn exceptions_of_every_schedule_rule_it_out() {
        for exception in UNKNOWN {
            for is_only in [false, true] {
                let evidence = but_for(exception, plain(is_only));
                assert!(!evidence.is_enough(), "{exception:?}");
            }
        }
    }

    #[test]
    fn time_and_chance_do_not_count_where_nobody_else_could_run() {
        for exception in VARIED {
            assert!(!but_for(exception, plain(false)).is_enough());
            let only = but_for(exception, plain(true));
            assert!(only.is_enough(), "{exception:?}");
            let drawn = Evidence {
                has_drawn_bytes: true,
                ..only
            };
            assert!(!drawn.is_enough(), "{exception:?}");
        }
    }

    #[test]
    fn picks_of_the_engine_rule_it_out() {
        let limited = |limits, is_only| Evidence {
            limits,
            ..plain(is_only)
        };
        let time = Limits {
            time: true,
            ..Limits::default()
        };
        let yields = Limits {
            yields: true,
            ..Limits::default()
        };
        assert!(limited(time, true).is_enough() && !limited(time, false).is_enough());
        assert!(!limited(yields, true).is_enough());
    }
}
