//! PCTWM, probabilistic concurrency testing for weak memory.

use super::{Beginning, Candidates, Ending, Pick, Reason, Rng, Strategy, WorkerId};
use crate::operation::Operation;

/// Runs the worker with the highest priority, which sees nothing of the others but at d random operations on
/// atomics: before each of them it is put off, and if it reads, it reads one of the latest stores.
///
/// **Idea.** Under weak memory the order of steps alone makes no bug: what counts is which reads see the
/// writes of other threads. A bug of depth d needs d such reads, and all others may see what their thread
/// knows already. So most reads are local, where under sequential consistency all would see the latest store.
///
/// **Guarantee.** None that was shown. Gao, Chakraborty and Kulahcioglu Ozkan, *Probabilistic Concurrency
/// Testing for Weak Memory Programs* (ASPLOS 2023, doi 10.1145/3575693.3575729), have one for their
/// algorithm, of which this is the idea.
///
/// **Parameters.** `depth`: d, at least 1. They are drawn from as many operations as the longest iteration so
/// far has had.
///
/// **Departures.** The number of stores that a read chooses from is drawn for each iteration, from 1 to 4. A
/// local read is that of the oldest store that the engine allows, which is the latest that the thread must
/// know of; after two of them in a row it sees the latest one, so that a loop that waits ends. Stores can be
/// put off as well as reads: a strategy does not know orderings, and the order of sequentially consistent
/// operations matters. Operations that replace a value see the latest store, and where memory is not weak all
/// reads do. A worker that gives way drops below all others; after `fair_after` steps the walk is uniformly
/// random.
#[derive(Debug)]
pub struct Pctwm {
    depth: u32,
    rng: Rng,
    fair_after: u32,
    /// By worker.
    workers: Vec<Entry>,
    /// The operations on atomics, by number in this iteration, before which a worker is put off; the latest
    /// first. Each has the priority that it gets.
    delays: Vec<(u32, u64)>,
    /// The number of operations so far.
    operations: u32,
    /// The most of an iteration so far.
    most_operations: u32,
    /// How many of the latest stores a read may see that sees those of others.
    history: u32,
    /// The worker of the step under way was put off before it.
    sees_others: bool,
    /// The priority of the next worker to give way.
    given_way: u64,
}

/// A worker.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// 0 for one that has not been seen.
    priority: u64,
    /// It is about to make an operation before which it was put off.
    is_put_off: bool,
}

/// Above it lie the priorities that are given first, below it those of workers that were put off.
const INITIAL: u64 = 1 << 63;
/// Above it lie the priorities of workers that were put off, below it those of who gave way.
const PUT_OFF: u64 = 1 << 62;
/// The most stores that a read chooses from.
const MOST_HISTORY: u32 = 4;
/// The operations that the first iteration is taken to have.
const FIRST_OPERATIONS: u32 = 16;

impl Pctwm {
    /// PCTWM for bugs of this depth, at least 1.
    pub fn new(depth: u32) -> Self {
        Pctwm {
            depth,
            rng: Rng::new(0),
            fair_after: 0,
            workers: Vec::new(),
            delays: Vec::new(),
            operations: 0,
            most_operations: 0,
            history: 1,
            sees_others: false,
            given_way: PUT_OFF,
        }
    }

    /// Draws the operations that are put off, and which of the lowest priorities each gives.
    fn draw_delays(&mut self) {
        let among = match self.most_operations {
            0 => FIRST_OPERATIONS,
            most => most,
        };
        self.delays.clear();
        while self.delays.len() < self.depth.min(among) as usize {
            let (number, lowest) = (1 + self.rng.below(among), self.delays.len() as u64 + 1);
            if self.delays.iter().all(|&(other, _)| other != number) {
                self.delays.push((number, PUT_OFF + lowest));
            }
        }
        self.delays.sort_unstable_by(|one, other| other.cmp(one));
    }

    fn entry(&mut self, worker: WorkerId) -> &mut Entry {
        let index = worker.0 as usize;
        if self.workers.len() <= index {
            self.workers.resize(index + 1, Entry::default());
        }
        let entry = &mut self.workers[index];
        if entry.priority == 0 {
            entry.priority = INITIAL | (self.rng.bits() >> 1);
        }
        entry
    }

    /// The candidate with the highest priority.
    fn highest(&mut self, candidates: &dyn Candidates) -> WorkerId {
        let all = (0..candidates.len()).map(|index| candidates.nth(index));
        all.max_by_key(|&worker| self.entry(worker).priority)
            .expect("there is a candidate")
    }
}

/// True for an operation on an atomic that can be put off.
fn may_be_put_off(operation: Operation) -> bool {
    matches!(operation, Operation::Load | Operation::Store) || operation.updates_atomic()
}

impl Strategy for Pctwm {
    fn begin(&mut self, beginning: &Beginning) {
        self.rng = Rng::new(beginning.seed);
        self.fair_after = beginning.fair_after;
        self.workers.clear();
        self.operations = 0;
        self.history = 1 + self.rng.below(MOST_HISTORY);
        self.sees_others = false;
        self.given_way = PUT_OFF;
        self.draw_delays();
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        if candidates.step() >= self.fair_after {
            self.sees_others = true;
            return Pick::uniform(candidates, &mut self.rng);
        }
        if candidates.reason() == Reason::Yield {
            self.given_way -= 1;
            let below_all = self.given_way;
            self.entry(candidates.current()).priority = below_all;
        }
        loop {
            let worker = self.highest(candidates);
            self.sees_others = self.entry(worker).is_put_off;
            if !self.sees_others && may_be_put_off(candidates.pending(worker).operation) {
                self.operations += 1;
                let number = self.operations;
                if let Some((_, priority)) =
                    self.delays.pop_if(|&mut (delayed, _)| delayed == number)
                {
                    *self.entry(worker) = Entry {
                        priority,
                        is_put_off: true,
                    };
                    continue;
                }
            }
            self.entry(worker).is_put_off = false;
            // Each operation is to be told from the others.
            return Pick { worker, quantum: 0 };
        }
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.rng.below(n)
    }

    fn choose_store(&mut self, n: u32, _drawn: u32) -> u32 {
        if self.sees_others {
            self.rng.below(n.min(self.history))
        } else {
            n - 1
        }
    }

    fn fair_from(&self) -> u32 {
        self.fair_after
    }

    fn end(&mut self, _ending: &Ending) {
        self.most_operations = self.most_operations.max(self.operations);
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::{play, preemptions};
    use super::*;

    /// All steps on the stage are loads.
    #[test]
    fn a_worker_is_put_off_at_most_so_often() {
        let steps = [20, 20, 20];
        let mut pctwm = Pctwm::new(2);
        let most = (0..500).map(|seed| preemptions(&play(&mut pctwm, seed, &steps), &steps));
        assert_eq!(most.max(), Some(2));
    }

    #[test]
    fn reads_are_local_unless_they_were_put_off() {
        let mut pctwm = Pctwm::new(1);
        play(&mut pctwm, 3, &[1]);
        pctwm.sees_others = false;
        assert_eq!(pctwm.choose_store(5, 0), 4);
        (pctwm.sees_others, pctwm.history) = (true, 2);
        let seen: Vec<u32> = (0..100).map(|_| pctwm.choose_store(5, 0)).collect();
        assert!(seen.contains(&0) && seen.contains(&1) && !seen.contains(&2));
    }

    /// One of 20 operations is put off: each 200 times of 4,000 on the average, with a standard deviation of
    /// 14.
    #[test]
    fn each_operation_is_put_off_as_often() {
        let mut pctwm = Pctwm::new(1);
        pctwm.most_operations = 20;
        let mut counts = [0; 20];
        for _ in 0..4000 {
            pctwm.draw_delays();
            let &[(number, _)] = &pctwm.delays[..] else {
                panic!("one operation")
            };
            counts[number as usize - 1] += 1;
        }
        assert!(counts.iter().all(|&count| (130..270).contains(&count)));
    }
}
