//! Fences and the oldest spin hint.

use cct::engine;
use cct::object::ObjectId;
use cct::operation::Operation;
use real::sync::atomic::{self, Ordering};

use super::order;

/// `std::sync::atomic::fence`.
#[track_caller]
pub fn fence(order: Ordering) {
    if engine::is_controlled() && order != Ordering::Relaxed {
        let step = engine::point(Operation::Fence, ObjectId::NONE);
        order::note(step, order);
        engine::pass_fence(order);
        // Workers need no barrier between each other, and threads outside get a cheap one.
        atomic::fence(Ordering::AcqRel);
    } else {
        atomic::fence(order);
    }
}

/// `std::sync::atomic::spin_loop_hint`.
#[deprecated(since = "1.51.0", note = "use hint::spin_loop instead")]
#[track_caller]
pub fn spin_loop_hint() {
    if engine::is_controlled() {
        engine::give_way(Operation::SpinLoop);
    } else {
        real::hint::spin_loop();
    }
}
