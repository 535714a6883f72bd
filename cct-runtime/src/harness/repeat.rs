//! The second execution of a schedule: a difference shows that something is not under control.

use super::maker::Maker;
use super::replay::replay;
use crate::comparison::{Depth, parting};
use crate::object::ObjectId;
use crate::trace::Trace;
use crate::verdict::Bug;
use crate::wire::Divergence;

/// Executes the schedule that was made last once more; returns where the two executions part. To a strategy
/// that knows objects `by_address` they part also where an object lies elsewhere.
pub(super) fn repeat(
    maker: &mut Maker<'_>,
    body: &dyn Fn() -> Option<Bug>,
    by_address: bool,
) -> Option<Divergence> {
    let first = maker.runner.trace();
    maker.runner.clean_up();
    let schedule = first.schedule.clone();
    let second = replay(maker.runner, schedule, maker.name, &maker.settings, body);
    let Some(parting) = parting(&first, &second.trace, Depth::Operation) else {
        let moved = by_address.then(|| moved(&first, &second.trace));
        return moved.flatten();
    };
    let [expected, mut found] = parting.told();
    if let Some(divergence) = second.divergence
        && parting.is_early_end()
    {
        // The engine knows why it could not follow the schedule any further.
        found = divergence.found;
    }
    Some(Divergence {
        step: parting.number().saturating_sub(1) as u32,
        expected,
        found,
    })
}

/// The first step about an object whose address is another one in the second execution.
fn moved(first: &Trace, second: &Trace) -> Option<Divergence> {
    let address = |trace: &Trace, object: u32| {
        let key = trace.objects.get(object as usize)?.address;
        ObjectId::of_key(key).address()
    };
    let (step, object) = first.steps.iter().enumerate().find_map(|(index, step)| {
        let object = step.object?;
        (address(first, object) != address(second, object)).then_some((index, object))
    })?;
    let told = |trace| {
        let address = address(trace, object).unwrap_or_default();
        format!("object {object} at {address:#x}")
    };
    Some(Divergence {
        step: step as u32,
        expected: told(first),
        found: told(second),
    })
}
