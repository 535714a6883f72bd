//! Virtual time: nanoseconds since the iteration began, which it does up to a millisecond late.
//!
//! Time moves to the earliest deadline when nobody can run, or when all who can only yield; by a little at
//! each look at the clock; and when somebody has slept for very many steps, since the others may go on for
//! ever until the sleeper stops them. It does not move with steps: however long work takes in the schedule
//! at hand, a sleep that was meant to outlast it does. The limit of a wait does not come because of many
//! steps alone: it is there for what never happens, and the others may be about to make it happen.

use std::time::Duration;

use super::children;
use super::early::touch_clock;
use super::point::{last_site, point_at};
use super::state::{Engine, engine};
use super::worker::{State, Worker};
use crate::claim::Exception;
use crate::operation::{Access, Operation};
use crate::strategy::derive;

/// A deadline that never comes.
pub const NEVER: u64 = u64::MAX;
/// The latest time that there is: 146 years. Time stops here, and later deadlines never come, so that no
/// clock overflows, whatever it counts from.
const LAST: u64 = 1 << 62;

/// How much time a look at the clock takes, in nanoseconds.
const READ: u64 = 1000;
/// An iteration begins before this time, in nanoseconds.
const LATEST_START: u64 = 1 << 20;
/// Which of the numbers that follow from the seed says when; the first two are std's hash keys.
const START: u64 = 2;

/// When an iteration with this seed begins: programs that draw random numbers from the clock draw others in
/// each iteration.
pub(super) fn start(seed: u64) -> u64 {
    derive(seed, START) % LATEST_START
}

/// The deadline this long from now, in virtual nanoseconds; [`NEVER`] if time does not come so far.
/// Controlled workers only.
pub fn deadline_after(duration: Duration) -> u64 {
    touch_clock(Access::Reads);
    let nanos = u64::try_from(duration.as_nanos()).unwrap_or(NEVER);
    deadline_at(now().saturating_add(nanos))
}

/// The deadline at this many virtual nanoseconds; [`NEVER`] if time does not come so far.
pub fn deadline_at(nanos: u64) -> u64 {
    if nanos > LAST { NEVER } else { nanos }
}

/// Looks at the clock: virtual nanoseconds since the iteration began. Controlled workers only.
///
/// It is a scheduling point, at the site of the operation before it, and time moves a little.
pub fn clock_read() -> u64 {
    point_at(Operation::ClockRead, 0, last_site()).done();
    let engine = engine();
    // SAFETY: a controlled worker's engine is live; no reference is kept.
    unsafe {
        pass(&mut *engine, READ);
        (*engine).left_out.add(Exception::Clocks);
        (*engine).time
    }
}

/// Lets this much time pass, whose deadlines may come later than they should.
#[inline]
pub(super) fn pass(engine: &mut Engine, nanos: u64) {
    engine.time = engine.time.saturating_add(nanos).min(LAST);
}

/// The wall clock at virtual time 0, in nanoseconds since the Unix epoch. Controlled workers only.
pub fn wall_clock() -> u64 {
    // SAFETY: a controlled worker's engine is live.
    unsafe { (*engine()).wall_clock }
}

/// The virtual time, without looking at the clock: it does not move. Controlled workers only.
pub fn now() -> u64 {
    // SAFETY: a controlled worker's engine is live.
    unsafe { (*engine()).time }
}

/// From here on there is a deadline, and three quarters of the steps that are left to wait for it.
///
/// Most sleeps in tests mean "until the others are done", which this many steps may be too few for: the
/// more there are, the better. What is left is for what the sleeper does then.
pub(super) fn be_patient(engine: &mut Engine) {
    engine.patience_ends = engine.horizon + engine.limit.saturating_sub(engine.horizon) / 4 * 3;
}

/// Lets the earliest deadline come if somebody has slept through very many steps of others.
#[inline]
pub(super) fn lose_patience(engine: &mut Engine) {
    if engine.next_deadline != NEVER && steps_to_patience_end(engine) == 0 {
        if somebody_sleeps(engine) {
            jump_to_next_deadline(engine);
        } else {
            be_patient(engine);
        }
    }
}

#[cold]
fn somebody_sleeps(engine: &Engine) -> bool {
    engine.live_workers().iter().any(|&worker| {
        // SAFETY: the engine's workers are live.
        let worker = unsafe { &*worker };
        worker.state == State::Waiting && worker.operation == Operation::Sleep
    })
}

/// The worker begins a wait that ends at its deadline only when nobody can run. Nobody can tell if it is
/// the only one that has not ended.
pub(super) fn note_deadline(engine: &mut Engine, worker: &Worker) {
    let exception = match worker.operation {
        Operation::Sleep => Exception::Sleeps,
        _ => Exception::TimeOuts,
    };
    let others = engine.live_workers().iter().any(|&other| {
        // SAFETY: the engine's workers are live.
        let other = unsafe { &*other };
        other.id != worker.id && other.state != State::Ended
    });
    if others {
        engine.left_out.add(exception);
    }
}

/// Moves time to the next deadline and wakes all whose deadline has come; false if nobody has one.
pub(super) fn jump_to_next_deadline(engine: &mut Engine) -> bool {
    // The kept bound may be that of a worker woken since; looking at all of them makes it exact.
    engine.find_next_deadline();
    if engine.next_deadline == NEVER || engine.body_done {
        return false;
    }
    if children::keep_pace(engine, engine.next_deadline) {
        return true;
    }
    engine.limits.time = true;
    engine.time = engine.time.max(engine.next_deadline);
    engine.end_waits_until(engine.time);
    be_patient(engine);
    true
}

/// How many steps may pass without a look at the deadlines.
#[inline]
pub(super) fn steps_to_deadline(engine: &Engine) -> u32 {
    if engine.next_deadline == NEVER {
        return u32::MAX;
    }
    steps_to_patience_end(engine).saturating_sub(1)
}

#[inline]
fn steps_to_patience_end(engine: &Engine) -> u32 {
    engine.patience_ends.saturating_sub(engine.horizon)
}
