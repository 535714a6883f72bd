//! Virtual time: nanoseconds since the iteration began.
//!
//! Time moves to the earliest deadline when nobody can run, or when all who can only yield; by a little at
//! each look at the clock; and when a deadline has been near for very many steps, since the others may go
//! on for ever until the sleeper stops them. It does not move with steps: however long work takes in the
//! schedule at hand, a sleep that was meant to outlast it does.

use std::time::Duration;

use super::point::{last_site, point_at};
use super::state::{Engine, engine};
use crate::operation::Operation;

/// A deadline that never comes.
pub const NEVER: u64 = u64::MAX;

/// How much time a look at the clock takes, in nanoseconds.
const READ: u64 = 1000;
/// The deadline this long from now, in virtual nanoseconds. Controlled workers only.
pub fn deadline_after(duration: Duration) -> u64 {
    let nanos = u64::try_from(duration.as_nanos()).unwrap_or(NEVER / 2);
    now(engine()).saturating_add(nanos).min(NEVER - 1)
}

/// The deadline at this many virtual nanoseconds, which is not [`NEVER`].
pub fn deadline_at(nanos: u64) -> u64 {
    nanos.min(NEVER - 1)
}

/// Looks at the clock: virtual nanoseconds since the iteration began. Controlled workers only.
///
/// It is a scheduling point, at the site of the operation before it, and time moves a little.
pub fn clock_read() -> u64 {
    point_at(Operation::ClockRead, 0, last_site()).done();
    let engine = engine();
    // SAFETY: a controlled worker's engine is live; no reference is kept.
    unsafe {
        (*engine).time += READ;
        (*engine).time
    }
}

/// The wall clock at virtual time 0, in nanoseconds since the Unix epoch. Controlled workers only.
pub fn wall_clock() -> u64 {
    // SAFETY: a controlled worker's engine is live.
    unsafe { (*engine()).wall_clock }
}

fn now(engine: *mut Engine) -> u64 {
    // SAFETY: callers have a live engine.
    unsafe { (*engine).time }
}

/// Lets the earliest deadline come if it has been waited for through very many steps of others.
pub(super) fn lose_patience(engine: &mut Engine) {
    if engine.next_deadline != NEVER && steps_to_patience_end(engine) == 0 {
        jump_to_next_deadline(engine);
    }
}

/// Moves time to the next deadline and wakes all whose deadline has come; false if nobody has one.
pub(super) fn jump_to_next_deadline(engine: &mut Engine) -> bool {
    // The kept bound may be that of a worker woken since; looking at all of them makes it exact.
    engine.find_next_deadline();
    if engine.next_deadline == NEVER || engine.body_done {
        return false;
    }
    engine.time = engine.time.max(engine.next_deadline);
    engine.end_waits_until(engine.time);
    engine.deadline_since = engine.horizon;
    true
}

/// How many steps may pass without a look at the deadlines.
pub(super) fn steps_to_deadline(engine: &Engine) -> u32 {
    if engine.next_deadline == NEVER {
        return u32::MAX;
    }
    steps_to_patience_end(engine).saturating_sub(1)
}

fn steps_to_patience_end(engine: &Engine) -> u32 {
    engine
        .deadline_since
        .saturating_add(engine.patience)
        .saturating_sub(engine.horizon)
}
