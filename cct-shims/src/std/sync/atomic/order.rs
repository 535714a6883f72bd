//! Which memory orderings an operation accepts.
//!
//! A face hands an ordering that its operation refuses to the real atomic, which panics as std
//! does.

use real::sync::atomic::Ordering;

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
