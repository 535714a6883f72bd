//! Futures that were dropped before they were ready: whole tasks, and those that an await was in, as in
//! a `select!`.

use cct::operation::Operation as Op;
use cct::trace::Outcome;

use super::super::describe;
use super::fact::Fact;
use super::{Scene, Sentence};

/// The engine's label of the end of a future that was dropped before it was ready.
const DROPPED: &str = "dropped";
/// At most so many awaits are told.
const MOST: usize = 2;

/// The last task that was dropped before it had ended.
pub(super) fn task(scene: &Scene<'_>) -> Option<Sentence> {
    let index = drops(scene, scene.trace.steps.len(), Op::End).next()?;
    let worker = scene.step(index).worker;
    let mut before = scene.back_from(index);
    let waited = before.find(|&other| {
        scene.step(other).worker == worker && scene.step(other).outcome == Outcome::Waits
    })?;
    Some(Sentence(vec![Fact::Does(waited), Fact::Dropped(index)]))
}

/// The awaits whose futures were dropped before they were ready: for each place the last time before the
/// failure, and only the latest places, since nobody knows which of them matters.
pub(super) fn await_points(scene: &Scene<'_>, until: usize) -> Vec<Sentence> {
    let mut dropped: Vec<usize> = Vec::new();
    for index in drops(scene, until, Op::Await) {
        let place = |index: usize| (scene.step(index).worker, scene.step(index).site);
        if dropped.len() < MOST && !dropped.iter().any(|&other| place(other) == place(index)) {
            dropped.push(index);
        }
    }
    let sentences = dropped.into_iter().rev().map(|index| {
        let step = scene.step(index);
        let mut before = scene.back_from(index);
        let begun = before.find(|&other| {
            let (worker, site) = (scene.step(other).worker, scene.step(other).site);
            (worker, site) == (step.worker, step.site) && scene.operation(other) == Some(Op::Await)
        });
        let begun = begun.map(Fact::Does);
        Sentence(begun.into_iter().chain([Fact::Cancelled(index)]).collect())
    });
    sentences.collect()
}

/// The steps by which futures were dropped before they were ready, the latest first.
fn drops(scene: &Scene<'_>, until: usize, operation: Op) -> impl Iterator<Item = usize> {
    scene.back_from(until).filter(move |&index| {
        let is_label = |label: &str| label == DROPPED;
        scene.operation(index) == Some(operation)
            && describe::label(scene.trace, scene.step(index)).is_some_and(is_label)
    })
}
