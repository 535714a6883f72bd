//! Workers that wait for each other in a circle.

use cct::verdict::Wait;

use super::super::waits;
use super::fact::{Awaited, Fact};
use super::{Scene, Sentence};

/// A clause for each worker of the circle: what it holds, and what it waits for.
pub(super) fn sentence(scene: &Scene<'_>) -> Option<Sentence> {
    let circle: Vec<&Wait> = scene
        .bug
        .waits
        .iter()
        .filter(|wait| wait.in_cycle)
        .collect();
    let mut facts = Vec::new();
    for wait in in_order(&circle) {
        // The holder's own wait is told by the clause after the next.
        let held = circle
            .iter()
            .find(|other| other.holder == Some(wait.worker))?;
        let taken = waits::acquired(scene.trace, held, wait.worker);
        facts.extend(taken.map(Fact::Holds));
        facts.push(Fact::WaitsFor {
            waits: Awaited::of(scene, wait),
            holds: taken.is_some(),
        });
    }
    if let Some(trace) = (!facts.is_empty()).then_some(scene.trace) {
        let writers = scene.bug.waits.iter();
        let writers = writers.filter(|wait| waits::keeps_readers_out(scene.bug, trace, wait));
        let steps = writers.filter_map(|wait| Awaited::of(scene, wait).step);
        facts.extend(steps.take(1).map(Fact::KeepsOut));
    }
    (!facts.is_empty()).then_some(Sentence(facts))
}

/// The waits of the circle, each before that of the worker it waits for.
fn in_order<'a>(circle: &[&'a Wait]) -> Vec<&'a Wait> {
    let mut ordered: Vec<&Wait> = Vec::new();
    let mut next = circle.iter().min_by_key(|wait| wait.worker).copied();
    while let Some(wait) = next.filter(|wait| !ordered.iter().any(|one| one.worker == wait.worker))
    {
        ordered.push(wait);
        next = circle
            .iter()
            .find(|other| Some(other.worker) == wait.holder)
            .copied();
    }
    ordered
}
