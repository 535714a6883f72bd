//! A call into a dependency that is torn: it looked at one object before another worker changed that
//! one and a second, and at the second after it.
//!
//! No order of whole calls has that effect, so that it is one of the places where a dependency that is
//! to blame can have gone wrong. Of several, the one nearest to the failure is taken, by the slice.

use std::collections::BTreeSet;

use cct::trace::{Outcome, Step, Trace};

use super::inside::{self, Within};
use super::names::{Names, operation};
use super::slice::{Slice, tells};

/// The four steps, by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Torn {
    /// The call's last look at the first object.
    pub looked: usize,
    /// The other worker's change of it.
    pub changed: usize,
    /// The other worker's change of the second object.
    pub then: usize,
    /// The call's look at that.
    pub saw: usize,
}

/// A call into a dependency.
#[derive(Debug)]
struct Call<'a> {
    lane: u32,
    within: &'a Within,
    /// The path by which its first step came about: it comes again with the next call of a loop.
    path: Option<u32>,
    steps: Vec<usize>,
}

/// Only so many of a call's last steps are looked at.
const NEAR: usize = 400;

/// The torn call that is nearest to the failing step, with the dependency that it is in.
pub(super) fn of(trace: &Trace, names: &Names, failing: usize) -> Option<(String, Torn)> {
    let within: Vec<Option<Within>> = (trace.steps.iter())
        .map(|step| inside::within(trace, step))
        .collect();
    let calls = calls(trace, names, &within);
    let call_of = |step: usize| calls.iter().position(|call| call.steps.contains(&step));
    let slice = Slice::of(trace, names, &BTreeSet::from([failing]));
    let mut found: Option<((u32, bool), &str, Torn)> = None;
    for call in &calls {
        let near = &call.steps[call.steps.len().saturating_sub(NEAR)..];
        for (place, &saw) in near.iter().enumerate() {
            let Some(distance) = slice.distance(saw).filter(|_| looks(&trace.steps[saw])) else {
                continue;
            };
            let is_theirs = |&other: &usize| {
                let is_change = is_same(trace, saw, other) && tells(&trace.steps[other]);
                is_change && names.lane(trace.steps[other].worker) != call.lane
            };
            // Their last change, if this call has not seen it before.
            let since = near[..place].iter().rev();
            let mut since = since.filter(|&&own| is_same(trace, saw, own));
            let from = since.next().map_or(near[0], |&own| own);
            let then = (from..saw).rev().find(is_theirs);
            let of_same = |then: &usize| {
                let within = within[*then].as_ref();
                within.is_some_and(|within| within.dependency == call.within.dependency)
            };
            let Some(then) = then.filter(of_same) else {
                continue;
            };
            for looked in last_looks(trace, &near[..place]) {
                if looked > then || is_same(trace, looked, saw) {
                    continue;
                }
                let changed = changed(trace, names, (looked, saw), then, &call_of);
                let Some(changed) = changed else { continue };
                let is_deep = inside::crate_of(trace, &trace.steps[looked])
                    .is_none_or(|name| name != call.within.dependency);
                let rank = (distance, is_deep);
                let torn = Torn {
                    looked,
                    changed,
                    then,
                    saw,
                };
                if found.as_ref().is_none_or(|(best, ..)| rank < *best) {
                    found = Some((rank, &call.within.dependency, torn));
                }
            }
        }
    }
    found.map(|(_, dependency, torn)| (dependency.to_owned(), torn))
}

/// The calls in which several steps were made.
fn calls<'a>(trace: &Trace, names: &Names, within: &'a [Option<Within>]) -> Vec<Call<'a>> {
    let mut open: Vec<Option<Call<'a>>> = Vec::new();
    let mut done = Vec::new();
    for (index, step) in trace.steps.iter().enumerate() {
        let lane = names.lane(step.worker);
        let slot = usize::try_from(lane).unwrap_or(usize::MAX);
        if open.len() <= slot {
            open.resize_with(slot + 1, || None);
        }
        let Some(within) = &within[index] else {
            done.extend(open[slot].take());
            continue;
        };
        let goes_on = open[slot].as_ref().is_some_and(|call| {
            let is_same = call.within.dependency == within.dependency;
            is_same && call.within.caller == within.caller && call.path != step.path
        });
        if !goes_on {
            done.extend(open[slot].take());
        }
        let call = open[slot].get_or_insert_with(|| Call {
            lane,
            within,
            path: step.path,
            steps: Vec::new(),
        });
        call.steps.push(index);
    }
    done.extend(open.into_iter().flatten());
    done.retain(|call| call.steps.len() > 1);
    done
}

/// The last of these steps that looked at each object.
fn last_looks(trace: &Trace, steps: &[usize]) -> Vec<usize> {
    let mut objects = BTreeSet::new();
    let looks = steps
        .iter()
        .rev()
        .filter(|&&step| looks(&trace.steps[step]));
    let last = looks.filter(|&&step| objects.insert(trace.steps[step].object));
    last.copied().collect()
}

/// The first change of what was looked at, by the worker of the step `then`: before that, or in the
/// same call.
fn changed(
    trace: &Trace,
    names: &Names,
    (looked, saw): (usize, usize),
    then: usize,
    call_of: &dyn Fn(usize) -> Option<usize>,
) -> Option<usize> {
    let lane = |step: usize| names.lane(trace.steps[step].worker);
    let own = &trace.steps[looked];
    let left = (looked..saw).rev().find_map(|step| {
        let is_own = is_same(trace, looked, step) && lane(step) == lane(looked);
        let step = &trace.steps[step];
        is_own.then(|| step.written.or(step.read))
    });
    let known = left.unwrap_or_else(|| own.written.or(own.read));
    let changed = (looked + 1..saw).find(|&step| {
        let written = trace.steps[step].written;
        let is_news = written.is_none() || written != known;
        is_same(trace, looked, step)
            && lane(step) == lane(then)
            && tells(&trace.steps[step])
            && is_news
    })?;
    let is_one_call = || call_of(changed).is_some() && call_of(changed) == call_of(then);
    (changed < then || is_one_call()).then_some(changed)
}

/// True if the step says something of what its object was.
fn looks(step: &Step) -> bool {
    let is_done = matches!(step.outcome, Outcome::Done | Outcome::Refused);
    let takes = operation(step).is_some_and(|op| op.takes_lock() || op.tries_lock());
    is_done && step.object.is_some() && (step.read.is_some() || takes)
}

fn is_same(trace: &Trace, one: usize, other: usize) -> bool {
    let object = trace.steps[one].object;
    object.is_some() && object == trace.steps[other].object
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cct::operation::Operation as Op;
    use cct::trace::{Site, Value};

    use super::super::source::Source;
    use super::*;
    use crate::sample;

    const DEPENDENCY: &str = "/registry/src/i/dep-1.0.0/src/lib.rs";

    /// Accesses by worker, object and what is written, or read, at lines of a dependency.
    fn traced(accesses: &[(u32, u32, Op, u64)]) -> Trace {
        let steps = accesses.iter().map(|&(worker, object, op, value)| {
            let (mut step, file) = sample::step(worker, op, DEPENDENCY);
            let value = Some(Value::Unsigned(value));
            step.object = Some(object);
            if op == Op::Load {
                step.read = value;
            } else {
                step.written = value;
            }
            (step, file)
        });
        let steps: Vec<_> = steps.collect();
        let mut trace = sample::trace(&steps);
        let user = Site {
            file: "tests/t.rs".to_owned(),
            line: 3,
            column: 1,
        };
        trace.sites.truncate(1);
        trace.sites.push(user);
        // Each access has a line of its own.
        for (number, step) in (2_u32..).zip(&mut trace.steps) {
            let site = Site {
                line: number,
                ..trace.sites[0].clone()
            };
            trace.sites.push(site);
            trace.paths.push(vec![number, 1]);
            (step.site, step.path, step.caller) = (number, Some(number - 2), Some(1));
        }
        trace
    }

    fn found(accesses: &[(u32, u32, Op, u64)]) -> Option<Torn> {
        let trace = traced(accesses);
        let names = Names::of(&trace, &Source::new(Path::new("/nowhere")));
        let (dependency, torn) = of(&trace, &names, trace.steps.len() - 1)?;
        assert_eq!(dependency, "dep");
        Some(torn)
    }

    #[test]
    fn a_call_that_sees_new_beside_old_is_torn() {
        let torn = found(&[
            (0, 0, Op::Load, 0),
            (1, 0, Op::Store, 1),
            (1, 1, Op::Store, 1),
            (0, 1, Op::Load, 1),
        ]);
        let expected = Torn {
            looked: 0,
            changed: 1,
            then: 2,
            saw: 3,
        };
        assert_eq!(torn, Some(expected));
    }

    #[test]
    fn a_call_that_looks_again_is_not() {
        let accesses = [
            (0, 0, Op::Load, 0),
            (1, 0, Op::Store, 1),
            (1, 1, Op::Store, 1),
            (0, 0, Op::Load, 1),
            (0, 1, Op::Load, 1),
        ];
        assert_eq!(found(&accesses), None);
    }

    #[test]
    fn nor_is_one_that_comes_between_two_calls() {
        let whole = [
            (1, 1, Op::Store, 1),
            (0, 0, Op::Load, 0),
            (0, 1, Op::Load, 1),
            (1, 0, Op::Store, 1),
            (0, 2, Op::Load, 0),
        ];
        assert_eq!(found(&whole), None);
    }
}
