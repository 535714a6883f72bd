//! The counts of `Arc` and `Weak`: which operations on them are steps.
//!
//! A worker that clones a reference keeps one meanwhile, so nobody can tell from a drop whether the clone was
//! before or after. Only code that looks at a count can. Where the program has none, clones are no steps.

use super::step::Step;
use super::{engine, last_site, point_at, touch};
use crate::claim::Exception;
use crate::config::Counts;
use crate::object::ObjectId;
use crate::operation::{Access, Operation};

/// The step under way, of which an operation on a count is a part whose time nobody can tell.
#[inline]
pub fn part_of_step() -> Step {
    Step::part_of(engine())
}

/// Declares an operation on a count, and lets the strategy decide who runs if it is a step. Does nothing
/// outside a controlled worker.
#[inline]
pub fn point_at_count(operation: Operation, count: ObjectId) -> Step {
    let engine = engine();
    if engine.is_null() {
        return Step::of(engine);
    }
    // SAFETY: a set engine is live; no reference is kept.
    match unsafe { (*engine).granularity.counts.which } {
        Counts::Auto | Counts::All => point_at(operation, count, last_site()),
        Counts::Drops => {
            if matches!(operation, Operation::CountUp | Operation::WeakUp) {
                touch(count, Access::Adds);
                return Step::part_of(engine);
            }
            let step = point_at(operation, count, last_site());
            // Somebody looks, and has not seen all counts that there could be.
            let is_drop = matches!(operation, Operation::CountDown | Operation::WeakDown);
            step.leaves_out_if(!is_drop, Exception::ReferenceCounts);
            step
        }
        Counts::None => {
            touch(count, Access::Writes);
            let step = Step::part_of(engine);
            step.leaves_out_if(true, Exception::ReferenceCounts);
            step
        }
    }
}
