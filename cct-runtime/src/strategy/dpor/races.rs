//! Which steps are in a race: dependent on each other, and in either order possible.

use super::super::Executed;
use super::execution::{Event, ends_all};
use crate::object::ObjectId;
use crate::operation::{Access, Operation};
use crate::trace::Outcome;

/// True if steps that did this and that are dependent.
pub(super) fn conflict(one: &[(ObjectId, Access)], other: &[(ObjectId, Access)]) -> bool {
    if ends_all(one) || ends_all(other) {
        return true;
    }
    one.iter().any(|&(object, access)| {
        other
            .iter()
            .any(|&(their, how)| object == their && !access.commutes_with(how))
    })
}

/// Returns the object that a step waits for, if it waits: that of its operation.
pub(super) fn own_object(step: &Executed) -> ObjectId {
    if step.action.operation.takes_turns() {
        ObjectId::POLLS
    } else {
        step.action.accesses()[0].0
    }
}

/// True if what the step waits for is held, or not there yet, before this event, and only the event's
/// worker can change that: with it, or later.
pub(super) fn cannot_go_first(step: &Executed, theirs: &Event) -> bool {
    let object = own_object(step);
    let gives_up = |operation| theirs.operation == operation && theirs.object == object;
    let was_refused = theirs.outcome == Outcome::Refused;
    match step.action.operation {
        Operation::Lock => {
            let waits = matches!(theirs.operation, Operation::Wait | Operation::WaitTimeout);
            // A wait whose time is over takes the lock in that step.
            let waits = waits && theirs.outcome != Outcome::TimedOut;
            gives_up(Operation::Unlock)
                || waits && theirs.also == object
                || was_refused && gives_up(Operation::TryLock)
        }
        Operation::Read => {
            gives_up(Operation::WriteUnlock)
                || gives_up(Operation::ReadUnlock)
                || was_refused && gives_up(Operation::TryRead)
        }
        Operation::Write => gives_up(Operation::WriteUnlock),
        // Nothing that they wait for can be undone.
        Operation::Join | Operation::ScopeEnd => true,
        Operation::CallOnce | Operation::OnceWait => gives_up(Operation::OnceDone),
        _ => false,
    }
}
