//! The question that a strategy is asked at each scheduling point, and its answer.

use super::{Action, Rng, WorkerId};

/// A strategy's answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pick {
    /// The worker that runs next.
    pub worker: WorkerId,
    /// For how many further scheduling points it keeps running without the strategy being asked, as long
    /// as it can. This is what makes strategies that switch seldom fast. A strategy that observes is
    /// asked at each point all the same.
    pub quantum: u32,
}

impl Pick {
    /// Any of the candidates, for one step.
    #[inline]
    pub(super) fn uniform(candidates: &dyn Candidates, rng: &mut Rng) -> Pick {
        Pick {
            worker: candidates.nth(rng.below(candidates.len())),
            quantum: 0,
        }
    }

    /// Nobody: the strategy gives the iteration up, since whatever follows has been seen. It ends at once,
    /// and counts as neither passed nor cut off. A worker that has failed by then has failed.
    pub const ABANDON: Pick = Pick {
        worker: WorkerId(u32::MAX),
        quantum: 0,
    };
}

/// The workers that can run, as a strategy sees them; never empty.
pub trait Candidates {
    /// How many there are.
    fn len(&self) -> u32;
    /// The `index`-th of them, in an order that follows from the execution so far.
    fn nth(&self, index: u32) -> WorkerId;
    /// True if this worker is one of them.
    fn contains(&self, worker: WorkerId) -> bool;
    /// The next operation of a worker, candidate or not; the last step of one that has ended.
    fn pending(&self, worker: WorkerId) -> Action;
    /// The worker that ran last; it need not be a candidate.
    fn current(&self) -> WorkerId;
    /// Why the strategy is asked.
    fn reason(&self) -> Reason;
    /// The number of the coming step.
    fn step(&self) -> u32;
    /// The program's last description of its state, see `cct::state_hash`; 0 if none.
    fn state_hash(&self) -> u64 {
        0
    }
    /// All about the worker that ran last, in one question: at each step every question counts.
    fn moment(&self) -> Moment {
        let current = self.current();
        Moment {
            step: self.step(),
            current,
            reason: self.reason(),
            count: self.len(),
            pending: self.pending(current),
        }
    }
    /// Never: there is always somebody to pick.
    fn is_empty(&self) -> bool {
        false
    }
}

/// When a strategy is asked, after whom, and why; see [`Candidates`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// The number of the coming step.
    pub step: u32,
    /// The worker that ran last.
    pub current: WorkerId,
    /// Why the strategy is asked.
    pub reason: Reason,
    /// How many candidates there are.
    pub count: u32,
    /// The next operation of that worker.
    pub pending: Action,
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
