//! Clocks that differ.

use std::time::{Duration, Instant};

use crate::nondet::nondet_index;

/// A clock that is ahead of others by some time up to a bound, which the strategy chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SkewedClock {
    ahead: Duration,
}

/// As many values the strategy chooses from, from none to the bound.
const VALUES: u32 = 5;

impl SkewedClock {
    /// A clock that is ahead by no more than this.
    #[track_caller]
    pub fn within(bound: Duration) -> SkewedClock {
        let chosen = nondet_index(VALUES as usize);
        let chosen = u32::try_from(chosen).expect("there are few values");
        SkewedClock {
            ahead: bound * chosen / (VALUES - 1),
        }
    }

    /// A clock that is right.
    pub const fn exact() -> SkewedClock {
        SkewedClock {
            ahead: Duration::ZERO,
        }
    }

    /// The time that the clock shows at this one.
    #[must_use]
    pub fn at(&self, time: Instant) -> Instant {
        time + self.ahead
    }

    /// By how much it is ahead.
    pub const fn ahead(&self) -> Duration {
        self.ahead
    }
}
