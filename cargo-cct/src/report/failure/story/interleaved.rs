//! A worker's two accesses to an object, with another worker's in between: updates that are lost, checks
//! that no longer hold, locks that were given back in between.

use cct::trace::{Outcome, Step};

use super::super::describe;
use super::access::{self, Access};
use super::fact::Fact;
use super::{Scene, Sentence, fails_where_it_is, last, words};

/// This many objects that the failing worker came to last are looked at.
const OBJECTS: usize = 6;
/// Accesses without values to an object with more of them are everyday, and say nothing.
const MOST_ACCESSES: usize = 16;
/// Only so many of the last steps are looked at for what is no lost update.
const NEAR: usize = 400;
/// At most this many accesses in between are named.
const MOST_BETWEEN: usize = 3;

/// The interleaving nearest to the failure, on an object that the failing worker came to; else on any.
pub(super) fn sentence(scene: &Scene<'_>) -> Option<Sentence> {
    if !fails_where_it_is(scene.bug.kind) {
        return None;
    }
    let marks = describe::all_overwrites(scene.trace);
    let lost = |index: usize| lost(scene, index, marks[index]?);
    let objects = objects(scene);
    let of_object = |object: u32| {
        let back = scene.back_from(scene.failing + 1);
        back.filter(move |&index| scene.step(index).object == Some(object))
    };
    let near = objects.iter().find_map(|&object| {
        let outdated = || {
            of_object(object)
                .take(NEAR)
                .find_map(|index| outdated(scene, index))
        };
        of_object(object).find_map(lost).or_else(outdated)
    });
    let updates = near.or_else(|| scene.back_from(scene.failing + 1).find_map(lost));
    if updates.is_some() || last::has_read(scene) {
        // Without values, locks and calls say less.
        return updates;
    }
    let resumed = |index: usize| resumed(scene, index);
    let near = objects
        .iter()
        .find_map(|&object| of_object(object).take(NEAR).find_map(resumed));
    near.or_else(|| {
        scene
            .back_from(scene.failing + 1)
            .take(NEAR)
            .find_map(resumed)
    })
}

/// The objects of the failing worker's last accesses, the latest first.
fn objects(scene: &Scene<'_>) -> Vec<u32> {
    let failed = scene.failed();
    let mut objects = Vec::new();
    for index in scene.back_from(scene.failing + 1) {
        let Some(object) = scene.step(index).object else {
            continue;
        };
        let is_access = scene.lane(index) == failed && access::of(scene, index).is_some();
        if is_access && !objects.contains(&object) {
            objects.push(object);
        }
        if objects.len() == OBJECTS {
            break;
        }
    }
    objects
}

/// A store over a write that its worker had not seen.
fn lost(scene: &Scene<'_>, index: usize, unseen: usize) -> Option<Sentence> {
    let read = before(scene, index, |step| step.read.is_some())?;
    (read < unseen && scene.is_own(index)).then(|| {
        Sentence(vec![
            Fact::Does(read),
            Fact::Does(unseen),
            Fact::Overwrites(index),
        ])
    })
}

/// A change of a value that another worker had changed since this one looked.
fn outdated(scene: &Scene<'_>, index: usize) -> Option<Sentence> {
    let step = scene.step(index);
    step.written.filter(|_| scene.is_own(index))?;
    let now = step.read?;
    let look = before(scene, index, |_| true)?;
    let seen = scene.step(look);
    let between = scene.writer(index).filter(|&write| write > look)?;
    let is_look = seen.written.is_none() && seen.read.is_some_and(|seen| seen != now);
    is_look.then(|| {
        Sentence(vec![
            Fact::Does(look),
            Fact::Does(between),
            Fact::Does(index),
        ])
    })
}

/// A lock that is taken again, or a call that is made again, after another worker's.
fn resumed(scene: &Scene<'_>, index: usize) -> Option<Sentence> {
    let kind = access::of(scene, index).filter(|&kind| kind != Access::Value)?;
    let accesses = |range: std::ops::Range<usize>| {
        range.filter(|&other| scene.is_same(index, other) && access::of(scene, other) == Some(kind))
    };
    let some = accesses(0..scene.failing + 1).take(MOST_ACCESSES + 1);
    if some.count() > MOST_ACCESSES {
        return None;
    }
    let lane = scene.lane(index);
    let first = accesses(0..index)
        .rev()
        .find(|&other| scene.lane(other) == lane)?;
    let mut between: Vec<usize> = accesses(first + 1..index).collect();
    between.dedup_by_key(|&mut other| (scene.lane(other), scene.place(other)));
    // A call may have several steps.
    let moved_on =
        |&other: &usize| scene.lane(other) == lane && scene.place(other) != scene.place(index);
    let is_one_call = kind == Access::Call
        && scene.place(first) == scene.place(index)
        && !(first..index).any(|other| moved_on(&other));
    if between.is_empty() || is_one_call {
        return None;
    }
    let mut facts = vec![Fact::Does(first)];
    let hidden = between.len().saturating_sub(MOST_BETWEEN);
    facts.extend(between[hidden..].iter().map(|&other| Fact::Does(other)));
    let is_repeated = words::does(scene, first, false) == words::does(scene, index, false);
    facts.push(if is_repeated {
        Fact::Again(index)
    } else {
        Fact::Does(index)
    });
    Some(Sentence(facts))
}

/// The last step before, of the same worker on the same object, that carried something out.
fn before(scene: &Scene<'_>, index: usize, is_it: impl Fn(&Step) -> bool) -> Option<usize> {
    let mut before = scene.back_from(index);
    before.find(|&other| {
        let step = scene.step(other);
        let is_done = matches!(step.outcome, Outcome::Done | Outcome::Refused);
        scene.is_same(index, other)
            && step.worker == scene.step(index).worker
            && is_done
            && is_it(step)
    })
}
