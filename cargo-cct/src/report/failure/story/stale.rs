//! Loads that read an older store: all of them, and why they may, as far as atomics are too weak for more.

use std::collections::BTreeSet;

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

/// The atomics that would have shown the latest stores to these loads, if they were stronger.
pub(super) fn reasons(scene: &Scene<'_>) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    for load in loads(scene).take(MOST) {
        let object = scene.step(load).object;
        let writes = |&step: &usize| {
            let it = scene.step(step);
            it.object == object && it.written.is_some()
        };
        if let Some(latest) = (0..load).rev().find(writes) {
            let by = |step: usize| (scene.step(step).worker, step);
            sentences.extend(weaknesses(scene, by(latest), by(load)));
        }
    }
    sentences.dedup();
    sentences
}
