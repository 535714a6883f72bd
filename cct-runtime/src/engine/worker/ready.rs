//! Waiting for a condition that no single object stands for: the worker is woken once its ready predicate
//! holds.
//!
//! Every change of something that a predicate reads is followed by [`evaluate_predicates`], which evaluates
//! the predicates of all waiters and wakes those whose predicate holds. The outside calls nothing: for its
//! changes [`mod@crate::engine::decide::outside`] evaluates them.

use std::panic::Location;

use super::wait::{Wakeup, wait_at};
use crate::engine::decide::outside::notify;
use crate::engine::decide::{engine, outside};
use crate::engine::state::worker::ReadyPredicate;
use crate::object::ObjectId;
use crate::operation::Operation;

/// [`wait`](super::wait::wait) until the predicate holds, or the deadline comes.
///
/// Wake-ups may be spurious here too: another worker may have been faster.
pub fn wait_until(
    operation: Operation,
    object: ObjectId,
    deadline: u64,
    predicate: ReadyPredicate,
    site: &'static Location<'static>,
) -> Wakeup {
    let engine = engine();
    assert!(!engine.is_null(), "only a controlled worker can wait");
    // SAFETY: a set engine is live and the caller is its current worker; no reference is kept.
    unsafe {
        if (*engine).aside.onlooker().is_none() {
            let worker = (*engine).roster.current;
            outside(|| (*engine).roster.add_predicate(worker, predicate));
        }
    }
    wait_at(operation, object, deadline, None, site)
}

/// The current worker, or an uncontrolled thread, has changed something that ready predicates may read.
pub fn evaluate_predicates() {
    let engine = engine();
    if engine.is_null() {
        notify();
        return;
    }
    // SAFETY: a set engine is live; no switch happens in here.
    unsafe {
        if !(*engine).roster.with_predicates().is_empty() {
            outside(|| (*engine).wake_ready());
        }
    }
}

/// Predicates may come to hold by the mere passing of time: they are evaluated at this deadline at the
/// latest. Controlled workers only.
pub fn evaluate_predicates_by(deadline: u64) {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live, and so are members; no switch happens in here.
    unsafe {
        (*engine).attend();
        outside(|| (*engine).deadline_changes(deadline));
        for &worker in (*engine).roster.with_predicates() {
            (*worker).deadline = (*worker).deadline.min(deadline);
            (*engine).time.next_deadline = (*engine).time.next_deadline.min(deadline);
        }
    }
}
