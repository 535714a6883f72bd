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
const UNKNOWN: [Exception; 6] = [
    Exception::StandardInput,
    Exception::Files,
    Exception::Outside,
    Exception::UncontrolledThreads,
    Exception::Allocators,
    Exception::Prints,
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
        && may_end(
            maker,
            counters.limits,
            counters.left_out,
            !is_contested(maker),
        )
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
    let is_only = !is_contested(maker) && progress.made == 1;
    let before = &maker.tally.counters;
    let is_end = progress.astray == 0
        && before.cut_offs == 0
        && may_end(
            maker,
            limits.and(before.limits),
            left_out.and(before.left_out),
            is_only,
        );
    if is_end {
        let counters = &mut maker.tally.counters;
        counters.exhausted = true;
        counters.progress = Some(progress);
        counters.limits = limits;
        counters.left_out = left_out;
    }
    verdict
}

/// True if schedules with these limits and exceptions have shown all that others would.
fn may_end(maker: &Maker<'_>, limits: Limits, left_out: Exceptions, is_only: bool) -> bool {
    let has = |exceptions: &[Exception]| exceptions.iter().any(|&it| left_out.has(it));
    let time = limits.time && is_only;
    limits
        == Limits {
            time,
            ..Limits::default()
        }
        && !has(&UNKNOWN)
        && (!has(&VARIED) || is_only && !maker.tally.has_drawn_bytes)
}

/// True if there was a choice point.
fn is_contested(maker: &Maker<'_>) -> bool {
    maker.tally.counters.contested > 0
}
