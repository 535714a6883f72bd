//! Repeats a schedule, with everything recorded.

use super::explore::fail_on_unobserved;
use super::process::patience;
use super::surroundings::Surroundings;
use crate::codec::Wire as _;
use crate::config::Resolved;
use crate::engine::{Engine, Order, Plan, Record, Replay};
use crate::trace::{Schedule, Trace};
use crate::verdict::Bug;
use crate::wire::{ENV_SCHEDULE, Replayed};

/// The schedule in the file that the environment names.
pub(super) fn read_schedule() -> Result<Schedule, String> {
    let path = std::env::var_os(ENV_SCHEDULE).ok_or("`CCT_SCHEDULE` is not set")?;
    let bytes =
        std::fs::read(&path).map_err(|error| format!("cannot read the schedule: {error}"))?;
    Schedule::from_bytes(&bytes).ok_or_else(|| "the schedule is damaged".to_owned())
}

/// Runs one iteration as the schedule says.
pub(super) fn replay(
    engine: &mut Engine,
    surroundings: &Surroundings,
    schedule: Schedule,
    name: &str,
    settings: &Resolved,
    body: &dyn Fn() -> Option<Bug>,
) -> Replayed {
    surroundings.restore(schedule.seed);
    engine.set_patience(patience(settings));
    let head = head_of(&schedule);
    let plan = Plan {
        iteration: 1,
        head: &head,
        order: Order::Replay(Replay::new(schedule)),
        record: Record::Calls,
        classify: false,
        name,
    };
    let end = engine.run(plan, body);
    Replayed {
        verdict: fail_on_unobserved(end.verdict, engine, settings),
        trace: trace_of(engine, surroundings),
        divergence: end.divergence,
        unobserved_panics: engine.unobserved_panics(),
    }
}

/// The trace of the iteration that ended, which was recorded.
pub(super) fn trace_of(engine: &mut Engine, surroundings: &Surroundings) -> Trace {
    let mut trace = engine
        .take_recorder()
        .map(|recorder| recorder.into_trace())
        .unwrap_or_default();
    trace.schedule = engine.tape().schedule();
    for object in &mut trace.objects {
        object.static_path = surroundings.static_at(object.address as usize);
    }
    trace
}

/// The schedule without runs and choices.
pub(super) fn head_of(schedule: &Schedule) -> Schedule {
    Schedule {
        runs: Vec::new(),
        choices: Vec::new(),
        ..schedule.clone()
    }
}
