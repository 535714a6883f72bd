//! Schedules in words that keep their meaning when some are left out.

use crate::trace::{Run, Schedule};

/// A worker that runs until it has made so many steps in all, or cannot go on.
///
/// Steps of its own, from the beginning: where an earlier stretch of it is left out, this one makes up for
/// it, and where it has come that far already it is over at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stretch {
    pub(super) worker: u32,
    pub(super) until: u32,
}

/// A schedule: the stretches in order, and the values chosen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Outline {
    pub(super) stretches: Vec<Stretch>,
    pub(super) choices: Vec<u32>,
}

/// The length of a schedule; less is shorter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Cost {
    /// Switches away from a worker that could have gone on.
    pub(super) preemptions: u64,
    /// All switches.
    pub(super) switches: u64,
    pub(super) steps: u64,
}

impl Stretch {
    /// As far as the worker can go.
    pub(super) fn whole(worker: u32) -> Stretch {
        Stretch {
            worker,
            until: u32::MAX,
        }
    }
}

impl Outline {
    /// The outline of a schedule that was made.
    pub(super) fn of(schedule: &Schedule) -> Outline {
        Outline {
            stretches: stretches_of(&schedule.runs),
            choices: schedule.choices.clone(),
        }
    }

    /// The same choices with these stretches.
    pub(super) fn with(&self, stretches: Vec<Stretch>) -> Outline {
        Outline {
            stretches,
            choices: self.choices.clone(),
        }
    }
}

fn stretches_of(runs: &[Run]) -> Vec<Stretch> {
    let mut own: Vec<u32> = Vec::new();
    let mut stretches = Vec::with_capacity(runs.len());
    for run in runs {
        let worker = run.worker as usize;
        if own.len() <= worker {
            own.resize(worker + 1, 0);
        }
        own[worker] = own[worker].saturating_add(run.steps);
        stretches.push(Stretch {
            worker: run.worker,
            until: own[worker],
        });
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_count_the_worker_s_own_steps() {
        let schedule = Schedule {
            runs: vec![(0, 3).into(), (1, 2).into(), (0, 4).into(), (1, 1).into()],
            ..Schedule::default()
        };
        let until: Vec<_> = Outline::of(&schedule)
            .stretches
            .iter()
            .map(|stretch| (stretch.worker, stretch.until))
            .collect();
        assert_eq!(until, [(0, 3), (1, 2), (0, 7), (1, 3)]);
    }

    #[test]
    fn a_preemption_costs_more_than_any_number_of_steps() {
        let cost = |preemptions, switches, steps| Cost {
            preemptions,
            switches,
            steps,
        };
        assert!(cost(1, 9, 900) < cost(2, 1, 1));
        assert!(cost(1, 2, 900) < cost(1, 3, 1));
        assert!(cost(1, 2, 3) < cost(1, 2, 4));
    }
}
