//! Whether what is printed in a moment is a step.
//!
//! Such a print takes the lock of its stream, and gives it back before anybody else can run. As long as
//! nobody keeps that lock from one step to another, nobody can tell when it was, and a step for each would
//! only make the schedules of chatty programs longer and their choices harder to hit. When somebody does,
//! a print may have to wait, and what its worker did just before may be what the holder waits for. So in
//! one of four iterations, by the seed, prints are steps; strategies that enumerate do without, and their
//! claim says so if it matters: see `primitive/stream.rs`.

use super::{engine, outside, touch};
use crate::object::ObjectId;
use crate::operation::Access;

/// True if a print is a step in the current iteration. Controlled workers only.
pub fn prints_are_steps() -> bool {
    // SAFETY: a controlled worker's engine is live.
    unsafe { (*engine()).iteration.prints_are_steps }
}

/// The number of the step under way. Controlled workers only.
pub fn step_number() -> u32 {
    // SAFETY: as above.
    unsafe { (*engine()).steps() }
}

/// True if the current code runs aside: it can neither declare a step nor wait. Controlled workers only.
pub fn is_aside() -> bool {
    // SAFETY: as above.
    unsafe { (*engine()).aside.onlooker().is_some() }
}

/// The current worker takes the lock of a stream for a print that is no step. Controlled workers only.
pub fn begin_print(stream: ObjectId) {
    touch(stream, Access::Adds);
    // SAFETY: a controlled worker's engine is live; no reference is kept.
    unsafe { (*engine()).observers.begin_print(stream) };
}

/// It gives the lock back. Controlled workers only.
pub fn end_print(stream: ObjectId) {
    // SAFETY: as above.
    unsafe { (*engine()).observers.end_print(stream) };
}

/// True if somebody wants to know what is printed.
#[must_use]
pub fn tells_prints() -> bool {
    let engine = engine();
    // SAFETY: a set engine is live.
    !engine.is_null() && unsafe { (*engine).observers.recorder.is_some() }
}

/// Tells the recorder, if there is one, that the current worker prints this.
pub fn tell_print(is_error: bool, bytes: &[u8]) {
    if tells_prints() {
        let engine = engine();
        // SAFETY: the engine is set, so it is live and has a current worker; nobody else uses its recorder
        // meanwhile.
        outside(|| unsafe {
            let worker = (*(*engine).roster.current).id;
            if let Some(recorder) = &mut (*engine).observers.recorder {
                recorder.add_print(worker, is_error, bytes);
            }
        });
    }
}
