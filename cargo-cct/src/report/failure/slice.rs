//! The dynamic slice of a failure: the steps that it depends on by happens-before, with their distance.
//!
//! A step depends on the one before it of its own worker, on the last write to what it read, on the last step
//! by which another worker told of the object that it took or waited for, and on the end or the beginning of
//! workers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use cct::operation::{Access, Operation as Op};
use cct::trace::{Outcome, Step, Trace};

use super::names::{Names, operation};

/// The distance of each step from the failure; none for those that it does not depend on.
#[derive(Clone, Debug)]
pub(super) struct Slice(Vec<Option<u32>>);

/// The steps that each step depends on directly, with the cost of going there.
struct Dependencies(Vec<Vec<(usize, u32)>>);

/// To what another worker wrote.
const DATA: u32 = 1;
/// To the step before, of a worker that failed.
const OWN: u32 = 1;
/// To the step before, of another worker: it decided what was written, as far as it read something.
const OF_OTHERS: u32 = 2;

impl Slice {
    /// The slice of these steps.
    pub(super) fn of(trace: &Trace, names: &Names, roots: &BTreeSet<usize>) -> Slice {
        let failed: BTreeSet<u32> = roots
            .iter()
            .map(|&root| names.lane(trace.steps[root].worker))
            .collect();
        let dependencies = Dependencies::of(trace, names, &failed);
        let mut distances = vec![None; trace.steps.len()];
        let mut next: BinaryHeap<_> = roots.iter().map(|&root| Reverse((0, root))).collect();
        while let Some(Reverse((distance, step))) = next.pop() {
            if distances[step].is_some() {
                continue;
            }
            distances[step] = Some(distance);
            let on = dependencies.0[step].iter();
            next.extend(on.map(|&(other, cost)| Reverse((distance + cost, other))));
        }
        Slice(distances)
    }

    /// The distance of the step, if the failure depends on it.
    pub(super) fn distance(&self, step: usize) -> Option<u32> {
        self.0.get(step).copied().flatten()
    }
}

impl Dependencies {
    fn of(trace: &Trace, names: &Names, failed: &BTreeSet<u32>) -> Dependencies {
        let mut own = BTreeMap::<u32, usize>::new();
        let mut told = BTreeMap::<u32, Vec<usize>>::new();
        let mut ends = BTreeMap::<u32, usize>::new();
        let mut all = Vec::with_capacity(trace.steps.len());
        for (index, step) in trace.steps.iter().enumerate() {
            let lane = names.lane(step.worker);
            let cost = if failed.contains(&lane) {
                OWN
            } else {
                OF_OTHERS
            };
            let mut on: Vec<(usize, u32)> = Vec::new();
            on.extend(own.get(&lane).map(|&before| (before, cost)));
            if let Some(object) = step.object.filter(|_| learns(step)) {
                let by_others = told.get(&object).into_iter().flatten().rev();
                let mut by_others =
                    by_others.filter(|&&other| names.lane(trace.steps[other].worker) != lane);
                on.extend(by_others.next().map(|&other| (other, DATA)));
            }
            match operation(step) {
                Some(Op::Join) => {
                    let owner = step.object.and_then(|object| names.owner(object));
                    on.extend(
                        owner
                            .and_then(|owner| ends.get(&owner))
                            .map(|&end| (end, DATA)),
                    );
                }
                Some(Op::ScopeEnd) => on.extend(ends.values().max().map(|&end| (end, DATA))),
                Some(Op::Start) => on.extend(names.spawn(step.worker).map(|spawn| (spawn, DATA))),
                Some(Op::End) => {
                    ends.insert(step.worker, index);
                }
                _ => {}
            }
            if let Some(object) = step.object.filter(|_| tells(step)) {
                let told = told.entry(object).or_default();
                // The two latest are enough, unless one worker made both.
                if told
                    .last()
                    .is_some_and(|&last| trace.steps[last].worker == step.worker)
                {
                    told.pop();
                }
                told.push(index);
            }
            own.insert(lane, index);
            all.push(on);
        }
        Dependencies(all)
    }
}

/// True if the worker may have learned by the step what others did.
fn learns(step: &Step) -> bool {
    let is_done = step.outcome != Outcome::Waits;
    step.read.is_some()
        || is_done && operation(step).is_some_and(|op| op.learns() || op.takes_lock())
}

/// True if others may learn of the step through its object.
pub(super) fn tells(step: &Step) -> bool {
    let changes = |op: Op| op.releases() || op.tells() && op.access() != Access::Reads;
    let is_done = step.outcome == Outcome::Done;
    step.written.is_some() || is_done && step.read.is_none() && operation(step).is_some_and(changes)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cct::trace::Value;

    use super::super::source::Source;
    use super::*;
    use crate::sample;

    #[test]
    fn it_goes_from_reads_to_their_writers() {
        let value = Some(Value::Unsigned(1));
        let mut steps = [
            (1, Op::Store, 1),
            (2, Op::Store, 0),
            (1, Op::Load, 0),
            (1, Op::Store, 1),
            (2, Op::Store, 2),
            (0, Op::Load, 1),
        ]
        .map(|(worker, op, object)| {
            let mut step = sample::step(worker, op, "src/a.rs");
            step.0.object = Some(object);
            step
        });
        for (step, _) in &mut steps {
            let is_load = step.operation == Op::Load as u8;
            *(if is_load {
                &mut step.read
            } else {
                &mut step.written
            }) = value;
        }
        let trace = sample::trace(&steps);
        let names = Names::of(&trace, &Source::new(Path::new("/nowhere")));
        let slice = Slice::of(&trace, &names, &BTreeSet::from([5]));
        let distances: Vec<_> = (0..6).map(|step| slice.distance(step)).collect();
        assert_eq!(
            distances,
            [Some(5), Some(4), Some(3), Some(1), None, Some(0)]
        );
    }
}
