//! A time-out that came although others could run, and the worker that was about to come.

use cct::trace::Outcome;

use super::fact::Fact;
use super::{Scene, Sentence};

/// The last such time-out.
pub(super) fn sentences(scene: &Scene<'_>) -> Vec<Sentence> {
    let is_early = |&index: &usize| {
        let step = scene.step(index);
        step.outcome == Outcome::TimedOut && !step.ahead_of.is_empty()
    };
    let last = scene.back_from(scene.failing + 1).find(is_early);
    let sentence = last.map(|index| {
        let mut facts = vec![Fact::TimesOut(index)];
        let lane = scene.lane(index);
        let mut after = index + 1..scene.trace.steps.len();
        let next = after.find(|&other| scene.is_same(index, other) && scene.lane(other) != lane);
        facts.extend(next.map(Fact::Does));
        Sentence(facts)
    });
    sentence.into_iter().collect()
}
