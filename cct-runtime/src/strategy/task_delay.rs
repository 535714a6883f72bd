//! Random delay bounding over chains of events.

use super::delays::Delays;
use super::members::Members;
use super::ring::Ring;
use super::{Beginning, Candidates, ChainId, Ending, Origin, Pick, Reason, Strategy, WorkerId};

/// Runs chains in turn, each until nobody can go on with it, but for D delays at random steps, each of which
/// passes over the chain whose turn it is.
///
/// **Idea.** Without a delay, each event of actors is taken right after its sender is done with its own, and
/// so are the events that this one causes: the order of cause and effect, in which a programmer thinks. A
/// delay makes one such cascade of events late, as a slow network or a busy node does. Tasks that wake each
/// other are chains as well.
///
/// **Guarantee.** That of [`Delay`](super::Delay), with chains for workers.
///
/// **Parameters.** `delays`: D, 5 unless given, as for `Delay`.
///
/// **Departures.** The scheduler is the causal one of Desai, Qadeer and Seshia, *Systematic Testing of
/// Asynchronous Reactive Systems* (FSE 2015): theirs keeps a stack of machines, puts the receiver of an event
/// above its sender, and a delay puts the top at the bottom. Here the chain takes the stack's place, since it
/// knows of tasks and threads as well: an actor has the chain of the event that it takes, and the first event
/// that a handler sends goes on with it. Chains go round by their numbers. Of a chain's candidates the one
/// that runs goes on, else the one that was created first. The steps of delays are drawn as in `Delay`, whose
/// treatment of yields and of `fair_after` is the same.
#[derive(Debug)]
pub struct TaskDelay {
    delays: Delays,
    members: Members,
    /// The chains that have a candidate.
    enabled: Ring,
    /// The chain whose turn it is.
    turn: u32,
}

impl TaskDelay {
    /// Schedules with this many delays.
    pub fn new(delays: u32) -> Self {
        TaskDelay {
            delays: Delays::new(delays),
            members: Members::default(),
            enabled: Ring::default(),
            turn: 0,
        }
    }

    /// The worker that goes on with the chain whose turn it is, or with the first one after it that somebody
    /// can go on with who does not give way. Its turn it is then.
    fn go_round(&mut self, running: WorkerId, gives_way: bool) -> WorkerId {
        loop {
            let candidates = self.members.of(ChainId(self.turn)).iter().copied();
            let others = candidates.filter(|&worker| !gives_way || worker != running);
            match others.min_by_key(|&worker| (worker != running, worker.0)) {
                Some(worker) => return worker,
                None => self.turn = self.enabled.after(self.turn),
            }
        }
    }
}

impl Strategy for TaskDelay {
    fn begin(&mut self, beginning: &Beginning) {
        self.delays.begin(beginning);
        self.members.clear();
        self.enabled.clear();
        self.turn = 0;
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let moment = candidates.moment();
        if let Some(pick) = self.delays.fair_pick(candidates, moment.step) {
            return pick;
        }
        let running = moment.current;
        let gives_way = moment.reason == Reason::Yield;
        let mut worker = self.go_round(running, gives_way);
        for _ in 0..self.delays.due(&moment) {
            self.turn = self.enabled.after(self.turn);
            worker = self.go_round(running, gives_way);
        }
        self.delays.pick(worker, moment.step)
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
        // Others may go on with the chain that it has left.
        true
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        let chain = self.members.enter(worker);
        self.enabled.insert(chain.0);
        self.delays.ticks.is_alone()
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        let chain = self.members.leave(worker);
        if self.members.of(chain).is_empty() {
            self.enabled.remove(chain.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::{Scene, play};
    use super::*;
    use crate::trace::WorkerKind;

    #[test]
    fn with_a_chain_for_each_worker_it_is_delay() {
        let steps = [12, 7, 20];
        for seed in 0..100 {
            let made = play(&mut TaskDelay::new(3), seed, &steps);
            assert_eq!(made, play(&mut super::super::Delay::new(3), seed, &steps));
        }
    }

    /// Without a delay.
    fn begun(chains: &[u32]) -> TaskDelay {
        let mut strategy = TaskDelay::new(0);
        strategy.begin(&Beginning {
            seed: 1,
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

    fn pick(strategy: &mut TaskDelay, enabled: &[u32], current: u32, reason: Reason) -> u32 {
        let scene = Scene {
            enabled: enabled.to_vec(),
            current,
            step: 5,
            reason,
        };
        strategy.pick(&scene).worker.0
    }

    #[test]
    fn a_chain_goes_on_until_nobody_has_it() {
        // Of chain 0 are workers 0, 2 and 3.
        let mut strategy = begun(&[0, 1, 0, 0]);
        let all = [0, 1, 2, 3];
        assert_eq!(pick(&mut strategy, &all, 2, Reason::Point), 2);
        strategy.on_disabled(WorkerId(2));
        assert_eq!(pick(&mut strategy, &[0, 1, 3], 2, Reason::Stopped), 0);
        // It takes an event of another chain; worker 3 goes on with this one.
        assert!(strategy.on_moved(WorkerId(0), ChainId(1)));
        assert_eq!(pick(&mut strategy, &[0, 1, 3], 0, Reason::Point), 3);
        strategy.on_disabled(WorkerId(3));
        assert_eq!(pick(&mut strategy, &[0, 1], 3, Reason::Stopped), 0);
    }

    #[test]
    fn who_gives_way_is_passed_over() {
        let mut strategy = begun(&[0, 1, 0]);
        assert_eq!(pick(&mut strategy, &[1, 2], 0, Reason::Yield), 2);
        strategy.on_disabled(WorkerId(2));
        assert_eq!(pick(&mut strategy, &[1], 0, Reason::Yield), 1);
        assert_eq!(pick(&mut strategy, &[0, 1], 1, Reason::Yield), 0);
    }
}
