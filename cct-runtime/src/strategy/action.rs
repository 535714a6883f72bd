//! The action of a worker in one step, and which steps' order matters.

use std::panic::Location;

use super::WorkerId;
use crate::object::ObjectId;
use crate::operation::{Access, Operation};
use crate::trace::{Outcome, Value};

/// The action of a worker in one step, past or pending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Action {
    /// The kind.
    pub operation: Operation,
    /// Its object.
    pub object: ObjectId,
    /// A second object that it changes: the mutex that a wait on a condition variable releases.
    pub also: ObjectId,
    /// The place in the source.
    pub site: &'static Location<'static>,
}

impl Action {
    /// The objects that it is about, each with what it does to it.
    #[inline]
    pub fn accesses(&self) -> [(ObjectId, Access); 2] {
        let object = match self.operation {
            Operation::Spawn => ObjectId::WORKERS,
            Operation::ClockRead => ObjectId::CLOCK,
            _ => self.object,
        };
        let access = self.operation.access();
        [(object, access), (self.also, Access::Writes)]
    }

    /// True if the two are *dependent*, in the words of partial-order reduction: done one after the other
    /// by different workers, their order can make a difference.
    ///
    /// They are if they are about one object and do not both only read it, or both only
    /// [add](Access::Adds) to it. Two spawns are, since workers are numbered in order of creation, and so
    /// are two readings of the clock, which move it. The effects of the step [beyond](super::Beyond) its
    /// operation are known only afterwards.
    #[inline]
    pub fn conflicts_with(&self, other: &Action) -> bool {
        let theirs = other.accesses();
        self.accesses().iter().any(|&(object, access)| {
            let conflicts = |&(other, their): &(ObjectId, Access)| {
                object == other && !access.commutes_with(their)
            };
            !object.is_none() && theirs.iter().any(conflicts)
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
    /// Its action.
    pub action: Action,
    /// How it ended.
    pub outcome: Outcome,
    /// The value read, if any.
    pub read: Option<Value>,
    /// The value written, if any.
    pub written: Option<Value>,
    /// Whether the worker had been waiting for it.
    pub resumed: bool,
    /// The next action of the worker.
    pub next: Next,
}

/// The course of a worker after a step.
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
    pub fn accesses(&self) -> [(ObjectId, Access); 2] {
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
            accesses[1] = (ObjectId::poison_of(accesses[0].0), Access::Reads);
        }
        // These have done their work when they wait; what is left is to go on.
        let goes_on = operation.acts_first();
        if self.resumed && goes_on && self.outcome != Outcome::TimedOut {
            return [(ObjectId::NONE, Access::Reads); 2];
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
            object: ObjectId::sample(object),
            also: ObjectId::sample(also),
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
