//! Two versions of a program: the guide by which one repeats what happened in the other, and the steps that
//! came of it beside those on record.

use std::collections::{BTreeMap, BTreeSet};

use cct::comparison::told;
use cct::operation::Operation;
use cct::trace::{Outcome, Schedule, Site, Step, Trace, WorkerInfo};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::landmark::Moves;
use crate::run::Difference;

/// The trace with its places as they are now; those that are gone have no line.
pub(crate) fn guide(recorded: &Trace, schedule: &Schedule, moves: &Moves) -> Trace {
    let now = |site: &Site| moves.of(site).unwrap_or_default();
    let worker = |info: &WorkerInfo| WorkerInfo {
        spawned_at: info.spawned_at.as_ref().map(now),
        ..info.clone()
    };
    Trace {
        schedule: schedule.clone(),
        workers: recorded.workers.iter().map(worker).collect(),
        sites: recorded.sites.iter().map(now).collect(),
        steps: recorded.steps.clone(),
        choices_at: recorded.choices_at.clone(),
        ..Trace::default()
    }
}

/// The steps on record and those of the other version, as far as they are the same.
#[derive(Debug)]
pub(crate) struct Aligned<'a> {
    /// The steps on record.
    pub recorded: &'a Trace,
    happened: &'a Trace,
    /// The steps that are the same, by index in either.
    pub pairs: Vec<(usize, usize)>,
    /// The steps on record that did not happen, each with where in the other trace it was expected.
    less: Vec<(usize, usize)>,
    /// The steps that are not on record.
    more: Vec<usize>,
}

/// A step as far as it is compared.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Token<'a> {
    worker: Option<u32>,
    operation: u8,
    /// None for a place that the other version does not have.
    place: Option<(&'a str, u32)>,
    /// Places that the other version does not have are all different.
    number: usize,
}

impl<'a> Token<'a> {
    fn of(
        worker: Option<u32>,
        step: &Step,
        place: Option<(&'a str, u32)>,
        number: usize,
    ) -> Token<'a> {
        Token {
            worker,
            operation: step.operation,
            number: if place.is_some() { 0 } else { number },
            place,
        }
    }
}

/// In the paths of the statics that are locks of standard output and standard error.
const STREAMS: &str = "streams::STD";

impl<'a> Aligned<'a> {
    /// Lays both beside each other, by the first one's [`guide`].
    pub(crate) fn of(recorded: &'a Trace, guide: &Trace, happened: &'a Trace) -> Aligned<'a> {
        let theirs = counterparts(guide, happened);
        let known: BTreeSet<(&str, u32)> = guide.sites.iter().map(place).collect();
        let steps = |trace: &'a Trace| {
            let steps = trace.steps.iter().enumerate();
            let steps = steps.filter(|(_, step)| !step.note);
            steps.map(|(index, _)| index).collect::<Vec<_>>()
        };
        let (first, second) = (steps(recorded), steps(happened));
        let is_known =
            |place: &(&str, u32)| *place == NOWHERE || place.1 > 0 && known.contains(place);
        let old: Vec<Token<'_>> = first
            .iter()
            .map(|&index| {
                let step = &guide.steps[index];
                let place = place_of(step, &guide.sites);
                let number = 2 * index + 1;
                Token::of(Some(step.worker), step, place.filter(is_known), number)
            })
            .collect();
        let new: Vec<Token<'_>> = second
            .iter()
            .map(|&index| {
                let step = &happened.steps[index];
                let place = place_of(step, &happened.sites);
                let worker = theirs.get(&step.worker).copied();
                Token::of(worker, step, place.filter(is_known), 2 * index + 2)
            })
            .collect();
        let mut aligned = Aligned {
            recorded,
            happened,
            pairs: Vec::new(),
            less: Vec::new(),
            more: Vec::new(),
        };
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            let (gone, come) = (op.old_range(), op.new_range());
            if let DiffOp::Equal { .. } = op {
                aligned.pairs.extend(
                    gone.zip(come)
                        .map(|(one, other)| (first[one], second[other])),
                );
                continue;
            }
            // A line that was rewritten has its steps still.
            let mut next = come.start;
            for one in gone {
                let is_it = |other: &usize| {
                    let (one, other) = (&old[one], &new[*other]);
                    let are_new = one.place.is_none() && other.place.is_none();
                    are_new && (one.worker, one.operation) == (other.worker, other.operation)
                };
                if let Some(other) = (next..come.end).find(is_it) {
                    aligned.more.extend(&second[next..other]);
                    aligned.pairs.push((first[one], second[other]));
                    next = other + 1;
                } else {
                    let here = second.get(next).copied().unwrap_or(happened.steps.len());
                    aligned.less.push((first[one], here));
                }
            }
            aligned.more.extend(&second[next..come.end]);
        }
        aligned
    }

    /// The first step on record that did not happen and that others may have learned of: neither a print,
    /// nor of an object that is used no more, nor after the failure.
    pub(crate) fn difference(&self) -> Option<Difference> {
        let steps = &self.recorded.steps;
        let stay: BTreeSet<u32> = self
            .pairs
            .iter()
            .filter_map(|&(index, _)| steps[index].object)
            .collect();
        let panic = |step: &Step| step.note && step.operation == Operation::Panic as u8;
        let failed = steps.iter().position(panic).unwrap_or(steps.len());
        let matters = |&&(index, _): &&(usize, usize)| {
            let step = &steps[index];
            let object = step.object;
            let is_used = object.is_none_or(|object| stay.contains(&object));
            let is_apart = object.is_some_and(|object| self.is_stream(object));
            index < failed && is_used && !is_apart && !self.was_in_vain(index)
        };
        let &(index, here) = self.less.iter().find(matters)?;
        Some(Difference::between(
            (self.recorded, index),
            (self.happened, here),
        ))
    }

    /// True if the worker waited, and did without waiting this time what it waited for.
    fn was_in_vain(&self, index: usize) -> bool {
        let steps = &self.recorded.steps;
        let step = &steps[index];
        let mut own = steps.iter().enumerate().skip(index + 1);
        let next = own.find(|(_, other)| other.worker == step.worker && !other.note);
        step.outcome == Outcome::Waits
            && next.is_some_and(|(next, other)| {
                let is_it = (other.operation, other.object) == (step.operation, step.object);
                is_it && self.pairs.iter().any(|&(one, _)| one == next)
            })
    }

    fn is_stream(&self, object: u32) -> bool {
        let info = self.recorded.objects.get(object as usize);
        let path = info.and_then(|info| info.static_path.as_ref());
        path.is_some_and(|path| path.contains(STREAMS))
    }

    /// The steps that are not on record, for people.
    pub(crate) fn more(&self) -> Vec<String> {
        let more = self.more.iter();
        more.filter_map(|&index| told(self.happened, index))
            .collect()
    }

    /// The steps on record that did not happen, for people.
    pub(crate) fn less(&self) -> Vec<String> {
        let less = self.less.iter();
        less.filter_map(|&(index, _)| told(self.recorded, index))
            .collect()
    }
}

/// The place of a step that has none.
const NOWHERE: (&str, u32) = ("", 1);

/// The place of a step: that of the user's call where the step's own is that of another one.
fn place_of<'a>(step: &Step, sites: &'a [Site]) -> Option<(&'a str, u32)> {
    let operation = Operation::from_code(step.operation);
    let site = if operation.is_some_and(Operation::borrows_site) {
        step.caller
    } else {
        Some(step.site)
    };
    match site {
        Some(site) => sites.get(site as usize).map(place),
        None => Some(NOWHERE),
    }
}

fn place(site: &Site) -> (&str, u32) {
    (&site.file, site.line)
}

/// The recorded worker that each one is: the first that is left of those that were made at its place.
fn counterparts(recorded: &Trace, happened: &Trace) -> BTreeMap<u32, u32> {
    let mut left: Vec<(u32, &WorkerInfo)> = recorded
        .workers
        .iter()
        .enumerate()
        .map(|(number, info)| (number as u32, info))
        .collect();
    let made_at = |info: &'_ WorkerInfo| {
        let site = info.spawned_at.as_ref();
        site.map(|site| (site.file.clone(), site.line))
    };
    let mut found = BTreeMap::new();
    for (number, info) in happened.workers.iter().enumerate() {
        let is_of_kind = |other: &WorkerInfo| {
            std::mem::discriminant(&other.kind) == std::mem::discriminant(&info.kind)
        };
        let place = made_at(info);
        let is_it = |(_, other): &(u32, &WorkerInfo)| is_of_kind(other) && made_at(other) == place;
        let is_gone = |(_, other): &(u32, &WorkerInfo)| {
            is_of_kind(other) && made_at(other).is_some_and(|(_, line)| line == 0)
        };
        let index = left.iter().position(is_it);
        if let Some(index) = index.or_else(|| left.iter().position(is_gone)) {
            found.insert(number as u32, left.remove(index).0);
        }
    }
    found
}
