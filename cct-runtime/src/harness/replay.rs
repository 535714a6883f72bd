//! Repeats a schedule, with everything recorded.

use super::head;
use super::runner::Runner;
use crate::config::Resolved;
use crate::engine::{Order, Plan, Record, Replay};
use crate::trace::Schedule;
use crate::verdict::Bug;
use crate::wire::Replayed;

/// Runs one iteration as the schedule says.
pub(super) fn replay(
    runner: &mut Runner,
    schedule: Schedule,
    name: &'static str,
    settings: &Resolved,
    body: &dyn Fn() -> Option<Bug>,
) -> Replayed {
    runner.apply(settings);
    let head = head::of(&schedule);
    let plan = Plan {
        iteration: 1,
        head: &head,
        order: Order::Replay(Replay::new(schedule)),
        record: Record::Calls,
        classify: false,
        name,
    };
    let end = runner.run(plan, settings, body);
    runner.replayed(end)
}
