//! The second execution of a schedule that has just been made: it shows whether everything is under control.

use super::maker::Maker;
use super::replay::replay;
use crate::operation::Operation;
use crate::trace::{Step, Trace};
use crate::verdict::Bug;
use crate::wire::Divergence;

/// Executes the schedule just made again; returns where the two executions differ.
pub(super) fn repeat(maker: &mut Maker<'_>, body: &dyn Fn() -> Option<Bug>) -> Option<Divergence> {
    let first = maker.runner.trace();
    maker.runner.clean_up();
    let schedule = first.schedule.clone();
    let second = replay(maker.runner, schedule, maker.name, &maker.settings, body);
    let mut difference = first_difference(&first, &second.trace)?;
    if let Some(divergence) = second.divergence
        && difference.step as usize == second.trace.steps.len()
    {
        // It ended because it left the schedule: say how.
        difference.found = divergence.found;
    }
    Some(difference)
}

/// Where two executions of one schedule first differ.
fn first_difference(first: &Trace, second: &Trace) -> Option<Divergence> {
    let length = first.steps.len().max(second.steps.len());
    (0..length).find_map(|index| {
        let [expected, found] =
            [first, second].map(|trace| describe(trace, trace.steps.get(index)));
        (expected != found).then_some(Divergence {
            step: index as u32,
            expected,
            found,
        })
    })
}

fn describe(trace: &Trace, step: Option<&Step>) -> String {
    let Some(step) = step else {
        return "the end of the execution".to_owned();
    };
    let operation = Operation::from_code(step.operation).map_or("?", Operation::name);
    let object = step
        .object
        .map_or(String::new(), |object| format!(" of object {object}"));
    let site = &trace.sites[step.site as usize];
    format!("worker {}: {operation}{object} at {site}", step.worker)
}
