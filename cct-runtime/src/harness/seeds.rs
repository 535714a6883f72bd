//! Properties of an iteration that follow from its seed, besides what a strategy picks by it.

use crate::engine::prints_are_steps_with;
use crate::strategy::derive;

/// One of so many iterations uses freed memory again at once.
const REUSED_ONE_IN: u64 = 4;
/// The number, among those that follow from an iteration's seed, that decides whether it does.
const REUSE: u64 = 0x0052_4555_5345;

/// Returns the seed by which an iteration with this seed uses freed memory again; `None` for most.
pub(super) fn reuse(seed: u64) -> Option<u64> {
    let reuse = derive(seed, REUSE);
    reuse.is_multiple_of(REUSED_ONE_IN).then_some(reuse)
}

/// Returns the first seed of a run with which freed memory rests, and prints are no steps.
pub(super) fn plain(seed: u64) -> u64 {
    let is_plain = |seed: &u64| reuse(*seed).is_none() && !prints_are_steps_with(*seed);
    let plain = all(seed).find(is_plain);
    plain.expect("most seeds let memory rest, and prints be")
}

/// Returns `count` seeds of a run: a plain one, some by which freed memory is used again, and one by which
/// prints are steps.
pub(super) fn of_each_sort(seed: u64, count: usize) -> impl Iterator<Item = u64> {
    let reuse = all(seed).filter(|&seed| reuse(seed).is_some());
    let prints = all(seed).filter(|&seed| prints_are_steps_with(seed));
    let others = reuse.take(count - 2).chain(prints.take(1));
    std::iter::once(plain(seed)).chain(others)
}

/// Returns the seeds of a run's iterations.
fn all(seed: u64) -> impl Iterator<Item = u64> {
    (0..).map(move |index| derive(seed, index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_the_iterations_uses_memory_again() {
        let reused = all(7).take(4000).filter(|&seed| reuse(seed).is_some());
        // Six standard deviations are 164.
        assert!(reused.count().abs_diff(1000) < 164);
    }

    #[test]
    fn there_is_a_seed_of_each_sort() {
        for seed in 0..100 {
            let seeds: Vec<u64> = of_each_sort(seed, 4).collect();
            assert_eq!(seeds.len(), 4);
            assert!(reuse(seeds[0]).is_none() && !prints_are_steps_with(seeds[0]));
            assert!(reuse(seeds[1]).is_some() && reuse(seeds[2]).is_some());
            assert!(prints_are_steps_with(seeds[3]));
        }
    }
}
