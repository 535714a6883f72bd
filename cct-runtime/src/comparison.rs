//! Compares two executions of one schedule, step by step.
//!
//! The harness compares the first schedule's two executions, the tool a replay with its record, and a test
//! program the executions of two processes. How an execution ends is not compared here: a bug may be mended
//! while the steps are the same.

use crate::operation::Operation;
use crate::trace::{Site, Step, Trace};

/// How much of a step is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Its worker, operation, object and site.
    Operation,
    /// All that is recorded of it, such as values.
    Everything,
}

/// The first step, or note, in which two executions differ.
#[derive(Clone, Copy, Debug)]
pub struct Parting<'a> {
    /// The index among the steps of both traces.
    pub index: usize,
    traces: [&'a Trace; 2],
}

/// Finds where two executions part; `None` if they are the same in that depth.
pub fn parting<'a>(first: &'a Trace, second: &'a Trace, depth: Depth) -> Option<Parting<'a>> {
    let traces = [first, second];
    let length = first.steps.len().max(second.steps.len());
    let is_same = |index: usize| {
        let [first, second] = traces.map(|trace| trace.steps.get(index));
        let (Some(one), Some(other)) = (first, second) else {
            return false;
        };
        let [here, there] = [site(traces[0], one), site(traces[1], other)];
        here == there
            && match depth {
                Depth::Operation => compared(one) == compared(other),
                Depth::Everything => one == other,
            }
    };
    let index = (0..length).find(|&index| !is_same(index))?;
    Some(Parting { index, traces })
}

/// The parts of a step that depth [`Depth::Operation`] compares, but for the site.
fn compared(step: &Step) -> (u32, u8, Option<u32>) {
    (step.worker, step.operation, step.object)
}

impl Parting<'_> {
    /// The number of the step, from 1, by which notes do not count.
    pub fn number(&self) -> usize {
        let numbers = self.traces.map(|trace| trace.number_of(self.index));
        numbers[0].max(numbers[1])
    }

    /// Tells what happened there in either, for people.
    pub fn told(&self) -> [String; 2] {
        self.traces
            .map(|trace| told(trace, self.index).unwrap_or_else(|| "the end".to_owned()))
    }

    /// True if the second execution ended there, and the first went on.
    pub fn is_early_end(&self) -> bool {
        self.index == self.traces[1].steps.len()
    }
}

/// Tells what happened in the step with this index, for people; `None` if there is no such step.
pub fn told(trace: &Trace, index: usize) -> Option<String> {
    let step = trace.steps.get(index)?;
    let worker = match step.worker {
        0 => "main".to_owned(),
        worker => format!("w{worker}"),
    };
    let operation = Operation::from_code(step.operation).map_or("?", Operation::name);
    let object = step.object.map(|object| format!(" of object {object}"));
    let object = object.unwrap_or_default();
    let site = site(trace, step).map(Site::to_string).unwrap_or_default();
    Some(format!("{worker} {operation}{object} at {site}"))
}

fn site<'a>(trace: &'a Trace, step: &Step) -> Option<&'a Site> {
    trace.sites.get(step.site as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Value;

    /// An execution whose steps have these objects.
    fn trace(objects: &[u32]) -> Trace {
        let site = Site {
            file: "a.rs".to_owned(),
            line: 1,
            column: 2,
        };
        let step = |&object| Step::of(1, Operation::Start as u8, Some(object), 0);
        Trace {
            sites: vec![site],
            steps: objects.iter().map(step).collect(),
            ..Trace::default()
        }
    }

    #[test]
    fn equal_executions_part_nowhere() {
        let one = trace(&[0, 1]);
        assert!(parting(&one, &one.clone(), Depth::Everything).is_none());
        assert!(parting(&trace(&[]), &trace(&[]), Depth::Operation).is_none());
    }

    #[test]
    fn the_first_step_that_differs_is_found() {
        let (one, other) = (trace(&[0, 1, 2]), trace(&[0, 2, 3]));
        let found = parting(&one, &other, Depth::Operation).expect("they differ");
        assert_eq!((found.index, found.number()), (1, 2));
        let expected = [1, 2].map(|object| format!("w1 start of object {object} at a.rs:1:2"));
        assert_eq!(found.told(), expected);
        assert!(!found.is_early_end());
    }

    #[test]
    fn sites_are_compared_and_not_their_numbers() {
        let (one, mut other) = (trace(&[0]), trace(&[0]));
        other.sites.insert(0, Site::default());
        other.steps[0].site = 1;
        assert!(parting(&one, &other, Depth::Operation).is_none());
        other.sites[1].line = 7;
        let found = parting(&one, &other, Depth::Operation).expect("they differ");
        assert_eq!(found.told()[1], "w1 start of object 0 at a.rs:7:2");
    }

    #[test]
    fn values_count_where_everything_does() {
        let (one, mut other) = (trace(&[0, 1]), trace(&[0, 1]));
        other.steps[1].read = Some(Value::Unsigned(7));
        assert!(parting(&one, &other, Depth::Operation).is_none());
        let found = parting(&one, &other, Depth::Everything).expect("they differ");
        assert_eq!(found.index, 1);
    }

    #[test]
    fn an_early_end_is_a_difference_and_notes_have_no_number() {
        let (mut one, other) = (trace(&[0, 1, 2]), trace(&[0, 1]));
        one.steps[1].note = true;
        let mut other = other;
        other.steps[1].note = true;
        let found = parting(&one, &other, Depth::Operation).expect("they differ");
        assert_eq!((found.index, found.number()), (2, 2));
        assert!(found.is_early_end());
        assert_eq!(found.told()[1], "the end");
        let found = parting(&other, &one, Depth::Operation).expect("they differ");
        assert!(!found.is_early_end());
    }
}
