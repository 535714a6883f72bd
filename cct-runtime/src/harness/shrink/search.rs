//! The search for a shorter schedule: what may be left out, and what may be enough.

use super::outline::{Cost, Outline, Stretch};
use crate::strategy::Rng;
use crate::trace::Schedule;

/// How often preemptions are drawn at most; less often once two are left, most of which are needed.
const ROUNDS: u32 = 20_000;
const ROUNDS_OF_TWO: u32 = 4_000;

/// An execution that followed an outline.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) schedule: Schedule,
    /// Its own outline, which need not be the one that it followed.
    pub(super) outline: Outline,
    pub(super) cost: Cost,
    /// It failed as it should.
    pub(super) fails: bool,
}

impl Made {
    pub(super) fn new(schedule: Schedule, preemptions: u64, steps: u64, fails: bool) -> Made {
        Made {
            outline: Outline::of(&schedule),
            cost: Cost {
                preemptions,
                switches: schedule.runs.len() as u64 - 1,
                steps,
            },
            schedule,
            fails,
        }
    }
}

/// Looks for shorter schedules that fail until there is no way left to look, or no time. `make` follows an
/// outline; `told` hears of each that is shorter, with the number of executions until then, and of the
/// shortest once more at the end, and whether there was time for all.
pub(super) fn shrink(
    outline: &Outline,
    make: &mut dyn FnMut(&Outline) -> Made,
    told: &mut dyn FnMut(&Made, u64, Option<bool>),
    is_over: &mut dyn FnMut() -> bool,
) {
    let best = make(outline);
    if !best.fails {
        return;
    }
    told(&best, 1, None);
    let mut search = Search {
        best,
        executions: 1,
        make,
        told,
        is_over,
        is_cut: false,
    };
    search.leave_out();
    search.undisturbed();
    search.one_is_enough();
    search.others_are_enough();
    search.leave_out();
    let is_complete = Some(!search.is_cut);
    (search.told)(&search.best, search.executions, is_complete);
}

struct Search<'a> {
    /// The shortest that fails.
    best: Made,
    executions: u64,
    make: &'a mut dyn FnMut(&Outline) -> Made,
    told: &'a mut dyn FnMut(&Made, u64, Option<bool>),
    is_over: &'a mut dyn FnMut() -> bool,
    /// There was no time for all of it.
    is_cut: bool,
}

impl Search<'_> {
    /// Follows an outline. Keeps what comes of it if it is shorter, and fails; returns it otherwise.
    fn attempt(&mut self, outline: &Outline) -> Option<Made> {
        let made = (self.make)(outline);
        self.executions += 1;
        if made.fails && made.cost < self.best.cost {
            self.best = made;
            (self.told)(&self.best, self.executions, None);
            return None;
        }
        Some(made)
    }

    fn is_over(&mut self) -> bool {
        self.is_cut = self.is_cut || (self.is_over)();
        self.is_cut
    }

    /// Leaves stretches out: halves of them, quarters, …, and single ones, until none can be spared.
    fn leave_out(&mut self) {
        let mut size = self.best.outline.stretches.len().div_ceil(2);
        while size > 0 {
            let before = self.best.cost;
            let mut from = 0;
            while from < self.best.outline.stretches.len() {
                if self.is_over() {
                    return;
                }
                let all = &self.best.outline.stretches;
                let to = (from + size).min(all.len());
                let rest = [&all[..from], &all[to..]].concat();
                let outline = self.best.outline.with(rest);
                // Where it was shorter, others have moved up.
                if self.attempt(&outline).is_some() {
                    from = to;
                }
            }
            if size > 1 || self.best.cost == before {
                size /= 2;
            }
        }
    }

    /// Tries whether any preemption is needed, with each worker in turn before the others.
    fn undisturbed(&mut self) {
        if self.best.cost.preemptions == 0 {
            return;
        }
        for first in workers_of(&self.best.outline) {
            if self.is_over() {
                return;
            }
            let mut stretches = undisturbed(&self.best.outline);
            stretches.insert(0, Stretch::whole(first));
            let outline = self.best.outline.with(stretches);
            if self.attempt(&outline).is_none() && self.best.cost.preemptions == 0 {
                return;
            }
        }
    }

    /// Tries each preemption by itself, in schedules that otherwise have none; late ones first.
    fn one_is_enough(&mut self) {
        for base in self.bases() {
            if self.best.cost.preemptions <= 1 || self.is_over() {
                return;
            }
            let Some(base) = self.attempt(&base) else {
                continue;
            };
            let workers = workers_of(&self.best.outline);
            for cut in cuts(&base.outline.stretches).into_iter().rev() {
                for &other in &workers {
                    if self.is_over() {
                        return;
                    }
                    let Some(stretches) = cut.in_favour_of(other, &base.outline.stretches) else {
                        continue;
                    };
                    let shorter = self.attempt(&base.outline.with(stretches)).is_none();
                    if shorter && self.best.cost.preemptions <= 1 {
                        return;
                    }
                }
            }
        }
    }

    /// Schedules without preemptions: the workers by number, and in the order of the shortest that fails.
    fn bases(&self) -> [Outline; 2] {
        let best = &self.best.outline;
        [best.with(Vec::new()), best.with(undisturbed(best))]
    }

    /// Tries preemptions that are drawn: two in a schedule without any, and in the shortest one or two in
    /// place of more.
    fn others_are_enough(&mut self) {
        let mut rng = Rng::new(1);
        for round in 0..ROUNDS {
            let is_enough = match self.best.cost.preemptions {
                0 | 1 => true,
                2 => round >= ROUNDS_OF_TWO,
                _ => false,
            };
            if is_enough || self.is_over() {
                return;
            }
            let [by_number, in_order] = self.bases();
            let (base, cuts) = match round % 3 {
                0 if self.best.cost.preemptions > 2 => (by_number, 2),
                1 if self.best.cost.preemptions > 2 => (in_order, 2),
                _ => {
                    let cuts = 1 + rng.below(2);
                    (self.without_some(cuts + 1, &mut rng), cuts)
                }
            };
            self.with_drawn(base, cuts, &mut rng);
        }
    }

    /// The shortest without so many of its stretches, drawn.
    fn without_some(&self, count: u32, rng: &mut Rng) -> Outline {
        let mut stretches = self.best.outline.stretches.clone();
        for _ in 0..count {
            if !stretches.is_empty() {
                stretches.remove(rng.below(stretches.len() as u32) as usize);
            }
        }
        self.best.outline.with(stretches)
    }

    /// Tries an outline with so many preemptions more, drawn with equal probability one after the other.
    fn with_drawn(&mut self, base: Outline, cuts: u32, rng: &mut Rng) {
        let mut with = base;
        for _ in 0..cuts {
            if self.is_over() {
                return;
            }
            let Some(made) = self.attempt(&with) else {
                return;
            };
            let cuts = self::cuts(&made.outline.stretches);
            let workers = workers_of(&made.outline);
            let drawn = |rng: &mut Rng, n: usize| rng.below(n as u32) as usize;
            if cuts.is_empty() {
                return;
            }
            let cut = cuts[drawn(rng, cuts.len())];
            let other = workers[drawn(rng, workers.len())];
            if let Some(stretches) = cut.in_favour_of(other, &made.outline.stretches) {
                with = made.outline.with(stretches);
            }
        }
        let _ = self.attempt(&with);
    }
}

/// A place between two steps of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cut {
    /// The stretch, by index.
    stretch: usize,
    /// How far the worker is.
    at: u32,
}

impl Cut {
    /// The worker is left here, the other one runs as far as it can, and then the first goes on. None if they
    /// are the same.
    fn in_favour_of(self, other: u32, stretches: &[Stretch]) -> Option<Vec<Stretch>> {
        let worker = stretches[self.stretch].worker;
        if worker == other {
            return None;
        }
        let mut with = stretches[..self.stretch].to_vec();
        with.push(Stretch {
            worker,
            until: self.at,
        });
        with.push(Stretch::whole(other));
        with.extend(&stretches[self.stretch..]);
        Some(with)
    }
}

/// All places within stretches.
fn cuts(stretches: &[Stretch]) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for (index, stretch) in stretches.iter().enumerate() {
        let earlier = stretches[..index].iter();
        let earlier = earlier.filter(|earlier| earlier.worker == stretch.worker);
        let from = earlier.map(|earlier| earlier.until).max().unwrap_or(0);
        cuts.extend((from + 1..stretch.until).map(|at| Cut { stretch: index, at }));
    }
    cuts
}

/// The workers in the order in which they run first.
fn workers_of(outline: &Outline) -> Vec<u32> {
    let mut workers = Vec::new();
    for stretch in &outline.stretches {
        if !workers.contains(&stretch.worker) {
            workers.push(stretch.worker);
        }
    }
    workers
}

/// The same order of workers, each as far as it can go.
fn undisturbed(outline: &Outline) -> Vec<Stretch> {
    workers_of(outline)
        .into_iter()
        .map(Stretch::whole)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::follow::Follow;
    use super::*;
    use crate::strategy::stage::{play, preemptions};
    use crate::trace::Run;

    /// Workers that add 1 to one of two counters, each by a read and a write with something before.
    struct Adders {
        /// For each worker the counter of each of its additions.
        additions: Vec<Vec<usize>>,
    }

    impl Adders {
        fn drawn(rng: &mut Rng) -> Adders {
            let additions = (0..2 + rng.below(2))
                .map(|_| (0..=rng.below(2)).map(|_| rng.below(2) as usize).collect())
                .collect();
            Adders { additions }
        }

        /// Three steps for each addition: nothing, the read, the write.
        fn steps(&self) -> Vec<u32> {
            self.additions
                .iter()
                .map(|own| 3 * own.len() as u32)
                .collect()
        }

        /// True if an update is lost when the steps are made in this order.
        fn loses(&self, made: &[u32]) -> bool {
            let mut counters = [0; 2];
            let mut own = vec![0; self.additions.len()];
            let mut read = vec![0; self.additions.len()];
            for &worker in made {
                let worker = worker as usize;
                let counter = self.additions[worker][own[worker] / 3];
                match own[worker] % 3 {
                    0 => {}
                    1 => read[worker] = counters[counter],
                    _ => counters[counter] = read[worker] + 1,
                }
                own[worker] += 1;
            }
            let all = self.additions.iter().map(Vec::len).sum::<usize>();
            counters.iter().sum::<usize>() < all
        }

        fn make(&self, outline: &Outline) -> Made {
            let steps = self.steps();
            let mut follow = Follow::new(outline);
            let made = play(&mut follow, 0, &steps);
            let runs = made.chunk_by(|one, other| one == other).map(|run| Run {
                worker: run[0],
                steps: run.len() as u32,
            });
            // On the stage the first worker could go on before anybody has run.
            let order = [&[0], &*made].concat();
            assert_eq!(follow.preemptions(), self.preemptions(&order));
            let schedule = Schedule {
                runs: runs.collect(),
                ..Schedule::default()
            };
            Made::new(
                schedule,
                follow.preemptions(),
                made.len() as u64,
                self.loses(&made),
            )
        }

        /// The preemptions of an order with the first worker's step before all others.
        fn preemptions(&self, made: &[u32]) -> u64 {
            let mut steps = self.steps();
            steps[0] += 1;
            preemptions(made, &steps) as u64
        }

        /// The fewest preemptions of any order that loses an update; there is one.
        fn fewest(&self) -> u64 {
            let is_enough = |most: &u64| self.may_lose(&mut self.steps(), &mut vec![0], *most);
            let all = u64::from(self.steps().iter().sum::<u32>());
            let fewest = (0..=all).find(is_enough);
            fewest.expect("some order loses an update")
        }

        /// True if some order that begins like this loses an update, with so many preemptions at most.
        fn may_lose(&self, left: &mut [u32], made: &mut Vec<u32>, most: u64) -> bool {
            if self.preemptions(made) > most {
                return false;
            }
            if left.iter().all(|&left| left == 0) {
                return self.loses(&made[1..]);
            }
            (0..left.len()).any(|worker| {
                if left[worker] == 0 {
                    return false;
                }
                left[worker] -= 1;
                made.push(worker as u32);
                let may = self.may_lose(left, made, most);
                made.pop();
                left[worker] += 1;
                may
            })
        }
    }

    /// An order in which each step is somebody's, drawn.
    fn drawn(steps: &[u32], rng: &mut Rng) -> Outline {
        let mut left = steps.to_vec();
        let mut runs = Vec::new();
        while left.iter().any(|&left| left > 0) {
            let worker = rng.below(left.len() as u32);
            if left[worker as usize] > 0 {
                left[worker as usize] -= 1;
                runs.push(Run { worker, steps: 1 });
            }
        }
        Outline::of(&Schedule {
            runs,
            ..Schedule::default()
        })
    }

    #[test]
    fn no_preemption_is_left_that_brute_force_can_spare() {
        let mut rng = Rng::new(5);
        let mut shrunk = 0;
        for _ in 0..300 {
            let adders = Adders::drawn(&mut rng);
            let outline = drawn(&adders.steps(), &mut rng);
            let mut last = None;
            let mut told = |made: &Made, _: u64, _: Option<bool>| {
                let before = last.replace(made.cost);
                // The last one is told once more.
                assert!(before.is_none_or(|before| made.cost <= before));
            };
            shrink(
                &outline,
                &mut |outline| adders.make(outline),
                &mut told,
                &mut || false,
            );
            let Some(cost) = last else {
                continue;
            };
            shrunk += 1;
            assert_eq!(cost.preemptions, adders.fewest(), "{:?}", adders.additions);
        }
        assert!(shrunk > 100, "{shrunk} of the schedules failed");
    }

    #[test]
    fn a_schedule_that_does_not_fail_is_not_shrunk() {
        let adders = Adders {
            additions: vec![vec![0], vec![1]],
        };
        let outline = drawn(&adders.steps(), &mut Rng::new(1));
        let mut told = |_: &Made, _: u64, _: Option<bool>| panic!("nothing is lost");
        shrink(
            &outline,
            &mut |outline| adders.make(outline),
            &mut told,
            &mut || false,
        );
    }

    #[test]
    fn the_search_ends_when_time_is_over() {
        let adders = Adders {
            additions: vec![vec![0, 0], vec![0, 0]],
        };
        let outline = drawn(&adders.steps(), &mut Rng::new(3));
        let mut told = Vec::new();
        let mut left = 3;
        let mut is_over = || {
            left -= 1;
            left <= 0
        };
        let mut tell = |_: &Made, executions: u64, is_complete: Option<bool>| {
            assert_ne!(is_complete, Some(true), "there was no time for the rest");
            told.push(executions);
        };
        let mut make = |outline: &Outline| adders.make(outline);
        shrink(&outline, &mut make, &mut tell, &mut is_over);
        assert_eq!(told.first(), Some(&1), "the schedule itself");
        // Its own execution, and one for each time that there was time.
        assert_eq!(told.last(), Some(&3));
    }
}
