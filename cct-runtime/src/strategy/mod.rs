//! Strategies: the rules that pick who runs next.
//!
//! One algorithm a file. A strategy is a pure oracle: it sees the candidates and its own history, and
//! knows no locks, clocks or terminals. Everything it does follows from the seed it is given.

mod pct;
mod random;
mod rng;
mod spec;
#[cfg(test)]
pub(crate) mod stage;
mod sticky;

pub use pct::Pct;
pub use random::Random;
pub use rng::{Rng, derive};
pub use spec::{InvalidSpec, Member, Spec};
pub use sticky::Sticky;

use crate::operation::Operation;

/// A worker's number, in order of creation; the test's body is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WorkerId(pub u32);

/// A rule that picks who runs next.
pub trait Strategy {
    /// A new iteration begins; everything in it must follow from `beginning`.
    fn begin(&mut self, beginning: &Beginning);

    /// Picks one of the candidates.
    fn pick(&mut self, candidates: &dyn Candidates) -> Pick;

    /// A worker has become a candidate: a new one, or one that waited. True if the strategy wants to be
    /// asked at the next scheduling point, whatever quantum it gave.
    fn on_enabled(&mut self, worker: WorkerId) -> bool;

    /// Picks a number in `0..n`; `n` is at least 2.
    fn choose_index(&mut self, n: u32) -> u32;
}

/// What a strategy is told about an iteration.
#[derive(Clone, Copy, Debug)]
pub struct Beginning {
    /// The seed of this iteration.
    pub seed: u64,
    /// The most steps that any iteration of this test has had so far; 0 in the first.
    pub longest: u32,
    /// The step after which an unfair strategy must have become fair.
    pub fair_after: u32,
}

/// A strategy's answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pick {
    /// The worker that runs next.
    pub worker: WorkerId,
    /// For how many further scheduling points it keeps running without the strategy being asked, as long
    /// as it can. This is what makes strategies that switch seldom fast.
    pub quantum: u32,
}

/// The workers that can run, as a strategy sees them; never empty.
pub trait Candidates {
    /// How many there are.
    fn len(&self) -> u32;
    /// The `index`-th of them, in an order that follows from the execution so far.
    fn nth(&self, index: u32) -> WorkerId;
    /// True if this worker is one of them.
    fn contains(&self, worker: WorkerId) -> bool;
    /// What a candidate will do when it is picked.
    fn pending(&self, worker: WorkerId) -> Pending;
    /// The worker that ran last; it need not be a candidate.
    fn current(&self) -> WorkerId;
    /// Why the strategy is asked.
    fn reason(&self) -> Reason;
    /// The number of the coming step.
    fn step(&self) -> u32;
    /// Never: there is always somebody to pick.
    fn is_empty(&self) -> bool {
        false
    }
}

/// What a worker will do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// The kind.
    pub operation: Operation,
    /// The object's address, or 0.
    pub object: usize,
    /// The place in the source.
    pub site: &'static std::panic::Location<'static>,
}

/// Why a strategy is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The current worker is at a scheduling point and could go on.
    Point,
    /// The current worker spins or yields and its budget says that another must run now.
    Yield,
    /// The current worker waits or has ended.
    Stopped,
}

/// Builds a strategy.
pub fn build(member: Member) -> Box<dyn Strategy> {
    match member {
        Member::Random => Box::new(Random::default()),
        Member::Sticky(n) => Box::new(Sticky::new(n)),
        Member::Pct(depth) => Box::new(Pct::new(depth)),
    }
}
