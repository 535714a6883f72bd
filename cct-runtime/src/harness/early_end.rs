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

use super::explore::{Member, Search, plain_seed};
use super::surroundings;
use crate::claim::{Exception, Exceptions};
use crate::engine::{Record, prints_with_seed};
use crate::strategy::{Limits, derive};
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

/// True after the schedules that are enough to see that there may be little to explore.
pub(super) fn is_due(search: &Search<'_>) -> bool {
    let counters = &search.counters;
    let turns = TURNS * search.portfolio.len();
    search.may_end_early
        && counters.schedules == turns as u64
        && counters.distinct * NEW_ONE_IN <= counters.schedules
        && counters.cut_offs == 0
        && !counters.sequential
        && !search.has_diverged
        && search.settings.iterations >= counters.schedules + SEEDS as u64 * MOST
        && may_end(
            search,
            counters.limits,
            counters.left_out,
            !is_contested(search),
        )
}

/// Enumerates all schedules, if they are few: then nothing is left to explore. Returns the last verdict.
pub(super) fn look(
    search: &mut Search<'_>,
    iteration: u64,
    body: &dyn Fn() -> Option<Bug>,
) -> Verdict {
    let mut first = None;
    let (mut limits, mut left_out) = (Limits::default(), Exceptions::NONE);
    let mut verdict = Verdict::Passed;
    for seed in seeds(search.settings.seed) {
        search
            .portfolio
            .push(Member::enumerating(&search.settings, seed));
        let turn = search.portfolio.len() - 1;
        for _ in 0..MOST {
            search.explorer.clean_up();
            verdict = search.make(turn, iteration, Record::Schedule, body);
            if search.is_over(&verdict) || search.portfolio[turn].strategy.is_exhausted() {
                break;
            }
        }
        let Some(member) = search.portfolio.pop() else {
            return verdict;
        };
        if search.is_over(&verdict) || !member.strategy.is_exhausted() {
            return verdict;
        }
        limits = limits.and(member.limits);
        left_out = left_out.and(member.left_out);
        first = first.or_else(|| member.strategy.progress());
    }
    let Some(progress) = first else {
        return verdict;
    };
    let is_only = !is_contested(search) && progress.made == 1;
    let seen = left_out.and(search.counters.left_out);
    let is_end = progress.astray == 0
        && search.counters.cut_offs == 0
        && may_end(search, limits.and(search.counters.limits), seen, is_only);
    if is_end {
        search.counters.exhausted = true;
        search.counters.progress = Some(progress);
        search.counters.limits = limits;
        search.counters.left_out = left_out;
    }
    verdict
}

/// True if a search with these schedules may end although its budget is not used up.
fn may_end(search: &Search<'_>, limits: Limits, left_out: Exceptions, is_only: bool) -> bool {
    let has = |exceptions: &[Exception]| exceptions.iter().any(|&it| left_out.has(it));
    let time = limits.time && is_only;
    limits
        == Limits {
            time,
            ..Limits::default()
        }
        && !has(&UNKNOWN)
        && (!has(&VARIED) || is_only && !search.has_drawn_bytes)
}

/// True if there ever was somebody else to pick.
fn is_contested(search: &Search<'_>) -> bool {
    search.counters.contested > 0
}

/// The seeds that schedules are enumerated with: a plain one, two by which memory is used again, and one by
/// which prints are steps.
fn seeds(seed: u64) -> impl Iterator<Item = u64> {
    let all = move || (0..).map(move |index| derive(seed, index));
    let reuse = all().filter(|&seed| surroundings::reuse(seed).is_some());
    let prints = all().filter(|&seed| prints_with_seed(seed));
    let again = reuse.take(SEEDS - 2).chain(prints.take(1));
    std::iter::once(plain_seed(seed)).chain(again)
}
