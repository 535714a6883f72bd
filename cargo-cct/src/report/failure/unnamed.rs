//! Tasks that wait without an await of the workspace: in a macro of a dependency, or in a future of one.
//!
//! The engine knows no better place than that at which the task was spawned. Where the task called a
//! dependency before it waited, that call is shown.

use cct::operation::Operation;
use cct::trace::{Outcome, Site, Trace};

use super::names;
use crate::failure::Record;

/// Gives such waits, in the trace and in the bug, the call that the task made last.
pub(super) fn restore(record: &mut Record) {
    let Some(trace) = &mut record.trace else {
        return;
    };
    let mut last: Vec<Option<u32>> = vec![None; trace.workers.len()];
    for index in 0..trace.steps.len() {
        let step = &trace.steps[index];
        let worker = step.worker as usize;
        let Some(spawned_at) = spawned_at(trace, step.worker) else {
            continue;
        };
        let is_await = names::operation(step) == Some(Operation::Await);
        if !is_await || names::site(trace, step) != Some(spawned_at) {
            // An await of its own says where it waits.
            last[worker] = step.caller.filter(|_| !is_await);
            continue;
        }
        let caller = step.caller.or(last[worker]);
        trace.steps[index].caller = caller;
        last[worker] = caller;
    }
    let Some(bug) = &mut record.bug else { return };
    for wait in &mut bug.waits {
        let is_unnamed = wait.task.is_some() && wait.caller.is_none();
        if is_unnamed && spawned_at(trace, wait.worker) == Some(&wait.site) {
            wait.caller = last_wait(trace, wait.worker).cloned();
        }
    }
}

fn spawned_at(trace: &Trace, worker: u32) -> Option<&Site> {
    trace.workers.get(worker as usize)?.spawned_at.as_ref()
}

/// The call in which the task began to wait last.
fn last_wait(trace: &Trace, worker: u32) -> Option<&Site> {
    let mut steps = trace.steps.iter().rev();
    let wait = steps.find(|step| step.worker == worker && step.outcome == Outcome::Waits)?;
    trace.sites.get(wait.caller? as usize)
}
