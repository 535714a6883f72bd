//! Looks at the outside that are no steps, over and over: at a path, until another worker makes the file.
//!
//! Such a look is no step, since much of what programs do with files concerns nobody else. But a worker that
//! only looks at the same again, with no step in between, waits for others, and would keep them from running
//! for ever. So each few looks it gives way, as one that yields.

use super::{last_site, point_at};
use crate::engine::decide::engine;
use crate::object::ObjectId;
use crate::operation::Operation;

/// The current worker looks at something that others may change without a step. `what` tells such things
/// apart. Does nothing outside a controlled worker, or as long as there is one only.
pub fn glance(what: u64) {
    let engine = engine();
    // SAFETY: a set engine is live and has a current worker; no reference is kept across a switch.
    unsafe {
        if engine.is_null() || (*engine).roster.len() < 2 || (*engine).aside.onlooker().is_some() {
            return;
        }
        let when = ((*(*engine).roster.current).id.0, (*engine).steps());
        if (*engine).outside.glances.see(when, what) {
            point_at(Operation::YieldNow, ObjectId::NONE, last_site()).done();
        }
    }
}
