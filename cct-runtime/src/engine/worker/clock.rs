//! The virtual clock, as a worker reads it.

use std::time::Duration;

use super::{last_site, point_at, touch};
use crate::claim::Exception;
use crate::engine::decide::deadlines::NEVER;
use crate::engine::decide::{engine, outside};
use crate::engine::state::file_times::{Change, FileId, FileTimes, Stamp};
use crate::engine::state::time::LAST;
use crate::object::ObjectId;
use crate::operation::{Access, Operation};

/// How much time a look at the clock takes, in nanoseconds.
const READ: u64 = 1000;

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
    point_at(Operation::ClockRead, ObjectId::NONE, last_site()).done();
    let engine = engine();
    // SAFETY: a controlled worker's engine is live; no reference is kept.
    unsafe {
        (*engine).time.pass(READ);
        (*engine).iteration.left_out.add(Exception::Clocks);
        (*engine).time.now
    }
}

/// The wall clock at virtual time 0, in nanoseconds since the Unix epoch. Controlled workers only.
pub fn wall_clock() -> u64 {
    // SAFETY: a controlled worker's engine is live.
    unsafe { (*engine()).time.wall_clock }
}

/// The virtual time, without looking at the clock: it does not move. Controlled workers only.
pub fn now() -> u64 {
    // SAFETY: a controlled worker's engine is live.
    unsafe { (*engine()).time.now }
}

/// The time of a file as the iteration's wall clock has it, where it is `time` by that of the machine, which
/// says `machine` now; all in nanoseconds since the Unix epoch. Controlled workers only.
pub fn file_time(of: (FileId, Stamp), time: u64, machine: u64) -> u64 {
    with_file_times(|times, now| times.seen(of, time, machine, now))
}

/// The current worker has changed a file, whose times are these by the machine's clock: in the order of
/// [`Stamp`], in nanoseconds since the Unix epoch, as far as the file system has them. Controlled workers
/// only.
pub fn note_file(file: FileId, times: [Option<u64>; 4], change: Change) {
    with_file_times(|tracked, now| tracked.note(file, times, change, now));
}

fn with_file_times<R>(act: impl FnOnce(&mut FileTimes, u64) -> R) -> R {
    let engine = engine();
    outside(|| {
        // SAFETY: a controlled worker's engine is live; no switch happens in here.
        let engine = unsafe { &mut *engine };
        let now = engine.time.wall_clock.saturating_add(engine.time.now);
        act(&mut engine.process.file_times, now)
    })
}

/// Time leaps to the deadline, and waits end that end by then; unless somebody sleeps, waits for an earlier
/// one that is no tick, or time is not the engine's alone. True if it has come. Controlled workers only.
pub fn leap(deadline: u64) -> bool {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live; no switch happens in here.
    unsafe {
        touch(ObjectId::CLOCK, Access::Writes);
        outside(|| (*engine).leap_to(deadline))
    }
}

/// Says that what the current worker does next depends on the time at which it does so.
#[inline]
pub(super) fn touch_clock(access: Access) {
    let engine = engine();
    // SAFETY: a set engine is live; no switch happens in here.
    unsafe {
        if !engine.is_null() && (*engine).time.early.is_possible() {
            touch(ObjectId::CLOCK, access);
        }
    }
}
