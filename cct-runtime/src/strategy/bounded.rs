//! Systematic exploration by the number of preemptions, or of delays.

use super::tree::{Price, Selection, Tree};
use super::walk::{Walk, price_of_preemption};
use super::{Beginning, Candidates, Ending, Enumerator, Pick, Progress, Strategy, WorkerId};

/// Makes all schedules that cost nothing, then all that cost 1, and so on, each once.
///
/// **Idea.** Most bugs show when few things go against the grain. `preemption` counts how often a worker
/// loses its turn though it could go on: iterative context bounding (Musuvathi and Qadeer, PLDI 2007).
/// `delay-iterative` counts by how much a schedule deviates from that of a deterministic scheduler: delay
/// bounding (Emmi, Qadeer and Rakamarić, POPL 2011). That scheduler keeps the current worker as long as
/// it can go on, and then takes the next one in round-robin order of creation; each delay makes it pass
/// over one more.
///
/// **Guarantee.** A bug that needs no more than the bound is found. With k choice points and n workers
/// the number of schedules with d delays is of the order of k^d, whatever n is; with c preemptions it is of
/// the order of k^c times the number of orders in which workers can follow each other when they stop.
///
/// **Parameters.** The bound, inclusive; the search goes up to it from 0. If a lower bound left nothing
/// out, all schedules have been made, and it ends there.
///
/// **Departures.** Choices of values are free. A switch away from a worker that gives way is free too, and
/// it is passed over until each of the others has run. The rest for the next bound is kept in a tree
/// of bounded size (half a million nodes and the longest schedule). When that is not enough the next bound
/// begins anew, and makes the schedules below it a second time. As to programs that do not repeat
/// themselves, and becoming random: see [`Graph`](super::Graph).
#[derive(Debug)]
pub struct Bounded {
    walk: Walk,
    cost: Cost,
    bound: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cost {
    Preemptions,
    Delays,
}

impl Bounded {
    /// By preemptions, up to this number.
    pub fn by_preemptions(bound: u32) -> Bounded {
        Bounded::by(Cost::Preemptions, bound)
    }

    /// By delays, up to this number.
    pub fn by_delays(bound: u32) -> Bounded {
        Bounded::by(Cost::Delays, bound)
    }

    fn by(cost: Cost, bound: u32) -> Bounded {
        Bounded {
            walk: Walk::new(Tree::new(Selection::First, 0)),
            cost,
            bound,
        }
    }

    /// True if there is nothing left at the bound that the search is at, and none comes after it.
    fn is_done(&self) -> bool {
        let tree = &self.walk.tree;
        tree.is_done() && (tree.bound() == self.bound || !tree.is_cut())
    }
}

impl Strategy for Bounded {
    fn begin(&mut self, beginning: &Beginning) {
        let is_done = self.is_done();
        let tree = &mut self.walk.tree;
        if is_done {
            tree.restart(Selection::First, 0);
        }
        while tree.is_done() {
            // A bound need not add anything: then the next one might.
            tree.raise(tree.bound() + 1);
        }
        self.walk.begin(beginning);
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let price = match self.cost {
            Cost::Preemptions => price_of_preemption(candidates),
            Cost::Delays => Price::Delay,
        };
        self.walk.pick(candidates, price)
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.walk.choose(n)
    }

    fn fair_from(&self) -> u32 {
        u32::MAX
    }

    fn end(&mut self, _ending: &Ending) {
        self.walk.end();
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        self.walk.enable(worker);
        true
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        self.walk.disable(worker);
    }

    fn enumerator(&self) -> Option<&dyn Enumerator> {
        Some(self)
    }

    fn enumerator_mut(&mut self) -> Option<&mut dyn Enumerator> {
        Some(self)
    }
}

impl Enumerator for Bounded {
    fn makes_every_order(&self) -> bool {
        true
    }

    fn is_exhausted(&self) -> bool {
        self.is_done() && self.walk.tree.astray() == 0
    }

    fn progress(&self) -> Option<Progress> {
        let tree = &self.walk.tree;
        Some(Progress {
            bound: if tree.is_done() {
                Some(tree.bound())
            } else {
                tree.bound().checked_sub(1)
            },
            leaves_out: tree.is_cut(),
            plans: false,
            ..self.walk.progress()
        })
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(self.walk.save())
    }

    fn resume(&mut self, saved: &[u8]) -> bool {
        self.walk.resume(saved)
    }
}
