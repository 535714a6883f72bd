//! The last that the failing worker read, and the writer of that: certain whatever the bug is.

use std::collections::BTreeSet;

use super::ends;
use super::fact::Fact;
use super::words::freed_memory;
use super::{Scene, Sentence, fails_where_it_is};
use crate::report::bugs::is_at_a_statement;
use cct::operation::Operation as Op;

/// At most this many reads are told.
const MOST: usize = 2;
/// Reads so many of the worker's own steps before the last one count as made with it.
const NEAR: usize = 4;

/// No step has written the value that this one found. The last that wrote another one is told if the memory
/// was freed since: otherwise it may have been to a value that has ended, as of a local of the round before.
pub(super) fn none_wrote(scene: &Scene<'_>, step: usize, last: usize) -> Fact {
    match scene.step(step).read.and_then(freed_memory) {
        Some(_) => Fact::NoneWrote { step, last },
        None => Fact::Unwritten,
    }
}

/// The sentence; steps that are `told` have been named before.
pub(super) fn sentence(scene: &Scene<'_>, told: &BTreeSet<usize>) -> Option<Sentence> {
    if !fails_where_it_is(scene.bug.kind) {
        return None;
    }
    let failed = scene.failed();
    let own = own(scene);
    let mut facts = Vec::new();
    for index in reads(scene, &own).into_iter().rev() {
        if told.contains(&index) {
            continue;
        }
        let only_reads = scene.step(index).written.is_none();
        match scene.writer(index) {
            // Memory may have been written otherwise, or have been another object's.
            Some(writer) if scene.step(writer).written != scene.step(index).read => {
                facts.extend([Fact::Does(index), none_wrote(scene, index, writer)]);
            }
            Some(writer) if told.contains(&writer) => facts.push(Fact::Does(index)),
            Some(writer) if only_reads => {
                facts.extend([Fact::Does(index), Fact::Written(writer)]);
            }
            Some(writer)
                if scene.lane(writer) != failed && !facts.contains(&Fact::Does(writer)) =>
            {
                facts.extend([Fact::Does(writer), Fact::Does(index)]);
            }
            None if only_reads => facts.extend([Fact::Does(index), Fact::Unwritten]),
            _ => facts.push(Fact::Does(index)),
        }
    }
    if facts.is_empty() && told.is_empty() {
        let is_end = |index: usize| {
            let ends = |op: Op| {
                op.releases() || matches!(op, Op::Panic | Op::End | Op::Start | Op::Disconnect)
            };
            scene.operation(index).is_some_and(ends)
        };
        facts.extend(
            own.iter()
                .find(|&&index| !is_end(index))
                .map(|&index| Fact::Does(index)),
        );
    }
    let ends = is_at_a_statement(scene.bug.kind) || ends::is_for_all(scene.bug.kind);
    if let Some(site) = scene.bug.site.as_ref().filter(|_| ends) {
        facts.push(Fact::Fails {
            worker: failed,
            site: site.clone(),
        });
    }
    Some(Sentence(facts))
}

/// True if the failing worker read a value that is known.
pub(super) fn has_read(scene: &Scene<'_>) -> bool {
    own(scene)
        .into_iter()
        .any(|index| scene.read(index).is_some())
}

/// The failing worker's steps, the latest first.
fn own(scene: &Scene<'_>) -> Vec<usize> {
    let failed = scene.failed();
    let back = scene.back_from(scene.failing + 1);
    back.filter(|&index| scene.lane(index) == failed && scene.is_called(index))
        .collect()
}

/// The last reads of different objects, the latest first: one, or those that were made together.
fn reads(scene: &Scene<'_>, own: &[usize]) -> Vec<usize> {
    let mut reads: Vec<usize> = Vec::new();
    let mut nearest = None;
    for (distance, &index) in own.iter().enumerate() {
        let is_far = nearest.is_some_and(|nearest| distance - nearest > NEAR);
        if is_far || reads.len() == MOST {
            break;
        }
        if scene.read(index).is_none() || reads.iter().any(|&read| scene.is_same(read, index)) {
            continue;
        }
        // Before the last one, only news from others count.
        let is_news = || {
            scene
                .writer(index)
                .is_some_and(|writer| scene.lane(writer) != scene.lane(index))
        };
        if reads.is_empty() || is_news() {
            nearest = nearest.or(Some(distance));
            reads.push(index);
        }
    }
    reads
}
