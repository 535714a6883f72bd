//! PCT, probabilistic concurrency testing.

use std::collections::BinaryHeap;

use super::{Beginning, Candidates, Pick, Reason, Rng, Strategy, WorkerId};

/// Above it lie the priorities that workers start with, below it those after a change point.
const INITIAL: u64 = 1 << 63;
/// Above it lie the priorities of change points, below it those of workers that gave way.
const CHANGED: u64 = 1 << 62;

/// Runs the worker with the highest priority; at d-1 random steps the running worker's priority drops.
///
/// **Idea.** A bug of depth d needs d ordering constraints. Random priorities give the first, and a drop
/// at the right step gives each further one.
///
/// **Guarantee.** Burckhardt, Kothari, Musuvathi and Nagarakatte (ASPLOS 2010): with n workers and k
/// steps, each bug of depth d is found with probability at least 1/(n k^(d-1)), provided that the
/// schedule has no more than k steps and nobody gives way.
///
/// **Parameters.** `depth`: d, at least 1. k is the length of the longest iteration so far.
///
/// **Departures.** A worker that spins or yields over its budget drops below all others, since it would
/// starve them; after `fair_after` steps the walk is uniformly random; the drop happens before the step
/// of the change point.
#[derive(Debug)]
pub struct Pct {
    depth: u32,
    rng: Rng,
    /// By worker number; 0 for one that has not been seen.
    priorities: Vec<u64>,
    /// Candidates by priority; may hold entries whose worker no longer waits for its turn.
    queue: BinaryHeap<(u64, WorkerId)>,
    /// The steps at which the running worker's priority drops, latest first.
    change_points: Vec<u32>,
    /// The priority that the next worker to give way gets.
    next_given_way: u64,
    /// The priority of the worker picked last.
    running: u64,
    fair_after: u32,
}

impl Pct {
    /// PCT for bugs of this depth, at least 1.
    pub fn new(depth: u32) -> Self {
        Pct {
            depth,
            rng: Rng::new(0),
            priorities: Vec::new(),
            queue: BinaryHeap::new(),
            change_points: Vec::new(),
            next_given_way: 0,
            running: 0,
            fair_after: 0,
        }
    }

    /// Gives a worker a new priority; it takes its place in the queue with it.
    fn set_priority(&mut self, worker: WorkerId, priority: u64) {
        self.priorities[worker.0 as usize] = priority;
        self.queue.push((priority, worker));
    }

    /// The candidate with the highest priority.
    fn highest(&mut self, candidates: &dyn Candidates) -> (u64, WorkerId) {
        loop {
            let &(priority, worker) = self.queue.peek().expect("every candidate is in the queue");
            if self.priorities[worker.0 as usize] == priority && candidates.contains(worker) {
                return (priority, worker);
            }
            self.queue.pop();
        }
    }
}

impl Strategy for Pct {
    fn begin(&mut self, beginning: &Beginning) {
        self.rng = Rng::new(beginning.seed);
        self.priorities.clear();
        self.queue.clear();
        self.next_given_way = CHANGED - 1;
        self.running = 0;
        self.fair_after = beginning.fair_after;
        self.change_points.clear();
        let length = beginning.longest.max(10);
        for _ in 1..self.depth {
            let step = 1 + self.rng.below(length);
            self.change_points.push(step);
        }
        self.change_points.sort_unstable_by(|a, b| b.cmp(a));
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let (step, current) = (candidates.step(), candidates.current());
        if step >= self.fair_after {
            let worker = candidates.nth(self.rng.below(candidates.len()));
            return Pick { worker, quantum: 0 };
        }
        while self
            .change_points
            .last()
            .is_some_and(|&point| point <= step)
        {
            // The latest change point gives the lowest priority, as published: d-1 down to 1.
            let priority = CHANGED + self.change_points.len() as u64;
            self.change_points.pop();
            self.set_priority(current, priority);
        }
        // After the change points: who gives way is no candidate now, and must lie below those who
        // are, or it would be taken out of the queue for good.
        if candidates.reason() == Reason::Yield {
            self.next_given_way -= 1;
            self.set_priority(current, self.next_given_way);
        }
        let (priority, worker) = self.highest(candidates);
        self.running = priority;
        let next = self
            .change_points
            .last()
            .copied()
            .unwrap_or(self.fair_after);
        Pick {
            worker,
            quantum: next.min(self.fair_after).saturating_sub(step + 1),
        }
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        let index = worker.0 as usize;
        if self.priorities.len() <= index {
            self.priorities.resize(index + 1, 0);
        }
        let priority = match self.priorities[index] {
            0 => INITIAL | (self.rng.bits() >> 1),
            known => known,
        };
        self.set_priority(worker, priority);
        priority > self.running
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.rng.below(n)
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::{Scene, play, preemptions};
    use super::*;

    #[test]
    fn without_change_points_each_worker_runs_to_its_end() {
        let steps = [10, 7, 12, 3];
        for seed in 0..100 {
            let made = play(&mut Pct::new(1), seed, &steps);
            assert_eq!(preemptions(&made, &steps), 0, "{made:?}");
        }
    }

    #[test]
    fn there_is_a_preemption_for_each_change_point_at_most() {
        let steps = [30, 30, 30];
        let of = |seed| preemptions(&play(&mut Pct::new(3), seed, &steps), &steps);
        let all: Vec<usize> = (0..200).map(of).collect();
        assert_eq!(all.iter().max(), Some(&2));
        assert_eq!(all.iter().min(), Some(&0));
    }

    /// A lost update has depth 2: worker 0 must be stopped between its 8th and 9th steps, and all of
    /// worker 1 must come then. The bound is 1/(2*30), so that 6,000 seeds find it 100 times at least on
    /// the average; the standard deviation is 10, and four of them are allowed for.
    #[test]
    fn bugs_of_depth_two_are_found_as_often_as_promised() {
        let steps = [15, 15];
        let mut schedule = vec![0; 8];
        schedule.extend([1; 15]);
        schedule.extend([0; 7]);
        let mut pct = Pct::new(2);
        let found = (0..6000).filter(|&seed| play(&mut pct, seed, &steps) == schedule);
        assert!(found.count() >= 60);
    }

    #[test]
    fn who_gives_way_runs_last() {
        let mut pct = Pct::new(1);
        pct.begin(&Beginning {
            seed: 1,
            longest: 100,
            fair_after: 100,
        });
        for worker in 0..3 {
            pct.on_enabled(WorkerId(worker));
        }
        let mut ask = |enabled: &[u32], current, reason| {
            let scene = Scene {
                enabled: enabled.to_vec(),
                current,
                step: 5,
                reason,
            };
            pct.pick(&scene).worker.0
        };
        let first = ask(&[1, 2], 0, Reason::Yield);
        assert_eq!(ask(&[0, 1, 2], first, Reason::Point), first);
        let second = ask(&[0, 3 - first], first, Reason::Stopped);
        assert_eq!(second, 3 - first);
        assert_eq!(ask(&[0], second, Reason::Stopped), 0);
    }
}
