//! Time-outs that came although others could run: the part of a report that says so.

use cct::trace::{Step, Trace, WorkerKind};

use super::names::Names;
use crate::report::words::put;

/// No more than this many are told of.
const MOST: usize = 5;

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
            those(trace, names, step)
        );
    }
    if early.len() > MOST {
        put!(out, "  and so did {} more\n", early.len() - MOST);
    }
    out
}

/// The workers that could have run, of which the engine's own are none.
fn those(trace: &Trace, names: &Names, step: &Step) -> String {
    let is_shown = |worker: &&u32| {
        let info = trace.workers.get(**worker as usize);
        info.is_none_or(|info| info.kind != WorkerKind::WakeUp)
    };
    let mut shown: Vec<u32> = step.ahead_of.iter().filter(is_shown).copied().collect();
    shown.sort_unstable();
    let mut shown: Vec<String> = shown
        .into_iter()
        .map(|worker| names.worker(worker))
        .collect();
    shown.dedup();
    match shown.split_last() {
        None => "others".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
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
