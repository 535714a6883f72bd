//! The steps that repeat for ever in a livelock, and where something that must happen never does: the part
//! of a report that says so.

use std::collections::BTreeMap;

use cct::operation::Operation;
use cct::trace::Trace;
use cct::verdict::{Bug, BugKind};
use serde_json::{Value, json};

use super::names::{Names, operation, worker};
use crate::report::words::{number, put};

/// A cycle has at most this many steps.
const LONGEST: usize = 64;
/// It goes round at least so often.
const FEWEST: usize = 3;
/// Of how many workers it is told.
pub(super) const MOST: usize = 4;

/// The last steps of a worker, which come again and again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cycle {
    pub(super) worker: u32,
    /// The first step of its first round, by index.
    pub(super) first: usize,
    /// The last step of its first round.
    pub(super) last: usize,
    /// How often it goes round, up to the end.
    times: usize,
}

/// A line for each worker that goes round; empty for bugs that are not about that.
pub(super) fn text(bug: Option<&Bug>, trace: &Trace, names: &Names) -> String {
    let cycles = cycles(bug, trace, names);
    let mut out = String::new();
    for cycle in cycles.iter().take(MOST) {
        let (first, last) = (names.step(cycle.first), names.step(cycle.last));
        let steps = if first == last {
            format!("its step {first}")
        } else {
            format!("its steps {first} to {last}")
        };
        let (who, times) = (names.worker(cycle.worker), number(cycle.times as u64));
        put!(out, "  {who} repeats {steps} to the end, {times} times\n");
    }
    if cycles.len() > MOST {
        put!(out, "  and so do {} more\n", cycles.len() - MOST);
    }
    out
}

/// The same for programs; null for other bugs.
pub(super) fn json(bug: Option<&Bug>, trace: &Trace, names: &Names) -> Value {
    let cycles = cycles(bug, trace, names);
    if cycles.is_empty() {
        return Value::Null;
    }
    let told = cycles.iter().map(|cycle| {
        json!({
            "worker": worker(cycle.worker),
            "first": names.step(cycle.first),
            "last": names.step(cycle.last),
            "times": cycle.times,
        })
    });
    told.collect()
}

/// The cycles of a schedule that goes round to its end.
pub(super) fn cycles(bug: Option<&Bug>, trace: &Trace, names: &Names) -> Vec<Cycle> {
    let goes_round = |bug: &Bug| match bug.kind {
        BugKind::Livelock => true,
        BugKind::Liveness => !bug.is_at_the_end(),
        _ => false,
    };
    if !bug.is_some_and(goes_round) {
        return Vec::new();
    }
    let mut own = BTreeMap::<u32, Vec<usize>>::new();
    for (index, step) in trace.steps.iter().enumerate() {
        // Counts of references are nobody's loop.
        let is_count = operation(step).is_some_and(Operation::counts_references);
        if !step.note && !is_count {
            own.entry(names.lane(step.worker)).or_default().push(index);
        }
    }
    let all = own.iter();
    all.filter_map(|(&worker, steps)| cycle(worker, steps, trace))
        .collect()
}

/// The shortest cycle in which a worker's steps end.
fn cycle(worker: u32, steps: &[usize], trace: &Trace) -> Option<Cycle> {
    let is_alike = |one: usize, other: usize| {
        let key = |index: usize| {
            let step = &trace.steps[steps[index]];
            (step.operation, step.object, step.site, step.outcome)
        };
        key(one) == key(other)
    };
    let length = steps.len();
    (1..=LONGEST.min(length / FEWEST)).find_map(|period| {
        let alike = (period..length)
            .rev()
            .take_while(|&index| is_alike(index, index - period));
        let repeated = alike.count();
        let times = (repeated + period) / period;
        let first = length - times * period;
        (times >= FEWEST).then(|| Cycle {
            worker,
            first: steps[first],
            last: steps[first + period - 1],
            times,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::source::Source;
    use super::*;
    use crate::sample;

    fn told(workers: &[u32]) -> String {
        let steps: Vec<_> = workers
            .iter()
            .enumerate()
            .map(|(nth, &worker)| {
                let operation = if nth % 2 == 0 {
                    Operation::Load
                } else {
                    Operation::YieldNow
                };
                sample::step(worker, operation, "src/a.rs")
            })
            .collect();
        let trace = sample::trace(&steps);
        let names = Names::of(&trace, &Source::new(std::path::Path::new("/nowhere")));
        let bug = |kind| Bug::new(kind, String::new(), None, None);
        assert_eq!(text(Some(&bug(BugKind::Panic)), &trace, &names), "");
        text(Some(&bug(BugKind::Livelock)), &trace, &names)
    }

    #[test]
    fn the_first_round_is_named() {
        assert_eq!(
            told(&[0, 0, 0, 0, 0, 0]),
            "  main repeats its steps 1 to 2 to the end, 3 times\n"
        );
        // The other worker's steps are in between.
        assert_eq!(
            told(&[1, 0, 1, 0, 1, 0, 1]),
            "  main repeats its step 2 to the end, 3 times\n  w1 repeats its step 1 to the end, 4 times\n"
        );
        assert_eq!(told(&[0, 0, 0, 0]), "");
    }
}
