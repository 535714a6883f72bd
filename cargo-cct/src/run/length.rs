//! How long a schedule is, as a person counts.

use cct::operation::Operation;
use cct::trace::{Step, Trace, WorkerInfo, WorkerKind, lets_go};
use serde::{Deserialize, Serialize};

/// The length of a schedule; fewer preemptions are shorter, then fewer switches, then fewer steps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct Length {
    /// Switches away from a worker that could have gone on.
    pub preemptions: u64,
    /// All switches.
    pub switches: u64,
    /// Steps.
    pub steps: u64,
}

impl Length {
    /// That of the schedule that this is the trace of.
    pub(crate) fn of(trace: &Trace) -> Length {
        let pairs = trace.steps.windows(2);
        let is_switch = |pair: &&[Step]| is_switch(trace, &pair[0], &pair[1]);
        let last = 0..trace.steps.len();
        Length {
            preemptions: last.filter(|&last| is_preemption(trace, last)).count() as u64,
            switches: pairs.filter(is_switch).count() as u64,
            steps: trace.len() as u64,
        }
    }
}

/// The worker that a worker's steps are shown as: the steps of a thread and of the future that it blocks on
/// come one after the other, and are one thing to the reader.
pub(crate) fn lane(workers: &[WorkerInfo], worker: u32) -> u32 {
    let info = usize::try_from(worker).ok();
    let info = info.and_then(|worker| workers.get(worker));
    match info.map(|info| info.kind) {
        Some(WorkerKind::Root(thread)) => thread,
        _ => worker,
    }
}

/// True when the worker of step `last` could have gone on instead of that of the step after it.
pub(crate) fn is_preemption(trace: &Trace, last: usize) -> bool {
    let Some(after) = trace.steps.get(last + 1) else {
        return false;
    };
    let mut steps = trace.steps[..=last].iter().rev();
    let lets_go = steps.find(|step| !step.note).is_none_or(|before| {
        operation(before).is_some_and(|operation| lets_go(operation, before.outcome))
    });
    after.preempts && !lets_go && is_switch(trace, &trace.steps[last], after)
}

/// True when another worker runs; a thread that polls a task, and goes on after that, is not another.
pub(crate) fn is_switch(trace: &Trace, before: &Step, after: &Step) -> bool {
    let polls = after.thread == Some(before.worker);
    let has_polled =
        before.thread == Some(after.worker) && operation(after) != Some(Operation::Poll);
    let lane = |step: &Step| lane(&trace.workers, step.worker);
    lane(before) != lane(after) && !polls && !has_polled
}

fn operation(step: &Step) -> Option<Operation> {
    Operation::from_code(step.operation)
}

#[cfg(test)]
mod tests {
    use cct::trace::Outcome;

    use super::*;
    use crate::sample::{step, trace};

    #[test]
    fn a_worker_that_waits_is_not_preempted() {
        let mut steps = vec![
            step(0, Operation::Lock, "src/a.rs"),
            step(1, Operation::Lock, "src/a.rs"),
            step(0, Operation::Unlock, "src/a.rs"),
            step(1, Operation::Lock, "src/a.rs"),
        ];
        steps[1].0.outcome = Outcome::Waits;
        for step in &mut steps {
            step.0.preempts = true;
        }
        // Worker 0 is, twice: also where it never runs again.
        let expected = Length {
            preemptions: 2,
            switches: 3,
            steps: 4,
        };
        assert_eq!(Length::of(&trace(&steps)), expected);
    }

    #[test]
    fn a_thread_that_polls_a_task_is_not_preempted_by_it() {
        let mut steps = [
            step(0, Operation::Load, "src/a.rs"),
            step(1, Operation::Await, "src/a.rs"),
            step(0, Operation::Load, "src/a.rs"),
            step(1, Operation::Await, "src/a.rs"),
        ];
        for (step, _) in &mut steps {
            step.preempts = true;
            step.thread = (step.worker > 0).then_some(0);
        }
        let mut trace = trace(&steps);
        trace.workers[1].kind = WorkerKind::Task;
        let length = Length::of(&trace);
        assert_eq!((length.switches, length.preemptions), (0, 0));
    }

    #[test]
    fn a_preemption_is_longer_than_any_number_of_steps() {
        let length = |preemptions, switches, steps| Length {
            preemptions,
            switches,
            steps,
        };
        assert!(length(1, 9, 900) < length(2, 1, 1));
        assert!(length(1, 2, 900) < length(1, 3, 1));
        assert!(length(1, 2, 3) < length(1, 2, 4));
    }
}
