//! Depth-first exploration with a scheduling graph.

use super::tree::{Price, Selection, Tree};
use super::walk::Walk;
use super::{Beginning, Candidates, Ending, Enumerator, Pick, Progress, Strategy, WorkerId};

/// Makes every schedule once, and knows how many alternatives are left.
///
/// **Idea.** A tree of the decisions made so far, with what could have been decided instead: each iteration
/// goes along it to an alternative that was not taken, and from there where nobody has been. The
/// *scheduling graph* of `ThreadFuzzer.NET`, with full enabled sets, so that counts are exact. A schedule
/// is the sequence of workers picked at choice points, and of the values chosen.
///
/// **Guarantee.** No schedule is made twice; when none is left, that was all of them, see
/// [`Progress::made`] and what qualifies it: [`Limits`](super::Limits), and [`Progress::astray`], without
/// which a bug that is in any schedule is found.
///
/// **Parameters.** None. `dfs` takes the first alternative of the deepest node: the current worker, then
/// the others in round-robin order. `graph-random` picks at each node among all children that are open,
/// with equal probabilities; `graph-weighted` in proportion to the number of unexplored schedules that is
/// to be expected below.
///
/// **Departures.** A worker that gave way is passed over until each of the others has run, or there would
/// be no end to spinning. Weights are not the numbers of known alternatives, as published: by those one
/// stays where one has been, since what is unknown counts nothing. They are estimated as by Knuth
/// (*Estimating the Efficiency of Backtrack Programs*, 1975): what nobody took is as large as its siblings
/// on the average. The tree has a bounded size (half a million nodes and the longest schedule); when it is
/// full, subtrees are explored depth first until there is room. Never becomes random: it would not find
/// again where it left off.
///
/// If the program does not repeat itself, what was recorded below the first difference is dropped, and
/// nothing is ever said to be exhausted; when the tree is used up all the same, the search starts over in
/// random order.
#[derive(Debug)]
pub struct Graph {
    walk: Walk,
    selection: Selection,
}

impl Graph {
    /// Depth first.
    pub fn first() -> Graph {
        Graph::by(Selection::First)
    }

    /// At random among the children that are open.
    pub fn random() -> Graph {
        Graph::by(Selection::Random)
    }

    /// At random, in proportion to what is expected to be left.
    pub fn weighted() -> Graph {
        Graph::by(Selection::Weighted)
    }

    fn by(selection: Selection) -> Graph {
        Graph {
            walk: Walk::new(Tree::new(selection, u32::MAX)),
            selection,
        }
    }
}

impl Strategy for Graph {
    fn begin(&mut self, beginning: &Beginning) {
        let tree = &mut self.walk.tree;
        if tree.is_done() {
            let again = match tree.astray() {
                0 => self.selection,
                _ => Selection::Random,
            };
            tree.restart(again, u32::MAX);
        }
        self.walk.begin(beginning);
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        self.walk.pick(candidates, Price::Free)
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

impl Enumerator for Graph {
    fn makes_every_order(&self) -> bool {
        true
    }

    fn is_exhausted(&self) -> bool {
        self.walk.tree.is_done() && self.walk.tree.astray() == 0
    }

    fn progress(&self) -> Option<Progress> {
        Some(self.walk.progress())
    }

    fn save(&self) -> Option<Vec<u8>> {
        Some(self.walk.save())
    }

    fn resume(&mut self, saved: &[u8]) -> bool {
        self.walk.resume(saved)
    }
}
