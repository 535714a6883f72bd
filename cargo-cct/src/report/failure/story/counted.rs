//! Counts of references: words for what is done to them, and looks at what another worker has left.

use cct::operation::Operation as Op;
use cct::trace::{Outcome, Value};

use super::super::describe;
use super::fact::Fact;
use super::{Scene, Sentence, fails_where_it_is};

/// The last look at a count that another worker had changed.
pub(super) fn sentence(scene: &Scene<'_>) -> Option<Sentence> {
    if !fails_where_it_is(scene.bug.kind) {
        return None;
    }
    let mut before = scene.back_from(scene.failing + 1);
    before.find_map(|index| {
        let is_look = scene.operation(index).is_some_and(Op::counts_references)
            && !is_blind(scene, index)
            && scene.is_called(index);
        let writer = scene.writer(index).filter(|_| is_look)?;
        let is_others = scene.lane(writer) != scene.lane(index);
        is_others.then(|| Sentence(vec![Fact::Does(index), Fact::Written(writer)]))
    })
}

/// True for operations on counts by which the worker learns nothing: clones, and drops but for the last.
pub(super) fn is_blind(scene: &Scene<'_>, index: usize) -> bool {
    match scene.operation(index) {
        Some(Op::CountUp | Op::WeakUp | Op::WeakDown | Op::WeakWrite | Op::CountWrite) => true,
        Some(Op::CountDown) => scene.step(index).written != Some(Value::Unsigned(0)),
        _ => false,
    }
}

/// The verb for a change of a count that a later look depends on; none for other objects.
pub(super) fn has_left(scene: &Scene<'_>, index: usize) -> Option<&'static str> {
    let is_last = scene.step(index).written == Some(Value::Unsigned(0));
    match scene.operation(index)? {
        Op::CountDown | Op::WeakDown if is_last => Some("had dropped the last one"),
        Op::CountDown | Op::WeakDown => Some("had dropped one"),
        Op::CountUp | Op::WeakUp => Some("had cloned it"),
        Op::CountExchange if is_last => Some("had taken the value out"),
        Op::CountExchange | Op::WeakExchange => Some("had made one more"),
        Op::CountWrite | Op::WeakWrite => Some("had written it"),
        _ => None,
    }
}

/// The verb and the object of an operation on a count, if there are words for it.
pub(super) fn does(scene: &Scene<'_>, index: usize, object: &str) -> Option<String> {
    let step = scene.step(index);
    let now = step.written.map(describe::value);
    let now = now.map(|now| format!(" (now {now})")).unwrap_or_default();
    let is_last = step.written == Some(Value::Unsigned(0));
    Some(match scene.operation(index)? {
        Op::CountUp | Op::WeakUp => format!("cloned {object}{now}"),
        Op::CountDown if is_last => format!("dropped the last reference to {object}"),
        Op::CountDown | Op::WeakDown => format!("dropped {object}{now}"),
        Op::CountExchange if step.outcome == Outcome::Done && is_last => {
            format!("took the value out of {object}")
        }
        Op::CountExchange if step.outcome == Outcome::Done => format!("upgraded to {object}{now}"),
        Op::CountExchange | Op::CountRead => match step.read? {
            Value::Unsigned(0) => format!("found no reference to {object}"),
            Value::Unsigned(1) => format!("found 1 reference to {object}"),
            read => format!("found {} references to {object}", describe::value(read)),
        },
        _ => return None,
    })
}
