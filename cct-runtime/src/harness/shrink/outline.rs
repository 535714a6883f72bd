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
    /// After the last stretch these run only where nobody else can.
    pub(super) put_off: Vec<u32>,
    /// After the last stretch the workers follow by number downwards, and not upwards.
    pub(super) descends: bool,
    /// How many yields of a worker force a switch; none for the usual number.
    pub(super) yield_budget: Option<u32>,
    /// Calls of dependencies are one step each.
    pub(super) coarse: bool,
}

/// The length of a schedule; less is shorter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Cost {
    /// Switches away from a worker that could have gone on.
    pub(super) preemptions: u64,
    /// All switches.
    pub(super) switches: u64,
    pub(super) steps: u64,
    /// The choices that are not the first of those there were.
    pub(super) choices: u64,
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
            put_off: Vec::new(),
            descends: false,
            yield_budget: Some(schedule.yield_budget),
            coarse: schedule.coarse,
        }
    }

    /// The same choices with these stretches.
    pub(super) fn with(&self, stretches: Vec<Stretch>) -> Outline {
        Outline {
            stretches,
            ..self.clone()
        }
    }

    /// The stretches of the first so many steps of the schedule whose outline it is.
    pub(super) fn first(&self, mut steps: u32) -> Vec<Stretch> {
        let mut own: Vec<u32> = Vec::new();
        let mut first = Vec::new();
        for stretch in &self.stretches {
            let own = of_worker(&mut own, stretch.worker);
            let made = stretch.until.saturating_sub(*own);
            if made >= steps {
                let until = *own + steps;
                first.push(Stretch { until, ..*stretch });
                return first;
            }
            steps -= made;
            *own += made;
            first.push(*stretch);
        }
        first
    }
}

/// The entry of a worker, which is made if there is none.
pub(super) fn of_worker(all: &mut Vec<u32>, worker: u32) -> &mut u32 {
    let worker = worker as usize;
    if all.len() <= worker {
        all.resize(worker + 1, 0);
    }
    &mut all[worker]
}

fn stretches_of(runs: &[Run]) -> Vec<Stretch> {
    let mut own: Vec<u32> = Vec::new();
    let mut stretches = Vec::with_capacity(runs.len());
    for (index, run) in runs.iter().enumerate() {
        let own = of_worker(&mut own, run.worker);
        let is_open = index + 1 == runs.len() && run.steps == 0;
        // The process ended within it, and nobody has counted how far it was.
        let steps = if is_open { u32::MAX } else { run.steps };
        *own = own.saturating_add(steps);
        stretches.push(Stretch {
            worker: run.worker,
            until: *own,
        });
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline() -> Outline {
        Outline::of(&Schedule {
            runs: vec![(0, 3).into(), (1, 2).into(), (0, 4).into(), (1, 1).into()],
            ..Schedule::default()
        })
    }

    fn pairs(stretches: &[Stretch]) -> Vec<(u32, u32)> {
        let pair = |stretch: &Stretch| (stretch.worker, stretch.until);
        stretches.iter().map(pair).collect()
    }

    #[test]
    fn stretches_count_the_worker_s_own_steps() {
        let expected = [(0, 3), (1, 2), (0, 7), (1, 3)];
        assert_eq!(pairs(&outline().stretches), expected);
    }

    #[test]
    fn a_run_that_ended_its_process_goes_as_far_as_it_can() {
        let outline = Outline::of(&Schedule {
            runs: vec![(0, 3).into(), (1, 2).into(), (0, 0).into()],
            ..Schedule::default()
        });
        assert_eq!(pairs(&outline.stretches), [(0, 3), (1, 2), (0, u32::MAX)]);
        assert_eq!(pairs(&outline.first(6)), [(0, 3), (1, 2), (0, 4)]);
    }

    #[test]
    fn the_first_steps_end_within_a_stretch() {
        assert_eq!(pairs(&outline().first(3)), [(0, 3)]);
        assert_eq!(pairs(&outline().first(6)), [(0, 3), (1, 2), (0, 4)]);
        assert_eq!(outline().first(99), outline().stretches);
    }

    #[test]
    fn a_preemption_costs_more_than_any_number_of_steps() {
        let cost = |preemptions, switches, steps| Cost {
            preemptions,
            switches,
            steps,
            choices: 0,
        };
        assert!(cost(1, 9, 900) < cost(2, 1, 1));
        assert!(cost(1, 2, 900) < cost(1, 3, 1));
        assert!(cost(1, 2, 3) < cost(1, 2, 4));
    }
}
