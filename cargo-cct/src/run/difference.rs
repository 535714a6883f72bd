//! Where two executions of one schedule part.

use cct::operation::Operation;
use cct::trace::{Step, Trace};
use cct::wire::Divergence;
use serde::Serialize;

/// The first step in which an execution is not the one on record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Difference {
    /// The step, from 1.
    pub step: usize,
    /// What is on record.
    pub expected: String,
    /// What happened.
    pub found: String,
    /// The last steps on record, that one included.
    pub recorded: Vec<String>,
    /// The last steps that happened.
    pub happened: Vec<String>,
}

/// How many steps are told of each.
const LAST: usize = 10;

/// In the place of a step that there is not.
const END: &str = "the end";

/// Compares two traces step by step: worker, operation, object and site.
pub(crate) fn difference(recorded: &Trace, happened: &Trace) -> Option<Difference> {
    let length = recorded.steps.len().max(happened.steps.len());
    let differs = |index: &usize| key(recorded, *index) != key(happened, *index);
    // How it ends is a matter of the verdict: a bug may be mended while the steps are the same.
    let is_panic = |trace: &Trace, index: usize| {
        let step = trace.steps.get(index);
        step.is_none_or(|step| step.note && step.operation == Operation::Panic as u8)
    };
    let index = (0..length).find(differs)?;
    if (index..length).all(|index| is_panic(recorded, index) && is_panic(happened, index)) {
        return None;
    }
    let text = |trace| at(trace, index).unwrap_or_else(|| END.to_owned());
    let step = recorded.number_of(index).max(happened.number_of(index));
    Some(Difference::new(
        step,
        index,
        text(recorded),
        text(happened),
        recorded,
        happened,
    ))
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

    /// True if nothing else differs than that the execution ended before what is on record.
    pub(crate) fn is_early_end(&self) -> bool {
        self.found == END
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
        }
    }
}

fn last(trace: &Trace, index: usize) -> Vec<String> {
    let end = index.saturating_add(1).min(trace.steps.len());
    (end.saturating_sub(LAST)..end)
        .filter_map(|index| at(trace, index))
        .collect()
}

/// What has to be equal.
fn key(trace: &Trace, index: usize) -> Option<(u32, u8, Option<u32>, String)> {
    let step = trace.steps.get(index)?;
    Some((step.worker, step.operation, step.object, site(trace, step)))
}

fn at(trace: &Trace, index: usize) -> Option<String> {
    let step = trace.steps.get(index)?;
    let worker = if step.worker == 0 {
        "main".to_owned()
    } else {
        format!("w{}", step.worker)
    };
    let operation = Operation::from_code(step.operation).map_or("?", Operation::name);
    let object = step
        .object
        .map(|object| format!(" of object {object}"))
        .unwrap_or_default();
    Some(format!(
        "{:>4} {worker} {operation}{object} at {}",
        trace.number_of(index),
        site(trace, step)
    ))
}

fn site(trace: &Trace, step: &Step) -> String {
    let index = usize::try_from(step.site).unwrap_or(usize::MAX);
    trace
        .sites
        .get(index)
        .map(ToString::to_string)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use cct::trace::{Outcome, Site};

    use super::*;

    fn trace(objects: &[u32]) -> Trace {
        let site = Site {
            file: "a.rs".to_owned(),
            line: 1,
            column: 2,
        };
        let steps = objects.iter().map(|&object| Step {
            worker: 1,
            operation: 0,
            object: Some(object),
            site: 0,
            outcome: Outcome::Done,
            read: None,
            written: None,
            contested: false,
            label: None,
            thread: None,
            ahead_of: Vec::new(),
            note: false,
            stack: None,
            caller: None,
        });
        Trace {
            sites: vec![site],
            steps: steps.collect(),
            ..Trace::default()
        }
    }

    #[test]
    fn the_first_difference_is_found() {
        assert_eq!(difference(&trace(&[0, 1]), &trace(&[0, 1])), None);
        let found = difference(&trace(&[0, 1, 2]), &trace(&[0, 2, 2])).expect("they differ");
        assert_eq!(found.step, 2);
        assert_eq!(found.expected, "   2 w1 start of object 1 at a.rs:1:2");
        assert_eq!(found.found, "   2 w1 start of object 2 at a.rs:1:2");
        assert_eq!(found.recorded.len(), 2);
    }

    #[test]
    fn an_early_end_is_a_difference() {
        let found = difference(&trace(&[0, 1]), &trace(&[0])).expect("they differ");
        assert_eq!(found.found, "the end");
    }
}
