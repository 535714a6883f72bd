//! A worker that goes round and round: what it finds each time, and who left that so.

use cct::operation::Operation as Op;
use cct::trace::Outcome;

use super::fact::{Awaited, Fact};
use super::last::none_wrote;
use super::{Scene, Sentence};

/// A round has at most so many steps that are told.
const LONGEST: usize = 4;

/// The round in which the schedule ended.
pub(super) fn sentence(scene: &Scene<'_>, awaited: &Awaited) -> Option<Sentence> {
    let own = scene
        .back_from(scene.trace.steps.len())
        .filter(|&index| scene.step(index).worker == awaited.worker);
    let own: Vec<usize> = own.collect();
    let looks = own.iter().copied().filter(|&index| looks(scene, index));
    let looks: Vec<usize> = looks.collect();
    let (round, times) = round(scene, &looks).or_else(|| round(scene, &own))?;
    let mut facts = Vec::new();
    for (step, last) in round {
        facts.push(Fact::Repeats { step, times });
        facts.extend(left_by(scene, last));
    }
    Some(Sentence(facts))
}

/// True if the step found something out.
fn looks(scene: &Scene<'_>, index: usize) -> bool {
    scene.read(index).is_some() || is_refused_lock(scene, index)
}

fn is_refused_lock(scene: &Scene<'_>, index: usize) -> bool {
    let tries = scene.operation(index).is_some_and(Op::tries_lock);
    tries && scene.step(index).outcome == Outcome::Refused
}

/// The steps of the rounds in which these end, of which the latest is the first: each in the first round and
/// in the last one; and how many rounds there are.
fn round(scene: &Scene<'_>, back: &[usize]) -> Option<(Vec<(usize, usize)>, usize)> {
    let key = |&index: &usize| {
        let step = scene.step(index);
        let values = (step.read, step.written, step.outcome);
        (step.operation, step.object, step.site, values)
    };
    (1..=LONGEST).find_map(|length| {
        let later = back.iter();
        let earlier = back.get(length..)?.iter();
        let again = later
            .zip(earlier)
            .take_while(|(one, other)| key(one) == key(other));
        let times = 1 + again.count() / length;
        let first = back.get((times - 1) * length..times * length)?;
        let steps = first.iter().copied().zip(back[..length].iter().copied());
        (times > 1).then(|| (steps.rev().collect(), times))
    })
}

/// The step that left the object as a repeated one found it.
fn left_by(scene: &Scene<'_>, step: usize) -> Option<Fact> {
    if is_refused_lock(scene, step) {
        let mut before = scene.back_from(step);
        let is_take = |&other: &usize| scene.is_same(step, other) && scene.takes(other);
        return before.find(is_take).map(Fact::Taken);
    }
    let read = scene.step(step).read?;
    Some(match scene.writer(step) {
        Some(writer) if scene.step(writer).written == Some(read) => Fact::Written(writer),
        Some(last) => none_wrote(scene, step, last),
        None => Fact::Unwritten,
    })
}
