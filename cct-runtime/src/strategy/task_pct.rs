//! PCT over chains of tasks.

use super::members::Members;
use super::priorities::Priorities;
use super::{Beginning, Candidates, ChainId, Ending, Origin, Pick, Reason, Strategy, WorkerId};

/// PCT with priorities for chains instead of workers; among the candidates of one chain it is uniform.
///
/// **Idea.** An asynchronous program has many short tasks, most of which only go on with what another
/// began. With a priority for each, PCT reorders at every continuation, and a bug that needs one request
/// to come before another as a whole is out of reach. A continuation inherits the chain, and with it the
/// priority, of the work that it goes on with. An actor has the chain of the event that it takes: the first
/// event that a handler sends goes on with its own chain, each further one begins another.
///
/// **Guarantee.** That of [`Pct`](super::Pct), with the number of chains for n, for bugs that no
/// reordering within a chain is needed for. Where each worker is a chain of its own it is `Pct`.
///
/// **Parameters.** `depth`: d, at least 1; 3 unless given, as for PCT, so that the two can be compared.
/// Coyote uses 10.
///
/// **Departures.** From Deligiannis et al., *Industrial-Strength Controlled Concurrency Testing for C#
/// Programs with Coyote* (TACAS 2023), and from Coyote's code: there are exactly d-1 change points and
/// each gives its own priority, as in PCT; Coyote draws up to d of them and moves a chain behind all
/// others. The first iteration has change points too. Giving way and `fair_after` are as in `Pct`.
#[derive(Debug)]
pub struct TaskPct {
    priorities: Priorities,
    members: Members,
    fair_after: u32,
}

impl TaskPct {
    /// PCT over chains for bugs of this depth, at least 1.
    pub fn new(depth: u32) -> Self {
        TaskPct {
            priorities: Priorities::new(depth),
            members: Members::default(),
            fair_after: 0,
        }
    }

    /// Picks uniformly among the candidates of a chain.
    fn pick_from(&mut self, chain: ChainId, gives_way: Option<WorkerId>) -> Pick {
        let members = self.members.of(chain);
        if let [worker] = *members {
            let quantum = self.priorities.quantum();
            return Pick { worker, quantum };
        }
        let except = gives_way.filter(|&worker| self.members.chain_of(worker) == chain);
        let count = members.len() as u32 - u32::from(except.is_some());
        let index = self.priorities.rng.below(count) as usize;
        let worker = match members[index] {
            // The last one is not drawn then, and stands in.
            worker if Some(worker) == except => members[count as usize],
            worker => worker,
        };
        Pick { worker, quantum: 0 }
    }
}

impl Strategy for TaskPct {
    fn begin(&mut self, beginning: &Beginning) {
        self.priorities.begin(beginning);
        self.members.clear();
        self.fair_after = beginning.fair_after;
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let moment = candidates.moment();
        let step = moment.step;
        if step >= self.fair_after {
            return Pick::uniform(candidates, &mut self.priorities.rng);
        }
        let gives_way = (moment.reason == Reason::Yield).then_some(moment.current);
        let sinks = gives_way.map(|worker| self.members.chain_of(worker));
        let members = &self.members;
        let can_run = |chain: u32| {
            let candidates = members.of(ChainId(chain)).len();
            candidates > usize::from(sinks == Some(ChainId(chain)))
        };
        let sinks = sinks.map(|chain| chain.0);
        let chain = self.priorities.pick(&moment, sinks, can_run);
        let pick = self.pick_from(ChainId(chain), gives_way);
        Pick {
            quantum: pick.quantum.min(self.fair_after - step - 1),
            ..pick
        }
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.priorities.rng.below(n)
    }

    fn fair_from(&self) -> u32 {
        self.fair_after
    }

    fn end(&mut self, ending: &Ending) {
        self.priorities.end(ending.steps);
    }

    fn on_created(&mut self, worker: WorkerId, origin: Origin) {
        self.members.create(worker, origin.chain);
    }

    fn on_continued(&mut self, worker: WorkerId, chain: ChainId) {
        self.members.go_on(worker, chain);
    }

    fn heeds_chains(&self) -> bool {
        true
    }

    fn on_moved(&mut self, worker: WorkerId, chain: ChainId) -> bool {
        self.on_disabled(worker);
        self.on_continued(worker, chain);
        self.on_enabled(worker);
        // The one that runs may have come to a lower priority.
        true
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        let chain = self.members.enter(worker);
        self.priorities.enter(chain.0)
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        self.members.leave(worker);
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::{Scene, play, preemptions};
    use super::*;
    use crate::trace::WorkerKind;

    /// A strategy with candidates 0, 1, …, of these chains.
    fn begun(chains: &[u32], seed: u64) -> TaskPct {
        let mut strategy = TaskPct::new(1);
        strategy.begin(&Beginning {
            seed,
            index: 0,
            longest: 100,
            fair_after: 100,
        });
        for (worker, &chain) in chains.iter().enumerate() {
            let worker = WorkerId(worker as u32);
            let origin = Origin {
                parent: None,
                chain: ChainId(chain),
                kind: WorkerKind::Thread,
            };
            strategy.on_created(worker, origin);
            strategy.on_enabled(worker);
        }
        strategy
    }

    fn pick(strategy: &mut TaskPct, enabled: &[u32], current: u32, reason: Reason) -> u32 {
        let scene = Scene {
            enabled: enabled.to_vec(),
            current,
            step: 5,
            reason,
        };
        strategy.pick(&scene).worker.0
    }

    /// Worker 4 is alone in its chain and is picked first at half of the seeds: 500 of 1,000, with a
    /// standard deviation of 16; the others share the rest, 125 each with one of 10.5.
    #[test]
    fn chains_have_priorities_and_their_workers_have_none() {
        let mut first = [0_i32; 5];
        for seed in 0..1000 {
            let mut strategy = begun(&[0, 0, 0, 0, 1], seed);
            let of_chain_0 = |worker: u32| worker < 4;
            let chosen = pick(&mut strategy, &[0, 1, 2, 3, 4], 0, Reason::Point);
            first[chosen as usize] += 1;
            let again = pick(&mut strategy, &[0, 1, 2, 3, 4], chosen, Reason::Point);
            assert_eq!(of_chain_0(again), of_chain_0(chosen));
        }
        assert!((first[4] - 500).abs() < 5 * 16);
        assert!(first[..4].iter().all(|count| (count - 125).abs() < 5 * 11));
    }

    #[test]
    fn a_chain_whose_worker_gives_way_runs_last() {
        for seed in 0..100 {
            let mut strategy = begun(&[0, 0, 1], seed);
            let gives_way = pick(&mut strategy, &[0, 1, 2], 0, Reason::Point);
            let others = (0..3).filter(|&worker| worker != gives_way);
            let others: Vec<u32> = others.collect();
            let chosen = pick(&mut strategy, &others, gives_way, Reason::Yield);
            assert_eq!(chosen == 2, gives_way < 2);
            let again = pick(&mut strategy, &[0, 1, 2], chosen, Reason::Point);
            assert_eq!(again == 2, gives_way < 2);
        }
    }

    #[test]
    fn with_a_chain_for_each_worker_it_is_pct() {
        let steps = [12, 7, 20];
        for seed in 0..100 {
            let made = play(&mut TaskPct::new(3), seed, &steps);
            assert_eq!(made, play(&mut super::super::Pct::new(3), seed, &steps));
            assert!(preemptions(&made, &steps) <= 2);
        }
    }
}
