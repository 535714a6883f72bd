//! What a worker does in one step, and which steps' order matters.

use std::panic::Location;

use super::WorkerId;
use crate::operation::{Access, Operation};
use crate::trace::{Outcome, Value};

/// What a worker does in one step, or will do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Action {
    /// The kind.
    pub operation: Operation,
    /// The object's address, or 0.
    pub object: usize,
    /// A second object that it changes, or 0: the mutex that a wait on a condition variable releases.
    pub also: usize,
    /// The place in the source.
    pub site: &'static Location<'static>,
}

/// Objects that have no address: there are none so low.
///
/// Workers are numbered in order of creation, a look at the clock moves it, and random bytes come in a
/// row: each of the three is something that steps have in common.
pub(crate) const WORKERS: usize = 1;
/// See [`WORKERS`].
pub(crate) const CLOCK: usize = 2;
/// See [`WORKERS`].
#[cfg(feature = "engine")]
pub(crate) const RANDOM_BYTES: usize = 3;
/// The order of events is what a monitor is about, and that of changes is seen by conditions.
#[cfg(feature = "engine")]
pub(crate) const MONITORS: usize = 4;
/// A condition that is looked at after each step can tell the order of any two.
#[cfg(feature = "engine")]
pub(crate) const CONDITIONS: usize = 5;
/// Which tasks can go on, and who polls them: what tasks and those who drive them change by taking turns.
pub(crate) const TURNS: usize = 6;

/// The iteration: a step that ends it while others could go on is dependent on all others.
pub(crate) const ITERATION: usize = 7;

/// Returns the object that stands for the poison flag of the lock with this address. It is one of its own:
/// the step that gives a lock back does not look at it.
pub(crate) const fn poison_object(lock: usize) -> usize {
    lock + 1
}

impl Action {
    /// The objects that it is about, each with what it does to it; an object 0 is none.
    #[inline]
    pub fn accesses(&self) -> [(usize, Access); 2] {
        let object = match self.operation {
            Operation::Spawn => WORKERS,
            Operation::ClockRead => CLOCK,
            _ => self.object,
        };
        let access = self.operation.access();
        [(object, access), (self.also, Access::Writes)]
    }

    /// True if the two are *dependent*, in the words of partial-order reduction: done one after the other
    /// by different workers, their order can make a difference.
    ///
    /// They are if they are about one object and do not both only look at it, or both only
    /// [add](Access::Adds) to it. Two spawns are, since workers are numbered in order of creation, and so
    /// are two looks at the clock, which moves it. What the step does [beyond](super::Beyond) its operation
    /// is known only afterwards.
    #[inline]
    pub fn conflicts_with(&self, other: &Action) -> bool {
        let theirs = other.accesses();
        self.accesses().iter().any(|&(object, access)| {
            let conflicts =
                |&(other, their): &(usize, Access)| object == other && !access.commutes_with(their);
            object != 0 && theirs.iter().any(conflicts)
        })
    }

    /// True if it cannot change its object.
    #[inline]
    pub fn only_reads(&self) -> bool {
        self.operation.access() == Access::Reads
    }
}

/// A step that has been carried out.
#[derive(Clone, Copy, Debug)]
pub struct Executed {
    /// Its number, from 0.
    pub step: u32,
    /// The worker.
    pub worker: WorkerId,
    /// What it did.
    pub action: Action,
    /// How it ended.
    pub outcome: Outcome,
    /// The value read, if any.
    pub read: Option<Value>,
    /// The value written, if any.
    pub written: Option<Value>,
    /// Whether the worker had been waiting for it.
    pub resumed: bool,
    /// What the worker does next.
    pub next: Next,
}

/// What a worker does after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// It is a candidate, and will do this.
    Goes(Action),
    /// It waits, to do this.
    Waits(Action),
    /// It has ended, or the iteration has.
    Ends,
}

impl Executed {
    /// True if the worker goes on waiting for what the step was about.
    fn waits_on(&self) -> bool {
        let (operation, object) = (self.action.operation, self.action.object);
        matches!(self.next, Next::Waits(next) if (next.operation, next.object) == (operation, object))
    }

    /// As [`Action::accesses`], and more exact since it is known what came of it.
    pub fn accesses(&self) -> [(usize, Access); 2] {
        let mut accesses = self.action.accesses();
        let unchanged = self.written.is_some() && self.read == self.written;
        if self.outcome == Outcome::Refused || unchanged {
            accesses[0].1 = Access::Reads;
        }
        match self.action.operation {
            // A reader's, as that of a read lock that is waited for.
            Operation::TryRead if self.outcome == Outcome::Done => accesses[0].1 = Access::Adds,
            // When it runs the initialiser, it says so.
            Operation::CallOnce => accesses[0].1 = Access::Reads,
            _ => {}
        }
        let operation = self.action.operation;
        let is_acquired = if operation.tries_lock() {
            self.outcome == Outcome::Done
        } else {
            // A writer that finds readers has only said that it waits.
            operation.takes_lock() && !self.waits_on()
        };
        if is_acquired {
            accesses[1] = (poison_object(accesses[0].0), Access::Reads);
        }
        // These have done their work when they wait; what is left is to go on.
        let goes_on = operation.acts_first();
        if self.resumed && goes_on && self.outcome != Outcome::TimedOut {
            return [(0, Access::Reads); 2];
        }
        accesses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(operation: Operation, object: usize, also: usize) -> Action {
        Action {
            operation,
            object,
            also,
            site: Location::caller(),
        }
    }

    #[test]
    fn order_matters_where_an_object_changes() {
        let load = action(Operation::Load, 8, 0);
        let store = action(Operation::Store, 8, 0);
        let elsewhere = action(Operation::Store, 16, 0);
        let wait = action(Operation::Wait, 24, 8);
        assert!(!load.conflicts_with(&load));
        assert!(load.conflicts_with(&store) && store.conflicts_with(&load));
        assert!(store.conflicts_with(&store) && !store.conflicts_with(&elsewhere));
        assert!(wait.conflicts_with(&store) && store.conflicts_with(&wait));
    }

    #[test]
    fn readers_and_tokens_come_to_the_same_in_either_order() {
        let of = |operation| action(operation, 8, 0);
        let [read, unlock, write] =
            [Operation::Read, Operation::ReadUnlock, Operation::Write].map(of);
        assert!(!read.conflicts_with(&read) && !read.conflicts_with(&unlock));
        assert!(read.conflicts_with(&write) && write.conflicts_with(&unlock));
        assert!(!of(Operation::Unpark).conflicts_with(&of(Operation::Unpark)));
        assert!(of(Operation::Unpark).conflicts_with(&of(Operation::Park)));
    }

    #[test]
    fn what_has_no_object_is_independent_unless_it_counts() {
        let of = |operation| action(operation, 0, 0);
        assert!(!of(Operation::Fence).conflicts_with(&of(Operation::Fence)));
        assert!(!of(Operation::YieldNow).conflicts_with(&of(Operation::Spawn)));
        assert!(of(Operation::Spawn).conflicts_with(&of(Operation::Spawn)));
        assert!(of(Operation::ClockRead).conflicts_with(&of(Operation::ClockRead)));
    }
}
