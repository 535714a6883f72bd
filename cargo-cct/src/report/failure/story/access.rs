//! The ways in which a step goes about an object, for the patterns of interleavings.

use cct::operation::Operation as Op;

use super::scene::Scene;

/// The accesses that can be told apart without their values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    /// An atomic, of which values are known.
    Value,
    /// A lock that was taken, so that the data behind it may have changed.
    Lock,
    /// A call into a crate; its first operation stands for all of it.
    Call,
}

/// The way in which the step goes about its object, if stories tell of it.
pub(super) fn of(scene: &Scene<'_>, index: usize) -> Option<Access> {
    let step = scene.step(index);
    step.object?;
    if scene.is_own(index) && (step.read.is_some() || step.written.is_some()) {
        return Some(Access::Value);
    }
    if scene.is_own(index) && scene.takes(index) {
        return Some(Access::Lock);
    }
    let is_call = step.caller.is_some()
        && scene.is_called(index)
        && scene.names.what(step).is_some()
        && !scene.operation(index).is_some_and(Op::is_of_workers);
    is_call.then_some(Access::Call)
}
