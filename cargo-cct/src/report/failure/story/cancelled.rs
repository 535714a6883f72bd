//! Futures that were dropped before they were ready: whole tasks, and those that an await was in, as in
//! a `select!`.

use cct::operation::Operation as Op;
use cct::trace::Outcome;

use super::super::describe;
use super::fact::Fact;
use super::{Scene, Sentence};

/// The engine's label of the end of a future that was dropped before it was ready.
const DROPPED: &str = "dropped";

/// The last task that was dropped before it had ended.
pub(super) fn task(scene: &Scene<'_>) -> Option<Sentence> {
    let index = last_drop(scene, scene.trace.steps.len(), Op::End)?;
    let worker = scene.step(index).worker;
    let mut before = scene.back_from(index);
    let waited = before.find(|&other| {
        scene.step(other).worker == worker && scene.step(other).outcome == Outcome::Waits
    })?;
    Some(Sentence(vec![Fact::Does(waited), Fact::Dropped(index)]))
}

/// The last await before the failure whose future was dropped while it waited.
pub(super) fn await_point(scene: &Scene<'_>) -> Option<Sentence> {
    let index = last_drop(scene, scene.failing, Op::Await)?;
    let step = scene.step(index);
    let mut before = scene.back_from(index);
    let waited = before.find(|&other| {
        let other = scene.step(other);
        (other.worker, other.site, other.outcome) == (step.worker, step.site, Outcome::Waits)
    });
    let begun = waited.map(Fact::Does);
    Some(Sentence(
        begun.into_iter().chain([Fact::Cancelled(index)]).collect(),
    ))
}

fn last_drop(scene: &Scene<'_>, until: usize, operation: Op) -> Option<usize> {
    scene.back_from(until).find(|&index| {
        let is_label = |label: &str| label == DROPPED;
        scene.operation(index) == Some(operation)
            && describe::label(scene.trace, scene.step(index)).is_some_and(is_label)
    })
}
