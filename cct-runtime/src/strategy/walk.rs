//! An iteration's way through the scheduling graph.

use super::lengths::Lengths;
use super::tree::{Advice, Options, Price, Tree};
use super::turns::Turns;
use super::{Beginning, Candidates, Pick, Progress, Reason, Rng, WorkerId, derive};
use crate::codec::Wire as _;

/// Leads each iteration along the beginning of an earlier one, and then where nobody has been.
///
/// A point is known again by what it looks like: the worker that ran last and the operation that it is
/// about to do, at all choice points so far, and who can run. So the enabled set is compared together
/// with what each of its members will do, and at the cost of looking at one worker: each becomes the
/// current one before it is about to do something else.
#[derive(Debug)]
pub(super) struct Walk {
    pub(super) tree: Tree,
    pub(super) lengths: Lengths,
    turns: Turns,
    rng: Rng,
    /// The iteration so far.
    looks: u64,
    /// Stands for the set of candidates, however it came about.
    enabled: u64,
}

impl Walk {
    /// A walk through this tree.
    pub(super) fn new(tree: Tree) -> Walk {
        Walk {
            tree,
            lengths: Lengths::default(),
            turns: Turns::default(),
            rng: Rng::new(0),
            looks: 0,
            enabled: 0,
        }
    }

    /// An iteration begins.
    pub(super) fn begin(&mut self, beginning: &Beginning) {
        // By the number of schedules made: a search that is resumed goes on as it would have.
        let made = self.tree.leaves() + self.tree.astray();
        self.rng = Rng::new(derive(beginning.seed, made));
        self.looks = 0;
        self.enabled = 0;
        self.turns.begin();
        self.lengths.begin();
        self.tree.begin();
    }

    /// Picks a candidate; `price` says what the others than the first in round-robin order cost.
    pub(super) fn pick(&mut self, candidates: &dyn Candidates, price: Price) -> Pick {
        let width = self.turns.count(candidates);
        let worker = match width {
            1 if candidates.len() == 1 => candidates.nth(0),
            1 => WorkerId(self.turns.order(candidates)[0]),
            _ => {
                let worker = self.pick_among(candidates, price);
                self.lengths.run(worker);
                worker
            }
        };
        self.turns.run(worker);
        Pick {
            worker,
            // A worker that is alone stays alone until another one is enabled.
            quantum: if candidates.len() == 1 { u32::MAX } else { 0 },
        }
    }

    fn pick_among(&mut self, candidates: &dyn Candidates, price: Price) -> WorkerId {
        self.look(candidates);
        let looks = fold(self.looks ^ self.enabled);
        let advice = self.tree.arrive(looks, &mut self.rng);
        if let Advice::Follow(label) = advice {
            if candidates.contains(WorkerId(label)) {
                return WorkerId(label);
            }
            self.tree.go_astray();
        }
        let order = self.turns.order(candidates);
        let options = Options::Workers(order, self.lengths.left(order));
        if advice == Advice::Grow {
            self.tree.grow(looks, options, price);
        }
        WorkerId(self.tree.branch(options, &mut self.rng))
    }

    /// Picks a value below `n`.
    pub(super) fn choose(&mut self, n: u32) -> u32 {
        let looks = fold(mix(self.looks, u64::from(n)));
        let advice = self.tree.arrive(looks, &mut self.rng);
        if let Advice::Follow(value) = advice {
            if value < n {
                return value;
            }
            self.tree.go_astray();
        }
        if advice == Advice::Grow {
            self.tree.grow(looks, Options::Values(n), Price::Free);
        }
        self.tree.branch(Options::Values(n), &mut self.rng)
    }

    /// The worker has become a candidate.
    pub(super) fn enable(&mut self, worker: WorkerId) {
        self.turns.enable(worker);
        self.enabled ^= derive(0, u64::from(worker.0));
    }

    /// The worker is no longer a candidate.
    pub(super) fn disable(&mut self, worker: WorkerId) {
        self.turns.disable(worker);
        self.enabled ^= derive(0, u64::from(worker.0));
    }

    /// The iteration has ended.
    pub(super) fn end(&mut self) {
        self.tree.end();
        self.lengths.end();
    }

    /// All that is known, see [`Enumerator::save`](super::Enumerator::save).
    pub(super) fn save(&self) -> Vec<u8> {
        let mut bytes = self.tree.to_bytes();
        self.lengths.put(&mut bytes);
        bytes
    }

    /// Goes on from what was saved; false if it cannot be read.
    pub(super) fn resume(&mut self, mut saved: &[u8]) -> bool {
        let (tree, lengths) = (Tree::take(&mut saved), Lengths::take(&mut saved));
        let (Some(tree), Some(lengths)) = (tree, lengths) else {
            return false;
        };
        (self.tree, self.lengths) = (tree, lengths);
        saved.is_empty()
    }

    /// How far the search is.
    pub(super) fn progress(&self) -> Progress {
        Progress {
            made: self.tree.leaves(),
            open: self.tree.open(),
            expected: self.tree.expected(),
            astray: self.tree.astray(),
            ..Progress::default()
        }
    }

    /// Takes into account what the current worker will do, and why the strategy is asked.
    fn look(&mut self, candidates: &dyn Candidates) {
        let current = candidates.current();
        let action = candidates.pending(current);
        let site = action.site;
        let place = u64::from(site.line()) << 32 | u64::from(site.column());
        let reason = candidates.reason() as u64;
        let what = u64::from(current.0) << 16 | (action.operation as u64) << 8 | reason;
        self.looks = mix(mix(self.looks, what), place);
    }
}

/// The cost of a switch away from the current worker when preemptions count.
pub(super) fn price_of_preemption(candidates: &dyn Candidates) -> Price {
    if candidates.reason() == Reason::Point {
        Price::Preemption
    } else {
        Price::Free
    }
}

fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(29)
}

fn fold(hash: u64) -> u32 {
    (hash >> 32) as u32 ^ hash as u32
}
