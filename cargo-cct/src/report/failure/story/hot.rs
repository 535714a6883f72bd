//! Monitors that are hot when a schedule ends, and the step since when.

use std::collections::{BTreeMap, BTreeSet};

use cct::operation::Operation as Op;
use cct::trace::Trace;
use cct::verdict::BugKind;

use super::super::actors;
use super::super::describe::label;
use super::super::names::operation;
use super::fact::Fact;
use super::{Scene, Sentence};

/// The end of the words by which a monitor's hot state is told.
const HOT: &str = " (hot)";

/// Something that must still happen: the monitor's name, its state, and the step that made it hot.
pub(super) struct Hot<'a> {
    pub(super) monitor: &'a str,
    pub(super) state: &'a str,
    pub(super) since: usize,
}

/// Of so many events that were ignored since then it is told.
const MOST: usize = 2;

/// A sentence for each monitor that is hot in the end, where that is what failed, or nobody goes on; and what
/// became of events since then.
pub(super) fn sentences(scene: &Scene<'_>) -> Vec<Sentence> {
    if fails_by_waiting(scene.bug.kind) {
        let all = hot(scene.trace);
        let first = all.first().map(|hot| hot.since);
        let mut sentences: Vec<_> = all
            .iter()
            .map(|hot| Sentence(vec![Fact::Hot(hot.since)]))
            .collect();
        let ignored = actors::ignored(scene.trace);
        let ignored = ignored.filter(|it| first.is_some_and(|first| it.step >= first));
        let steps: BTreeSet<usize> = ignored.map(|it| it.step).collect();
        let steps = steps.into_iter().take(MOST);
        sentences.extend(steps.map(|step| Sentence(vec![Fact::Ignores(step)])));
        sentences
    } else {
        Vec::new()
    }
}

fn fails_by_waiting(kind: BugKind) -> bool {
    matches!(
        kind,
        BugKind::Liveness | BugKind::Deadlock | BugKind::Livelock
    )
}

/// The monitors that are hot in the end, in the order in which they became so.
pub(super) fn hot(trace: &Trace) -> Vec<Hot<'_>> {
    let mut hot = BTreeMap::<&str, Hot<'_>>::new();
    for (index, step) in trace.steps.iter().enumerate() {
        let told = label(trace, step).filter(|_| operation(step) == Some(Op::Notify));
        let Some((monitor, state)) = told.and_then(|told| told.split_once(" → ")) else {
            continue;
        };
        match state.strip_suffix(HOT) {
            Some(state) => {
                let since = hot.get(monitor).map_or(index, |hot| hot.since);
                let now = Hot {
                    monitor,
                    state,
                    since,
                };
                hot.insert(monitor, now);
            }
            None => {
                hot.remove(monitor);
            }
        }
    }
    let mut all: Vec<_> = hot.into_values().collect();
    all.sort_by_key(|hot| hot.since);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{step, trace};

    #[test]
    fn a_monitor_is_hot_since_it_was_cold_last() {
        let told = [
            "Other → waits (hot)",
            "Progress → asked (hot)",
            "Progress → idle",
            "Progress → asked (hot)",
            "Progress → late (hot)",
            "Other → is done",
        ];
        let steps = (0..).zip(told).map(|(label, _)| {
            let mut step = step(0, Op::Notify, "src/a.rs");
            (step.0.note, step.0.label) = (true, Some(label));
            step
        });
        let mut trace = trace(&steps.collect::<Vec<_>>());
        trace.labels = told.map(str::to_owned).to_vec();
        let hot = hot(&trace);
        let told: Vec<_> = hot
            .iter()
            .map(|hot| (hot.monitor, hot.state, hot.since))
            .collect();
        assert_eq!(told, [("Progress", "late", 3)]);
    }
}
