//! The early end of a search in whose schedules nothing, or next to nothing, was contested.
//!
//! Strategies by chance never know that they have made all schedules that there are. So when each has had
//! a few turns and hardly two of their schedules differ, all of them are enumerated: once as a strategy
//! that enumerates does it, and again with seeds by which freed memory is used again and prints are steps.
//! If there are few, the search is at its end, and a claim is made as after any other enumeration. If not,
//! it goes on.
//!
//! Nothing may be left that a later schedule would have shown. All that follows from the iteration's seed, or
//! from earlier iterations, rules an early end out: random numbers, clocks, time-outs, files, what other
//! processes do, and picks of the engine's own where workers spin. Where no step at all was contested, what
//! does not let others run is no reason to go on: a clock that is read, the keys of a hash, a time-out.

use super::maker::Maker;
use super::portfolio::Member;
use super::seeds;
use crate::claim::{Exception, Exceptions};
use crate::engine::Record;
use crate::strategy::Limits;
use crate::verdict::{Bug, Verdict};

/// After how many turns of each strategy it is looked whether there is anything to explore.
const TURNS: usize = 5;
/// There may be little if no more than one in so many schedules was a new one.
const NEW_ONE_IN: u64 = 4;
/// The most schedules that an enumeration makes.
const MOST: u64 = 30;

/// With how many seeds.
const SEEDS: usize = 4;

/// Of these there may be others in each schedule, whatever its order of steps.
const UNKNOWN: [Exception; 6] = [
    Exception::StandardInput,
    Exception::Files,
    Exception::Outside,
    Exception::UncontrolledThreads,
    Exception::Allocators,
    Exception::Prints,
];
/// These too, as far as they make a difference for who can run.
const VARIED: [Exception; 4] = [
    Exception::TimeOuts,
    Exception::Sleeps,
    Exception::Clocks,
    Exception::RandomNumbers,
];

/// True after the schedules that are enough to see that there may be little to explore, when so many
/// strategies take turns.
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

/// Enumerates all schedules, if they are few: then nothing is left to explore. Returns the last verdict.
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

/// True if a search with these schedules may end although its budget is not used up.
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

/// True if there ever was somebody else to pick.
fn is_contested(maker: &Maker<'_>) -> bool {
    maker.tally.counters.contested > 0
}
