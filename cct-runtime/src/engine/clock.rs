//! Virtual time: nanoseconds since the iteration began, moved by steps, looks at the clock, and waiting.

use std::time::Duration;

use super::point::give_way;
use super::state::{Engine, engine};
use crate::operation::Operation;

/// A deadline that never comes.
pub const NEVER: u64 = u64::MAX;

/// How much time a step takes, in nanoseconds.
const STEP: u64 = 10;
/// How much time a look at the clock takes, in nanoseconds.
const READ: u64 = 1000;
/// A worker that only looks at the clock waits for it: after this many looks in a row time goes faster.
const READS_TO_SPEED_UP: u32 = 16;
/// At most 2^14 times faster: about 16 ms a look.
const MOST_SPEED_UPS: u32 = 14;

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
/// Time moves a little, and faster and faster while all that happens is looks at the clock.
#[track_caller]
pub fn clock_read() -> u64 {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live; no reference is kept.
    unsafe {
        if (*engine).idle == 0 {
            (*engine).clock_reads = 0;
        }
        (*engine).clock_reads += 1;
        let speed_ups = ((*engine).clock_reads / READS_TO_SPEED_UP).min(MOST_SPEED_UPS);
        (*engine).time_base += READ << speed_ups;
        if speed_ups > 0 {
            // It waits for time to pass; others may run meanwhile.
            give_way(Operation::ClockRead);
        } else {
            (*engine).idle += 1;
            if (*engine).next_deadline != NEVER {
                // The fuse was measured by the clock as it was.
                (*engine).burn_fuse();
            }
        }
    }
    now(engine)
}

/// The wall clock at virtual time 0, in nanoseconds since the Unix epoch. Controlled workers only.
pub fn wall_clock() -> u64 {
    // SAFETY: a controlled worker's engine is live.
    unsafe { (*engine()).wall_clock }
}

fn now(engine: *mut Engine) -> u64 {
    // SAFETY: callers have a live engine.
    unsafe { (*engine).time_base + u64::from((*engine).steps()) * STEP }
}

/// Wakes the workers whose deadline has come.
pub(super) fn fire_due(engine: &mut Engine) {
    let now = now(engine);
    if engine.next_deadline <= now {
        engine.end_waits_until(now);
    }
}

/// Moves time to the next deadline and wakes who waits for it; false if nobody does.
pub(super) fn jump_to_next_deadline(engine: &mut Engine) -> bool {
    // The kept bound may be that of a worker woken since; looking at all of them makes it exact.
    let now_here = now(engine);
    engine.end_waits_until(now_here);
    if engine.next_deadline == NEVER {
        return false;
    }
    let deadline = engine.next_deadline;
    engine.time_base += deadline.saturating_sub(now(engine));
    engine.end_waits_until(deadline);
    true
}

/// How many steps may pass without a look at the deadlines: the one after them is due or too early.
pub(super) fn steps_to_deadline(engine: &Engine) -> u32 {
    if engine.next_deadline == NEVER {
        return u32::MAX;
    }
    let now = engine.time_base + u64::from(engine.steps()) * STEP;
    let steps = engine.next_deadline.saturating_sub(now).div_ceil(STEP).saturating_sub(1);
    u32::try_from(steps).unwrap_or(u32::MAX)
}
