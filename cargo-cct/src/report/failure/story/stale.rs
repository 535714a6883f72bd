//! Loads that read an older store: all of them, and why they may, as far as atomics are too weak for more.

use std::collections::BTreeSet;
use std::ops::Range;

use cct::operation::Operation as Op;
use cct::trace::MemoryOrder;

use super::fact::Fact;
use super::raced::weaknesses;
use super::{Scene, Sentence};

/// At most this many loads are told. A schedule that was shrunk has none that it does not need.
const MOST: usize = 4;

fn loads<'a>(scene: &'a Scene<'_>) -> impl Iterator<Item = usize> + 'a {
    let before = 0..=scene.failing.min(scene.trace.steps.len().saturating_sub(1));
    before.filter(|&step| scene.step(step).older.is_some())
}

/// The loads, if not all of them are going to be told by the sentence of the `last` reads.
pub(super) fn sentence(scene: &Scene<'_>, last: &BTreeSet<usize>) -> Option<Sentence> {
    let all: Vec<usize> = loads(scene).collect();
    let is_told = all.iter().all(|load| last.contains(load));
    (!is_told && all.len() <= MOST).then(|| Sentence(all.into_iter().map(Fact::Does).collect()))
}

/// The atomics that would have shown a later store to these loads, if they were stronger.
pub(super) fn reasons(scene: &Scene<'_>) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    for load in loads(scene).take(MOST) {
        let it = scene.step(load);
        let read = it.older.as_ref().and_then(|older| older.step);
        let writes = |&step: &usize| {
            scene.step(step).object == it.object && scene.step(step).written.is_some()
        };
        // To know of the next store would have been enough.
        if let Some(missed) = (read.map_or(0, |read| read as usize + 1)..load).find(writes) {
            let by = |step: usize| (scene.step(step).worker, step);
            let weaknesses = weaknesses(scene, by(missed), by(load));
            sentences.extend(weaknesses.unwrap_or_else(|| unordered(scene, missed, load)));
        }
    }
    sentences.dedup();
    sentences
}

/// The same where no atomic told the load's worker of the store: then both would have to be sequentially
/// consistent, or have such fences between them, that of the store's worker first.
fn unordered(scene: &Scene<'_>, store: usize, load: usize) -> Vec<Sentence> {
    let is_sequential = |step: usize| scene.step(step).order == Some(MemoryOrder::SeqCst);
    let fence = |by: usize, mut steps: Range<usize>| {
        steps.find(|&step| {
            let is_fence = scene.operation(step) == Some(Op::Fence) && is_sequential(step);
            is_fence && scene.step(step).worker == scene.step(by).worker
        })
    };
    let seen = if is_sequential(store) {
        Some(store)
    } else {
        fence(store, store..load)
    };
    let looks = is_sequential(load) || fence(load, seen.unwrap_or(store)..load).is_some();
    let of_store = seen.is_none().then_some(Fact::MayBeMissed { store, load });
    let of_load = (!looks).then_some(Fact::MayMiss { store, load });
    let facts = of_store.into_iter().chain(of_load);
    facts.map(|fact| Sentence(vec![fact])).collect()
}
