//! Which worker holds an object, as a mark in the field where the C library keeps the owner's thread.
//!
//! Threads have numbers below 2^22, so a mark is none. It names its iteration: what an earlier one left
//! locked, in memory that is not put back, is held by nobody.

use std::cell::Cell;
use std::sync::atomic::{AtomicI32, Ordering};

use cct::engine::{self, WorkerId};

const MARK: i32 = 1 << 30;
const WORKER_BITS: u32 = 14;
/// One less than its bits allow: the C library has two marks of its own at the upper end.
const ITERATIONS: u64 = 0xFFFF;

/// The holder of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// No worker: nobody, or a thread outside the engine.
    Other,
    /// A worker of this iteration.
    Worker(WorkerId),
    /// A worker of an earlier iteration, which was cut off.
    Gone,
}

/// The holder that the field names.
pub(super) fn of(field: &AtomicI32) -> Owner {
    let value = field.load(Ordering::Relaxed);
    if value & !((1 << WORKER_BITS) - 1) == mark() {
        Owner::Worker(WorkerId((value & ((1 << WORKER_BITS) - 1)).cast_unsigned()))
    } else if value & MARK != 0 && value >> WORKER_BITS != i32::MAX >> WORKER_BITS {
        Owner::Gone
    } else {
        Owner::Other
    }
}

/// The worker that the field says, if it is one.
pub(super) fn worker(field: &AtomicI32) -> Option<WorkerId> {
    match of(field) {
        Owner::Worker(worker) => Some(worker),
        Owner::Other | Owner::Gone => None,
    }
}

/// The current worker is the owner.
pub(super) fn set(field: &AtomicI32, me: WorkerId) {
    field.store(mark() | me.0.cast_signed(), Ordering::Relaxed);
}

/// The owner is the thread that all workers are to the C library, which is about to let go.
pub(super) fn hand_back(field: &AtomicI32) {
    thread_local! {
        static CARRIER: Cell<i32> = const { Cell::new(0) };
    }
    let carrier = CARRIER.get();
    let carrier = if carrier == 0 {
        let carrier = crate::symbols::identity::carrier();
        CARRIER.set(carrier);
        carrier
    } else {
        carrier
    };
    field.store(carrier, Ordering::Relaxed);
}

/// The common part of the marks of this iteration's workers.
fn mark() -> i32 {
    MARK | ((engine::run_number() % ITERATIONS) as i32) << WORKER_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_of_this_iteration_is_known_again() {
        let field = AtomicI32::new(0);
        for number in [0, 5, (1 << WORKER_BITS) - 1] {
            set(&field, WorkerId(number));
            assert_eq!(of(&field), Owner::Worker(WorkerId(number)));
            assert_eq!(worker(&field), Some(WorkerId(number)));
        }
    }

    #[test]
    fn a_worker_of_another_iteration_is_gone() {
        for iteration in [1, 7, 0xFFFE] {
            let field = AtomicI32::new(mark() + (iteration << WORKER_BITS) + 5);
            assert_eq!(of(&field), Owner::Gone, "{iteration}");
            assert_eq!(worker(&field), None);
        }
    }

    #[test]
    fn threads_and_the_marks_of_the_c_library_are_no_workers() {
        // The greatest number that a thread can have, and what a robust mutex has after its owner's end.
        for value in [0, 1, 1 << 22, i32::MAX, i32::MAX - 1] {
            assert_eq!(of(&AtomicI32::new(value)), Owner::Other, "{value:#x}");
        }
    }

    #[test]
    fn a_mutex_is_handed_back_to_the_thread() {
        let field = AtomicI32::new(0);
        set(&field, WorkerId(3));
        hand_back(&field);
        assert_eq!(of(&field), Owner::Other);
        let thread = crate::symbols::identity::gettid();
        assert_eq!(field.into_inner(), thread);
    }
}
