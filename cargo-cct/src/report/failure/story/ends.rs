//! A process that ended in the middle, or did not go on: where the other workers were.

use cct::operation::Operation as Op;
use cct::verdict::BugKind;

use super::fact::Fact;
use super::{Scene, Sentence};

/// At most so many others are told.
const MOST: usize = 3;

/// True for kinds of bug that are the end of all workers.
pub(super) fn is_for_all(kind: BugKind) -> bool {
    matches!(
        kind,
        BugKind::Exit
            | BugKind::Abort
            | BugKind::Signal
            | BugKind::StackOverflow
            | BugKind::OutOfMemory
            | BugKind::Hang
            | BugKind::Silence
    )
}

/// The last steps of the others that had not ended, the test's own first.
pub(super) fn sentence(scene: &Scene<'_>) -> Option<Sentence> {
    if !is_for_all(scene.bug.kind) {
        return None;
    }
    let mut lanes = vec![scene.failed()];
    let mut facts = Vec::new();
    for index in scene.back_from(scene.trace.steps.len()) {
        let lane = scene.lane(index);
        if lanes.contains(&lane) {
            continue;
        }
        lanes.push(lane);
        let is_told = !matches!(scene.operation(index), Some(Op::End | Op::Start));
        if is_told && scene.is_called(index) {
            facts.push((lane, Fact::WasAt(index)));
        }
    }
    facts.sort_by_key(|(lane, _)| *lane);
    let facts: Vec<Fact> = facts.into_iter().map(|(_, fact)| fact).take(MOST).collect();
    (!facts.is_empty()).then_some(Sentence(facts))
}
