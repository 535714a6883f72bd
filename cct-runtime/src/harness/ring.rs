//! The workers in a ring, by number: who follows another one, upwards or downwards.
//!
//! Two directions, since what workers do in a ring themselves may go wrong in one of them only.

use crate::strategy::WorkerId;

/// How far the other one is from the current one; that itself comes round last.
pub(super) fn distance(current: WorkerId, other: WorkerId, descends: bool) -> u32 {
    let (from, to) = if descends {
        (other.0, current.0)
    } else {
        (current.0, other.0)
    };
    to.wrapping_sub(from).wrapping_sub(1)
}
