//! The counts of references: which operations on them are steps, and what they add up to.

use crate::config::Counts as Which;
use crate::object::ObjectId;

/// An odd number without a pattern: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// All counts of the iteration.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// The operations that are steps; the same in all iterations of a run.
    pub(crate) which: Which,
    /// The sum of all counts, each times a number of its own: two moments with one sum have the same counts.
    sum: u64,
}

impl Counts {
    pub(crate) fn begin(&mut self) {
        self.sum = 0;
    }

    /// A count changes by this much.
    #[inline]
    pub(crate) fn add(&mut self, count: ObjectId, difference: u64) {
        let own = (count.key() | 1 << 63).wrapping_mul(SPREAD);
        self.sum = self.sum.wrapping_add(own.wrapping_mul(difference));
    }

    /// The sum of all counts.
    pub(crate) fn sum(&self) -> u64 {
        self.sum
    }
}
