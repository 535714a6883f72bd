//! Workers that wait with nobody left who ends their wait: what they read before, and what came too early.

use std::collections::BTreeSet;

use cct::operation::Operation as Op;
use cct::verdict::{Unpolled, Wait};

use super::super::{actors, waits};
use super::cancelled;
use super::fact::{Awaited, Ends, Fact};
use super::held;
use super::notified;
use super::spinning;
use super::{Scene, Sentence};

/// Reads so many of the worker's own steps before the wait are looked at.
const NEAR: usize = 8;

/// Sentences about those that wait, but for circles, idle executors, and waits for others' ends.
pub(super) fn sentences(scene: &Scene<'_>) -> Vec<Sentence> {
    if scene.bug.waits.iter().any(|wait| wait.in_cycle) {
        return Vec::new();
    }
    let is_told =
        |wait: &&Wait| wait.task != Some(Unpolled::HeldBack) && !waits::is_idle(scene.trace, wait);
    let all: Vec<&Wait> = scene.bug.waits.iter().filter(is_told).collect();
    let is_for_end = |wait: &Wait| {
        matches!(Op::from_code(wait.operation), Some(Op::Join | Op::ScopeEnd))
            && wait.task.is_none()
    };
    let (ends, mut stuck): (Vec<&Wait>, Vec<&Wait>) =
        all.into_iter().partition(|wait| is_for_end(wait));
    if stuck.is_empty() {
        stuck = ends;
    }
    // Actors that have nothing to do are no reason, if somebody waits for something else.
    let is_busy = |wait: &&Wait| !actors::is_at_rest(scene.trace, wait);
    if stuck.iter().any(is_busy) {
        stuck.retain(is_busy);
    }
    // The test's body usually waits for the others.
    stuck.sort_by_key(|wait| scene.names.lane(wait.worker) == 0);
    let mut sentences: Vec<Sentence> = cancelled::task(scene).into_iter().collect();
    let (mut told, mut named) = (BTreeSet::new(), BTreeSet::new());
    for awaited in stuck.iter().flat_map(|wait| held::awaits(scene, wait)) {
        sentences.extend(outdated(scene, &awaited));
        let condvar = awaited
            .object
            .filter(|_| awaited.is_for(&[Op::Wait, Op::WaitTimeout]));
        if awaited.spins {
            sentences.extend(spinning::sentence(scene, &awaited));
        } else if let Some(condvar) = condvar {
            if told.insert(condvar) {
                let same = stuck.iter().map(|other| Awaited::of(scene, other));
                let same: Vec<Awaited> =
                    same.filter(|other| other.object == Some(condvar)).collect();
                sentences.extend(notifications(scene, condvar, &same));
            }
        } else {
            let mut sentence = alone(scene, awaited);
            let steps = sentence
                .0
                .iter()
                .filter_map(Fact::of_others)
                .collect::<Vec<_>>();
            if !steps.is_empty() && steps.iter().all(|step| named.contains(step)) {
                sentence.0.retain(|fact| fact.of_others().is_none());
            }
            named.extend(steps);
            sentences.push(sentence);
        }
    }
    sentences
}

/// A value that the worker read on its way to the wait, and that another changed since.
fn outdated(scene: &Scene<'_>, awaited: &Awaited) -> Option<Sentence> {
    let until = awaited
        .step
        .or_else(|| scene.last_of(awaited.worker).map(|last| last + 1))?;
    let own = scene
        .back_from(until)
        .filter(|&index| scene.step(index).worker == awaited.worker && scene.is_called(index));
    own.take(NEAR).find_map(|read| {
        let seen = scene
            .read(read)
            .filter(|_| scene.step(read).written.is_none())?;
        let mut after = read + 1..scene.trace.steps.len();
        let change = after.find(|&index| {
            let written = scene.step(index).written;
            scene.is_same(read, index)
                && scene.step(index).worker != awaited.worker
                && written.is_some_and(|written| written != seen)
        })?;
        Some(Sentence(vec![Fact::Does(read), Fact::Does(change)]))
    })
}

/// The last notifications of a condition variable, and those that wait for it in the end.
fn notifications(scene: &Scene<'_>, condvar: u32, waiting: &[Awaited]) -> Option<Sentence> {
    let all = notified::of(scene, condvar);
    let begun: Vec<usize> = waiting.iter().filter_map(|awaited| awaited.step).collect();
    let first = begun.iter().min()?;
    let before = all.iter().rfind(|one| one.step < *first);
    let to_nobody = before.filter(|one| one.waiting == 0);
    let mut named: Vec<_> = to_nobody.into_iter().chain(all.last()).collect();
    named.dedup();
    let mut facts: Vec<(usize, Fact)> = begun
        .iter()
        .map(|&step| (step, Fact::BeginsToWait(step)))
        .collect();
    facts.extend(named.iter().map(|one| {
        let fact = Fact::Notifies {
            step: one.step,
            to_nobody: one.waiting == 0,
            woke: one.woke,
        };
        (one.step, fact)
    }));
    facts.sort_by_key(|(step, _)| *step);
    let mut facts: Vec<Fact> = facts.into_iter().map(|(_, fact)| fact).collect();
    facts.push(Fact::NoMore(if all.is_empty() {
        Ends::NeverNotified
    } else {
        Ends::Notified
    }));
    Some(Sentence(facts))
}

/// A worker that waits for something else.
fn alone(scene: &Scene<'_>, awaited: Awaited) -> Sentence {
    let mut facts = Vec::new();
    let ends = [
        (Op::Park, Op::Unpark, Ends::Unparked),
        (Op::Recv, Op::Send, Ends::Sent),
    ];
    let object = awaited.object;
    let of_object = |op: Op| {
        let is_it = move |&index: &usize| {
            scene.step(index).object == object && scene.operation(index) == Some(op)
        };
        scene.back_from(scene.trace.steps.len()).find(is_it)
    };
    let found = ends.into_iter().find(|(op, ..)| awaited.is_for(&[*op]));
    let last = found.map(|(_, by, ends)| (object.and_then(|_| of_object(by)), ends));
    let since = awaited.step;
    let others = held::facts(scene, &awaited);
    let waits = Fact::WaitsFor {
        waits: awaited,
        holds: false,
    };
    match last {
        Some((Some(step), ends)) if since.is_some_and(|since| step < since) => {
            facts.extend([Fact::Does(step), waits, Fact::NoMore(ends)]);
        }
        _ => {
            facts.push(waits);
            facts.extend(others);
        }
    }
    Sentence(facts)
}
