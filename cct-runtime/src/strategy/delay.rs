//! Random delay bounding.

use super::delays::Delays;
use super::ring::Ring;
use super::{Beginning, Candidates, Ending, Pick, Reason, Strategy, WorkerId};

/// Runs workers in turn, each until it stops, but for D delays at random steps, each of which passes over
/// the worker whose turn it is.
///
/// **Idea.** Most bugs are near some natural schedule: a few deviations from a deterministic scheduler
/// reach them, however many workers there are. A delay is such a deviation.
///
/// **Guarantee.** Emmi, Qadeer and Rakamarić, *Delay-Bounded Scheduling* (POPL 2011), say which schedules
/// D delays reach: at most k^D of them, for k steps, independent of the number of workers. Each is
/// made with probability at least 1/k^D.
///
/// **Parameters.** `delays`: D. k is the length of the longest iteration so far.
///
/// **Departures.** Published are the deterministic scheduler, in turn by order of creation and without
/// preemption, what a delay does, and the exploration of all placements of up to D of them. That the
/// steps of exactly D delays are drawn, independently and uniformly, is the form of P# and of Coyote's
/// artifact; two delays at one step pass over two workers. Since there is nothing to delay where there is
/// one candidate, k counts as in [`Pct`](super::Pct). A worker that gives way over its yield budget is
/// passed over without a delay; after `fair_after` steps the walk is uniformly random.
#[derive(Debug)]
pub struct Delay {
    delays: Delays,
    enabled: Ring,
}

impl Delay {
    /// Schedules with this many delays.
    pub fn new(delays: u32) -> Self {
        Delay {
            delays: Delays::new(delays),
            enabled: Ring::default(),
        }
    }
}

impl Strategy for Delay {
    fn begin(&mut self, beginning: &Beginning) {
        self.delays.begin(beginning);
        self.enabled.clear();
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let moment = candidates.moment();
        if let Some(pick) = self.delays.fair_pick(candidates, moment.step) {
            return pick;
        }
        let current = moment.current.0;
        let gives_way = (moment.reason == Reason::Yield).then_some(current);
        let after = |worker| match self.enabled.after(worker) {
            // It is no candidate now.
            next if Some(next) == gives_way => self.enabled.after(next),
            next => next,
        };
        let mut worker = match moment.reason {
            Reason::Point => current,
            Reason::Yield | Reason::Stopped => after(current),
        };
        for _ in 0..self.delays.due(&moment) {
            worker = after(worker);
        }
        self.delays.pick(WorkerId(worker), moment.step)
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.delays.rng.below(n)
    }

    fn fair_from(&self) -> u32 {
        self.delays.fair_after
    }

    fn end(&mut self, ending: &Ending) {
        self.delays.end(ending);
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        self.enabled.insert(worker.0);
        self.delays.ticks.is_alone()
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        self.enabled.remove(worker.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::play;
    use super::*;

    /// The workers in the order in which they ran, each run as one entry.
    fn runs(made: &[u32]) -> Vec<u32> {
        let mut runs = made.to_vec();
        runs.dedup();
        runs
    }

    #[test]
    fn without_delays_workers_run_in_turn() {
        let mut delay = Delay::new(1);
        delay.delays = Delays::new(0);
        assert_eq!(runs(&play(&mut delay, 1, &[3, 4, 2, 5])), [0, 1, 2, 3]);
    }

    #[test]
    fn a_delay_passes_over_one_worker() {
        let steps = [30, 30, 30];
        for seed in 0..200 {
            let made = runs(&play(&mut Delay::new(1), seed, &steps));
            let allowed: [&[u32]; 4] = [&[1, 2, 0], &[0, 1, 2, 0], &[0, 1, 2, 1], &[0, 2, 1]];
            // The last one alone cannot be delayed, and one that stops may be the one that is delayed.
            let is_allowed = allowed.contains(&&made[..]) || made == [0, 1, 2];
            assert!(is_allowed, "{made:?}");
        }
    }

    /// With one delay in k = 60 ticks, worker 0 is stopped after 20 of its 30 steps at one of 60 seeds: at
    /// 100 of 6,000 on the average, with a standard deviation of 10.
    #[test]
    fn delays_come_anywhere_with_the_same_probability() {
        let steps = [30, 30];
        let stopped_after_20 = |seed: &u64| {
            let made = play(&mut Delay::new(1), *seed, &steps);
            made.iter().position(|&worker| worker == 1) == Some(20)
        };
        let count = (0..6000).filter(stopped_after_20).count();
        assert!(count.abs_diff(100) < 5 * 10, "{count}");
    }
}
