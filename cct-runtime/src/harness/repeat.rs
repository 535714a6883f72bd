//! The second execution of a schedule: a difference shows that something is not under control.

use super::maker::Maker;
use super::replay::replay;
use crate::comparison::{Depth, parting};
use crate::verdict::Bug;
use crate::wire::Divergence;

/// Executes the schedule that was made last once more; returns where the two executions part.
pub(super) fn repeat(maker: &mut Maker<'_>, body: &dyn Fn() -> Option<Bug>) -> Option<Divergence> {
    let first = maker.runner.trace();
    maker.runner.clean_up();
    let schedule = first.schedule.clone();
    let second = replay(maker.runner, schedule, maker.name, &maker.settings, body);
    let parting = parting(&first, &second.trace, Depth::Operation)?;
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
