//! Where two executions of one schedule part.

use cct::comparison::{Depth, Parting, parting, told};
use cct::operation::Operation;
use cct::trace::Trace;
use cct::wire::Divergence;
use serde::Serialize;

/// The first step in which an execution is not the one on record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Difference {
    /// The step, from 1.
    pub step: usize,
    /// The step on record.
    pub expected: String,
    /// The step that happened.
    pub found: String,
    /// The last steps on record, that one included.
    pub recorded: Vec<String>,
    /// The last steps that happened.
    pub happened: Vec<String>,
    /// True if nothing else differs than that the execution ended before what is on record.
    #[serde(skip)]
    pub is_early_end: bool,
}

/// How many steps are told of each.
const LAST: usize = 10;

/// Compares two executions of one program step by step.
pub(crate) fn difference(recorded: &Trace, happened: &Trace) -> Option<Difference> {
    let parting = parting(recorded, happened, Depth::Operation)?;
    difference_at(&parting, recorded, happened)
}

fn difference_at(parting: &Parting<'_>, recorded: &Trace, happened: &Trace) -> Option<Difference> {
    let index = parting.index;
    let length = recorded.steps.len().max(happened.steps.len());
    // How it ends is a matter of the verdict: a bug may be mended while the steps are the same.
    let is_panic = |trace: &Trace, index: usize| {
        let step = trace.steps.get(index);
        step.is_none_or(|step| step.note && step.operation == Operation::Panic as u8)
    };
    if (index..length).all(|index| is_panic(recorded, index) && is_panic(happened, index)) {
        return None;
    }
    let [expected, found] = parting.told();
    let numbered = |trace, told| at(trace, index).unwrap_or(told);
    let (expected, found) = (numbered(recorded, expected), numbered(happened, found));
    Some(Difference {
        is_early_end: parting.is_early_end(),
        ..Difference::new(parting.number(), index, expected, found, recorded, happened)
    })
}

impl Difference {
    /// The difference at which the engine itself gave up.
    pub(crate) fn at(recorded: &Trace, happened: &Trace, divergence: &Divergence) -> Difference {
        let step = usize::try_from(divergence.step).unwrap_or(usize::MAX - 1);
        // Notes are no steps to the engine.
        let mut steps = (0..happened.steps.len()).filter(|&index| !happened.steps[index].note);
        let index = steps.nth(step).unwrap_or(happened.steps.len());
        let (expected, found) = (divergence.expected.clone(), divergence.found.clone());
        Difference::new(step + 1, index, expected, found, recorded, happened)
    }

    /// The difference between a step on record and another version's, each by its index.
    pub(crate) fn between(
        (recorded, index): (&Trace, usize),
        (happened, other): (&Trace, usize),
    ) -> Difference {
        let told = |trace, index| at(trace, index).unwrap_or_else(|| "the end".to_owned());
        Difference {
            step: recorded.number_of(index),
            expected: told(recorded, index),
            found: told(happened, other),
            recorded: last(recorded, index),
            happened: last(happened, other),
            is_early_end: false,
        }
    }

    fn new(
        step: usize,
        index: usize,
        expected: String,
        found: String,
        recorded: &Trace,
        happened: &Trace,
    ) -> Difference {
        Difference {
            step,
            expected,
            found,
            recorded: last(recorded, index),
            happened: last(happened, index),
            is_early_end: false,
        }
    }
}

fn last(trace: &Trace, index: usize) -> Vec<String> {
    let end = index.saturating_add(1).min(trace.steps.len());
    (end.saturating_sub(LAST)..end)
        .filter_map(|index| at(trace, index))
        .collect()
}

/// A step with its number.
fn at(trace: &Trace, index: usize) -> Option<String> {
    let told = told(trace, index)?;
    Some(format!("{:>4} {told}", trace.number_of(index)))
}

#[cfg(test)]
mod tests {
    use cct::trace::Step;

    use super::*;
    use crate::sample;

    /// An execution whose steps have these objects.
    fn trace(objects: &[u32]) -> Trace {
        let step = |&object| {
            let (step, file) = sample::step(1, Operation::Start, "a.rs");
            let object = Some(object);
            (Step { object, ..step }, file)
        };
        let steps: Vec<_> = objects.iter().map(step).collect();
        sample::trace(&steps)
    }

    #[test]
    fn the_first_difference_is_found() {
        assert_eq!(difference(&trace(&[0, 1]), &trace(&[0, 1])), None);
        let found = difference(&trace(&[0, 1, 2]), &trace(&[0, 2, 2])).expect("they differ");
        assert_eq!(found.step, 2);
        assert_eq!(found.expected, "   2 w1 start of object 1 at a.rs:1:9");
        assert_eq!(found.found, "   2 w1 start of object 2 at a.rs:1:9");
        assert_eq!(found.recorded.len(), 2);
    }

    #[test]
    fn an_early_end_is_a_difference() {
        let found = difference(&trace(&[0, 1]), &trace(&[0])).expect("they differ");
        assert!(found.is_early_end);
        assert_eq!(found.found, "the end");
    }
}
