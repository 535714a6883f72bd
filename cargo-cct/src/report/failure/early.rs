//! Time-outs that came although others could run: the part of a report that says so.

use cct::trace::Trace;

use super::describe;
use super::names::Names;
use crate::report::words::put;

/// No more than this many are told of.
const MOST: usize = 5;

/// The steps of the time-outs that are told of.
pub(super) fn told(trace: &Trace) -> impl Iterator<Item = usize> {
    let is_early = |&index: &usize| !trace.steps[index].ahead_of.is_empty();
    (0..trace.steps.len()).filter(is_early).take(MOST)
}

/// A line for each time-out that was early; empty when none was.
pub(super) fn text(trace: &Trace, names: &Names) -> String {
    let steps = trace.steps.iter().enumerate();
    let early: Vec<_> = steps
        .filter(|(_, step)| !step.ahead_of.is_empty())
        .collect();
    let mut out = String::new();
    for &(index, step) in early.iter().take(MOST) {
        put!(
            out,
            "  the time-out of step {} came although {} could run\n",
            names.step(index),
            describe::ahead(trace, names, step)
        );
    }
    if early.len() > MOST {
        put!(out, "  and so did {} more\n", early.len() - MOST);
    }
    out
}

#[cfg(test)]
mod tests {
    use cct::operation::Operation as Op;

    use super::super::source::Source;
    use super::*;
    use crate::sample::{step, trace};

    #[test]
    fn who_could_run_is_named() {
        let mut steps = [
            step(0, Op::RecvTimeout, "src/a.rs"),
            step(0, Op::Lock, "src/a.rs"),
            step(1, Op::Wait, "src/a.rs"),
        ];
        steps[0].0.ahead_of = vec![3, 1, 2];
        steps[2].0.ahead_of = vec![0];
        let trace = trace(&steps);
        let names = Names::of(&trace, &Source::new(std::path::Path::new("/nowhere")));
        assert_eq!(
            text(&trace, &names),
            "  the time-out of step 1 came although w1, w2 and w3 could run\n  \
             the time-out of step 3 came although main could run\n"
        );
    }
}
