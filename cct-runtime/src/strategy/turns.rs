//! The order in which strategies that enumerate look at the candidates.

use super::{Candidates, Reason, WorkerId};

/// The candidates in round-robin order, the current one first, and fairness to those that wait for others.
///
/// A worker that gave way because it spins or yields is passed over until each of the others that can run
/// has run: else there would be endlessly many schedules in which it spins once more. This is how CHESS
/// kept its search fair (Musuvathi and Qadeer, *Fair Stateless Model Checking*, PLDI 2008), with "has run"
/// for "has run or yielded".
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// By worker.
    workers: Vec<Worker>,
    /// How many of them gave way when they last ran.
    tired: u32,
    /// How many picks there were.
    picks: u32,
    /// The candidates by number, and those that only give way.
    enabled: Vec<u32>,
    /// The candidates, in round-robin order.
    order: Vec<u32>,
}

#[derive(Clone, Copy, Default, Debug)]
struct Worker {
    /// The last pick of it, from 1; 0 before.
    last_run: u32,
    is_tired: bool,
}

impl Turns {
    /// An iteration begins.
    pub(super) fn begin(&mut self) {
        self.workers.clear();
        self.tired = 0;
        self.picks = 0;
        self.enabled.clear();
    }

    /// The worker has become a candidate.
    pub(super) fn enable(&mut self, worker: WorkerId) {
        if let Err(index) = self.enabled.binary_search(&worker.0) {
            self.enabled.insert(index, worker.0);
        }
    }

    /// The worker is no longer a candidate.
    pub(super) fn disable(&mut self, worker: WorkerId) {
        if let Ok(index) = self.enabled.binary_search(&worker.0) {
            self.enabled.remove(index);
        }
    }

    /// Takes note of why the strategy is asked. Returns how many candidates there are to pick from: all,
    /// or those in [`Turns::order`], which is made up only if somebody is tired.
    pub(super) fn count(&mut self, candidates: &dyn Candidates) -> u32 {
        if candidates.reason() == Reason::Yield {
            self.tire(candidates.current());
        }
        match candidates.len() {
            1 => 1,
            count if self.tired == 0 => count,
            _ => self.order(candidates).len() as u32,
        }
    }

    /// The candidates to pick from, the current worker first, the others in round-robin order.
    pub(super) fn order(&mut self, candidates: &dyn Candidates) -> &[u32] {
        let current = candidates.current().0;
        let (before, from) = {
            let first = self.enabled.partition_point(|&worker| worker < current);
            self.enabled.split_at(first)
        };
        let order = &mut self.order;
        order.clear();
        order.extend_from_slice(from);
        order.extend_from_slice(before);
        if candidates.reason() == Reason::Yield {
            order.retain(|&worker| worker != current);
        }
        if self.tired > 0 {
            let workers = &self.workers;
            let of = |worker: u32| workers.get(worker as usize).copied().unwrap_or_default();
            let longest_ago = order.iter().map(|&worker| of(worker).last_run).min();
            order.retain(|&worker| {
                let worker = of(worker);
                !worker.is_tired || Some(worker.last_run) == longest_ago
            });
        }
        order
    }

    /// The worker runs next.
    pub(super) fn run(&mut self, worker: WorkerId) {
        self.picks += 1;
        let last_run = self.picks;
        let worker = self.worker(worker);
        worker.last_run = last_run;
        if std::mem::take(&mut worker.is_tired) {
            self.tired -= 1;
        }
    }

    fn tire(&mut self, worker: WorkerId) {
        if !std::mem::replace(&mut self.worker(worker).is_tired, true) {
            self.tired += 1;
        }
    }

    fn worker(&mut self, worker: WorkerId) -> &mut Worker {
        let index = worker.0 as usize;
        if self.workers.len() <= index {
            self.workers.resize(index + 1, Worker::default());
        }
        &mut self.workers[index]
    }
}
