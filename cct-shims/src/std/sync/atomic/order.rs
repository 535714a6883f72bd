//! Which memory orderings an operation accepts, and which are weaker than what it is carried out with.
//!
//! A face hands an ordering that its operation refuses to the real atomic, which panics as std
//! does.

use cct::claim::Exception;
use cct::engine::Step;
use cct::operation::Operation;
use real::sync::atomic::Ordering;

/// Says that a fence asks for less than sequential consistency, if it does.
#[inline]
pub(super) fn note(step: Step, order: Ordering) {
    step.leaves_out_if(order != Ordering::SeqCst, Exception::WeakOrderings);
}

/// The same for a compare-exchange, which on a worker never fails without a reason.
#[inline]
pub(super) fn note_exchange(step: Step, operation: Operation, orders: [Ordering; 2]) {
    let is_weak = orders != [Ordering::SeqCst; 2];
    step.leaves_out_if(is_weak, Exception::WeakOrderings);
    let is_spurious = operation == Operation::CompareExchangeWeak;
    step.leaves_out_if(is_spurious, Exception::SpuriousFailures);
}

/// True for the orderings of a load, and of a compare-exchange that fails.
#[inline]
pub(super) fn can_load(order: Ordering) -> bool {
    !matches!(order, Ordering::Release | Ordering::AcqRel)
}

/// True for the orderings of a store.
#[inline]
pub(super) fn can_store(order: Ordering) -> bool {
    !matches!(order, Ordering::Acquire | Ordering::AcqRel)
}

/// The ordering of the load when a compare-exchange with this ordering fails.
#[inline]
pub(super) fn of_failure(order: Ordering) -> Ordering {
    match order {
        Ordering::Release => Ordering::Relaxed,
        Ordering::AcqRel => Ordering::Acquire,
        other => other,
    }
}
