//! Systematic exploration by periods between key points.

use super::keys::Keys;
use super::pending::Pending;
use super::plan::{Plans, Until};
use super::turns::Turns;
use super::{
    Beginning, Candidates, Ending, Enumerator, Origin, Pick, Progress, Rng, Strategy, WorkerId,
    derive,
};

/// Cuts executions into few periods, in each of which one worker runs alone, and tries all ways to do so.
///
/// **Idea.** Wen, He, Wu, Xu and Qin: *Controlled Concurrency Testing via Periodical Scheduling* (ICSE
/// 2022). Workers are cut off from each other only at *key points*: operations on objects that several
/// workers share. With p periods, the first p-1 belong to one worker each, which runs up to one of its key
/// points, or as far as it can; all that is left happens in the last. Workers do everything that is not a key
/// point at once, so that all stand before one when something is decided.
///
/// **Guarantee.** All plans of up to p periods are carried out: those with fewer periods first, then those
/// that concern fewer workers. With n workers of k key points each there are n plans of two periods, and
/// about n²k of three.
///
/// **Parameters.** `periods`: the largest p, at least 1. One period is the undisturbed execution, by which
/// key points are learned.
///
/// **Departures.** Key points are found by watching instead of by static analysis, in all executions so
/// far: a site is one if the object accessed there was also accessed by another worker, and changed. Data
/// that are only ever accessed under one lock are none (the acquisitions are), nor are releases, unless
/// somebody tries the lock: stopping there comes to the same as stopping at the next key point. How many
/// a worker has is learned from the execution that stopped it one key point earlier. A plan that cannot
/// be carried out, since the worker of a period waits, is left at that period. The last period is not
/// left to the operating system: first come the workers that were stopped, in this order, then the others.
/// A worker that gives way is passed over until each of the others has run. The strategy never claims that
/// nothing is left, only that all its plans are carried out.
#[derive(Debug)]
pub struct Period {
    most: u32,
    plans: Plans,
    keys: Keys,
    turns: Turns,
    pending: Pending<false>,
    /// By worker: what it will do is at a key point.
    is_at_key: Vec<bool>,
    rng: Rng,
    /// How many plans were carried out.
    made: u64,
    is_exhausted: bool,
    execution: Execution,
    /// By period: how many key points its worker had left.
    left: Vec<u32>,
}

/// How far the plan has been carried out in the iteration under way.
#[derive(Debug, Default)]
struct Execution {
    /// How many workers there are.
    workers: u32,
    /// The period: those of the plan, then the last.
    period: usize,
    /// How many key points the worker of the period has passed in it.
    passed: u32,
    /// The workers of the last period.
    last: Option<u32>,
    /// By worker: how many key points it has passed.
    totals: Vec<u32>,
    /// By period: its worker, and how many key points that had passed when it was stopped.
    stopped: Vec<Option<(u32, u32)>>,
}

impl Period {
    /// Up to this many periods, at least 1.
    pub fn new(most: u32) -> Period {
        Period {
            most,
            plans: Plans::default(),
            keys: Keys::default(),
            turns: Turns::default(),
            pending: Pending::default(),
            is_at_key: Vec::new(),
            rng: Rng::new(0),
            made: 0,
            is_exhausted: false,
            execution: Execution::default(),
            left: Vec::new(),
        }
    }

    fn decide(&mut self, candidates: &dyn Candidates) -> u32 {
        let moment = candidates.moment();
        let (keys, is_at_key) = (&self.keys, &mut self.is_at_key);
        self.pending.look(&moment, candidates, |arrival| {
            is_at_key[arrival.worker.0 as usize] = keys.contains(arrival.action);
        });
        self.turns.count(candidates);
        let order = self.turns.order(candidates);
        let is_elsewhere = |&&worker: &&u32| !self.is_at_key[worker as usize];
        if let Some(&worker) = order.iter().find(is_elsewhere) {
            return worker;
        }
        let execution = &mut self.execution;
        let next = match order {
            &[alone] => alone,
            order => execution.follow(self.plans.plan(), order),
        };
        execution.pass(next, self.plans.plan());
        next
    }
}

impl Execution {
    fn begin(&mut self, periods: usize) {
        (self.workers, self.period, self.passed, self.last) = (0, 0, 0, None);
        self.totals.clear();
        self.stopped.clear();
        self.stopped.resize(periods, None);
    }

    /// The worker of the period, which is over if that one has passed enough key points, or cannot run.
    fn follow(&mut self, plan: &[(u32, Until)], order: &[u32]) -> u32 {
        while let Some(&(worker, until)) = plan.get(self.period) {
            if worker >= self.workers {
                // It is yet to be created.
                return order.iter().copied().min().unwrap_or(order[0]);
            }
            let is_through = matches!(until, Until::KeyPoint(count) if self.passed >= count);
            if order.contains(&worker) {
                if !is_through {
                    return worker;
                }
                self.stopped[self.period] = Some((worker, self.total(worker)));
            }
            self.period += 1;
            self.passed = 0;
        }
        // In the last period: who runs, then who was stopped, then who is next.
        let stopped = self.stopped.iter().flatten().map(|&(worker, _)| worker);
        let mut wanted = self.last.into_iter().chain(stopped);
        let next = wanted
            .find(|worker| order.contains(worker))
            .unwrap_or(order[0]);
        self.last = Some(next);
        next
    }

    /// The worker passes a key point.
    fn pass(&mut self, worker: u32, plan: &[(u32, Until)]) {
        let index = worker as usize;
        if self.totals.len() <= index {
            self.totals.resize(index + 1, 0);
        }
        self.totals[index] += 1;
        let is_its_period = plan
            .get(self.period)
            .is_some_and(|period| period.0 == worker);
        self.passed += u32::from(is_its_period);
    }

    fn total(&self, worker: u32) -> u32 {
        self.totals.get(worker as usize).copied().unwrap_or(0)
    }
}

impl Strategy for Period {
    fn begin(&mut self, beginning: &Beginning) {
        if self.is_exhausted {
            self.is_exhausted = false;
            self.plans.restart();
            self.made = 0;
        }
        self.rng = Rng::new(derive(beginning.seed, self.made));
        self.turns.begin();
        self.pending.begin();
        self.is_at_key.clear();
        self.keys.begin();
        self.execution.begin(self.plans.plan().len());
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let worker = WorkerId(self.decide(candidates));
        self.keys.note(worker, &candidates.pending(worker));
        self.turns.run(worker);
        if let Some(place) = self.pending.place(worker) {
            self.pending.pick(place, candidates.step(), 0);
        }
        Pick { worker, quantum: 0 }
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.rng.below(n)
    }

    fn fair_from(&self) -> u32 {
        u32::MAX
    }

    fn end(&mut self, _ending: &Ending) {
        self.made += 1;
        self.keys.end();
        let execution = &self.execution;
        self.left.clear();
        let left = execution.stopped.iter().map(|stop| match *stop {
            Some((worker, passed)) => execution.total(worker) - passed,
            None => 0,
        });
        self.left.extend(left);
        let goes_on = self
            .plans
            .advance(&self.left, self.keys.workers(), self.most);
        self.is_exhausted = !goes_on;
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        self.turns.enable(worker);
        self.pending.enter(worker);
        true
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        self.turns.disable(worker);
        self.pending.leave(worker);
    }

    fn on_created(&mut self, worker: WorkerId, _origin: Origin) {
        self.execution.workers = worker.0 + 1;
        self.is_at_key.push(false);
    }

    fn enumerator(&self) -> Option<&dyn Enumerator> {
        Some(self)
    }
}

impl Enumerator for Period {
    fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    fn progress(&self) -> Option<Progress> {
        Some(Progress {
            made: self.made,
            bound: if self.is_exhausted {
                Some(self.most)
            } else {
                self.plans.periods().checked_sub(1)
            },
            leaves_out: true,
            plans: true,
            ..Progress::default()
        })
    }
}
