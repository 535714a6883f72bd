//! Waiting for what no single object stands for: the worker is woken once a look says that it can go on.
//!
//! Whoever changes something that is looked at calls [`look_again`]; exactly those whose look then succeeds
//! are woken. The outside calls nobody: what it may have changed is looked at by
//! [`mod@crate::engine::decide::outside`].

use std::panic::Location;

use super::wait::{Wakeup, wait_at};
use crate::engine::decide::outside::notify;
use crate::engine::decide::{engine, outside};
use crate::engine::state::worker::Look;
use crate::object::ObjectId;
use crate::operation::Operation;

/// [`wait`](super::wait::wait) until the look succeeds, or the deadline comes.
///
/// Wake-ups may be spurious here too: another worker may have been faster.
pub fn wait_until(
    operation: Operation,
    object: ObjectId,
    deadline: u64,
    look: Look,
    site: &'static Location<'static>,
) -> Wakeup {
    let engine = engine();
    assert!(!engine.is_null(), "only a controlled worker can wait");
    // SAFETY: a set engine is live and the caller is its current worker; no reference is kept.
    unsafe {
        if (*engine).aside.onlooker().is_none() {
            let worker = (*engine).roster.current;
            outside(|| (*engine).roster.look_out(worker, look));
        }
    }
    wait_at(operation, object, deadline, None, site)
}

/// The current worker, or an uncontrolled thread, has changed what others may look at.
pub fn look_again() {
    let engine = engine();
    if engine.is_null() {
        notify();
        return;
    }
    // SAFETY: a set engine is live; no switch happens in here.
    unsafe {
        if !(*engine).roster.looking().is_empty() {
            outside(|| (*engine).wake_ready());
        }
    }
}

/// Looks may succeed by the mere passing of time: who waits with one waits no longer than this without a
/// look. Controlled workers only.
pub fn look_by(deadline: u64) {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live, and so are members; no switch happens in here.
    unsafe {
        (*engine).attend();
        outside(|| (*engine).deadline_changes(deadline));
        for &worker in (*engine).roster.looking() {
            (*worker).deadline = (*worker).deadline.min(deadline);
            (*engine).time.next_deadline = (*engine).time.next_deadline.min(deadline);
        }
    }
}
