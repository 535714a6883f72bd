//! The head of a schedule: its seed, bounds and clock, which are fixed before the first step.

use super::memory::staleness;
use super::seeds;
use super::timeouts::allowance;
use crate::config::Resolved;
use crate::strategy::{Rng, derive};
use crate::trace::Schedule;

/// The wall clock at the beginning of an iteration: the same in every process, and later than the times of
/// files; those of new ones follow it, see `engine/state/file_times.rs`. The first second of 2030, in
/// nanoseconds since the Unix epoch.
const WALL_CLOCK: u64 = 1_893_456_000_000_000_000;
/// The yield budget of a schedule that is led: enough to look at a spin, and not for ever.
const LED_YIELD_BUDGET: u32 = 16;

/// Returns a head with everything that a strategy's schedules have in common.
pub(super) fn of_strategy(settings: &Resolved, strategy: String) -> Schedule {
    Schedule {
        max_steps: settings.max_steps,
        detached_steps: settings.detached_steps,
        temperature: settings.temperature,
        wall_clock: WALL_CLOCK,
        strategy,
        ..Schedule::default()
    }
}

/// Returns the seed of the iteration with this number, from 0. A strategy that enumerates has a single one,
/// so that its schedules differ in nothing but its picks: a plain one, with which addresses do not depend on
/// what was freed before, and prints are no steps.
pub(super) fn seed_of(settings: &Resolved, index: u64, enumerates: bool) -> u64 {
    if enumerates {
        seeds::plain(settings.seed)
    } else {
        derive(settings.seed, index)
    }
}

/// Gives the head this seed and the properties that follow from it; returns the strategy's own seed.
pub(super) fn reseed(head: &mut Schedule, seed: u64, settings: &Resolved, enumerates: bool) -> u64 {
    head.seed = seed;
    let mut rng = Rng::new(seed);
    let budget = 1 << (2 * rng.below(5));
    head.yield_budget = if enumerates { 1 } else { budget };
    let allowed = allowance(settings.timeouts, seed, enumerates);
    (head.early, head.leap) = (allowed.early, allowed.leap);
    head.staleness = staleness(settings.memory, seed, enumerates);
    rng.bits()
}

/// Returns the head of a schedule that a person leads.
pub(super) fn led(settings: &Resolved) -> Schedule {
    // A person who picks sees the time-outs, if they want to.
    let allowed = allowance(settings.timeouts, settings.seed, true);
    Schedule {
        seed: derive(settings.seed, 0),
        early: allowed.early,
        leap: allowed.leap,
        staleness: staleness(settings.memory, settings.seed, true),
        shared_stacks: u64::MAX,
        yield_budget: LED_YIELD_BUDGET,
        fair_from: u32::MAX,
        ..of_strategy(settings, "interactive".to_owned())
    }
}

/// Returns the head of a schedule that has been made.
pub(super) fn of(schedule: &Schedule) -> Schedule {
    Schedule {
        runs: Vec::new(),
        choices: Vec::new(),
        ..schedule.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;

    #[test]
    fn a_head_follows_from_its_seed() {
        let settings = Settings::default().resolve();
        let seeded = |seed, enumerates| {
            let mut head = of_strategy(&settings, "random".to_owned());
            let own = reseed(&mut head, seed, &settings, enumerates);
            (head, own)
        };
        assert_eq!(seeded(3, false), seeded(3, false));
        assert_ne!(seeded(3, false), seeded(4, false));
        let (head, _) = seeded(3, true);
        assert_eq!((head.yield_budget, head.early), (1, 0));
        assert_eq!(head.max_steps, settings.max_steps);
    }

    #[test]
    fn the_head_of_a_schedule_is_all_but_its_picks() {
        let schedule = Schedule {
            seed: 7,
            runs: vec![(0, 5).into()],
            choices: vec![1],
            ..Schedule::default()
        };
        let head = of(&schedule);
        assert!(head.runs.is_empty() && head.choices.is_empty());
        assert_eq!(head.seed, 7);
    }

    #[test]
    fn a_person_decides_about_fairness_and_every_time_out() {
        let settings = Settings {
            timeouts: Some(crate::config::Timeouts::Race),
            ..Settings::default()
        };
        let head = led(&settings.resolve());
        assert_eq!((head.fair_from, head.early), (u32::MAX, u32::MAX));
        assert_eq!(head.strategy, "interactive");
    }
}
