//! The locks and the like of crates, and std's that have several holders: who came to the same object before.
//!
//! A worker that waits in a call into a crate waits because of the state of an object. The trace does
//! not say which of the others' calls left it so; the report tells the last of each, and does not say
//! who holds it.

use cct::operation::Operation as Op;
use cct::trace::{AwaitPoint, Outcome, Site, WorkerKind};
use cct::verdict::{Unpolled, Wait};

use super::super::{describe, names};
use super::Scene;
use super::access::{self, Access};
use super::fact::{Awaited, Fact};

/// At most so many others are told.
const MOST: usize = 3;

/// The last that each worker did with the object of the wait before the call that it waits in, the
/// latest last.
pub(super) fn facts(scene: &Scene<'_>, awaited: &Awaited) -> Vec<Fact> {
    let readers = readers(scene, awaited);
    if !readers.is_empty() {
        return readers;
    }
    let Some(object) = object_of_call(scene, awaited) else {
        return Vec::new();
    };
    let of_object = || {
        let back = scene.back_from(scene.trace.steps.len());
        back.filter(|&index| scene.step(index).object == Some(object))
    };
    if of_object().any(|index| is_executors(scene, index)) {
        // The object is a task, and its executor's as well.
        return Vec::new();
    }
    let mut lanes = Vec::new();
    let mut found = Vec::new();
    for index in of_object() {
        let lane = scene.lane(index);
        let is_call = access::of(scene, index) == Some(Access::Call);
        if is_call && !lanes.contains(&lane) && !is_stuck(scene, index) {
            lanes.push(lane);
            found.push(index);
        }
    }
    found.truncate(MOST);
    found.into_iter().rev().map(Fact::LastCame).collect()
}

/// The waits of a worker: several if it is a task whose future is made of others, such as a `join!`, each
/// since the step by which the task came to it.
pub(super) fn awaits(scene: &Scene<'_>, wait: &Wait) -> Vec<Awaited> {
    let whole = Awaited::of(scene, wait);
    let of_task = scene
        .trace
        .awaits
        .iter()
        .filter(|awaits| awaits.worker == wait.worker);
    let points: Vec<&AwaitPoint> = of_task.flat_map(|awaits| &awaits.points).collect();
    // Each stands behind those that are in it.
    let is_leaf = |&index: &usize| index == 0 || points[index - 1].depth <= points[index].depth;
    let leaves: Vec<usize> = (0..points.len()).filter(is_leaf).collect();
    if leaves.len() < 2 || wait.task != Some(Unpolled::Awaits) {
        return vec![whole];
    }
    let each = leaves.into_iter().map(|leaf| {
        let site = points[leaf].site.clone();
        let mut steps = scene.back_from(scene.trace.steps.len());
        let begun = steps.find(|&index| {
            scene.step(index).worker == wait.worker && comes_to(scene, &site, index)
        });
        Awaited {
            step: begun,
            site,
            ..whole.clone()
        }
    });
    each.collect()
}

/// The steps by which others hold std's read lock that the worker waits to write to, or the write lock.
fn readers(scene: &Scene<'_>, awaited: &Awaited) -> Vec<Fact> {
    let Some(object) = awaited
        .object
        .filter(|_| awaited.is_for(&[Op::Write, Op::Read]))
    else {
        return Vec::new();
    };
    if awaited.holder.is_some() {
        return Vec::new();
    }
    let mut held: Vec<usize> = Vec::new();
    for index in 0..scene.trace.steps.len() {
        let step = scene.step(index);
        if step.object != Some(object) {
            continue;
        }
        if scene.takes(index) {
            held.push(index);
        } else if scene.operation(index).is_some_and(Op::releases) {
            let own = held
                .iter()
                .position(|&held| scene.step(held).worker == step.worker);
            own.map(|own| held.remove(own));
        }
    }
    held.truncate(MOST);
    held.into_iter().map(Fact::HasTaken).collect()
}

/// The object for whose sake a call into a crate waits: the first that it only read, or left in another
/// state. A lock that it took and gave back was for itself, and a static one is for all.
fn object_of_call(scene: &Scene<'_>, awaited: &Awaited) -> Option<u32> {
    // Of a future in a variable it is not known which object it was made of: it may be a task's end, as it
    // is that of one that is spawned there.
    let is_call = |step: usize| {
        let text = scene.names.awaited(scene.step(step));
        text.is_some_and(|text| text.ends_with(')') && !text.starts_with("spawn"))
    };
    let is_in_crate = awaited.task.is_some() && awaited.step.is_some_and(is_call)
        || awaited.operation.is_some_and(Op::borrows_site)
        || awaited.operation == Some(Op::Park);
    let last = scene.last_of(awaited.worker).filter(|_| is_in_crate)?;
    let own = scene.back_from(last + usize::from(awaited.task.is_none()));
    let own = own.filter(|&index| scene.step(index).worker == awaited.worker);
    let mut call: Vec<usize> = if awaited.task.is_some() {
        own.take_while(|&index| !comes_to(scene, &awaited.site, index))
            .filter(|&index| scene.called_from(index) == Some(&awaited.site))
            .collect()
    } else {
        own.take_while(|&index| scene.place(index) == scene.place(last))
            .collect()
    };
    call.reverse();
    let mut objects = Vec::new();
    for object in call.iter().filter_map(|&index| scene.step(index).object) {
        if !objects.contains(&object) {
            objects.push(object);
        }
    }
    objects.into_iter().find(|&object| {
        let steps = call.iter().map(|&index| scene.step(index));
        let steps: Vec<_> = steps.filter(|step| step.object == Some(object)).collect();
        let found = steps.iter().find_map(|step| step.read);
        let left = steps.iter().rev().find_map(|step| step.written);
        let info = usize::try_from(object)
            .ok()
            .and_then(|object| scene.trace.objects.get(object));
        let is_static = info.is_some_and(|info| info.static_path.is_some());
        found.is_some() && left != found && !is_static
    })
}

/// True if a task comes to the await at this place by the step, and does not go on with it.
fn comes_to(scene: &Scene<'_>, site: &Site, index: usize) -> bool {
    let step = scene.step(index);
    scene.operation(index) == Some(Op::Await)
        && (step.outcome, step.note) == (Outcome::Done, false)
        && names::site(scene.trace, step) == Some(site)
        && !describe::goes_on(scene.trace, index)
}

/// True if the worker of the step waits in the very call that the step is of.
fn is_stuck(scene: &Scene<'_>, index: usize) -> bool {
    let worker = scene.step(index).worker;
    let pending = scene
        .trace
        .awaits
        .iter()
        .filter(|awaits| awaits.worker == worker);
    let mut pending = pending.flat_map(|awaits| &awaits.points);
    let site = scene.called_from(index);
    if let Some(point) = pending.find(|point| site == Some(&point.site)) {
        // It may be one of several that a future made of others waits for, such as a `join!`.
        let mut after = index + 1..scene.trace.steps.len();
        let comes_again = |other: usize| {
            scene.step(other).worker == worker && comes_to(scene, &point.site, other)
        };
        return !after.any(comes_again);
    }
    let Some(last) = scene.last_of(worker) else {
        return false;
    };
    // An await's last call is that before its end.
    let is_call =
        |&other: &usize| scene.step(other).worker == worker && scene.step(other).caller.is_some();
    let call = scene.back_from(last + 1).find(is_call);
    let is_there = call.is_some_and(|call| scene.place(call) == scene.place(index));
    scene.step(last).outcome == Outcome::Waits && is_there
}

/// True for a step of a thread that polls tasks, between their polls.
fn is_executors(scene: &Scene<'_>, index: usize) -> bool {
    let worker = scene.step(index).worker;
    let polls = || {
        scene
            .trace
            .steps
            .iter()
            .any(|step| step.thread == Some(worker))
    };
    scene.names.kind(worker) == WorkerKind::Thread && polls()
}
