//! Whether time-outs are early in an iteration: it follows from the settings and the iteration's seed.

use crate::config::Timeouts;
use crate::strategy::{Rng, derive};

/// Which of the numbers that follow from the seed decides.
const EARLY: u64 = 5;
/// With `auto`, time-outs are early in one of so many iterations: the others look for all other bugs.
const ONE_IN: u32 = 4;

/// The rule of an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Allowance {
    /// How many time-outs may be early.
    pub(super) early: u32,
    /// How far away they may be, in nanoseconds.
    pub(super) leap: u64,
}

/// The allowance of an iteration with this seed.
///
/// How many there may be is drawn as well: a single one makes the failure that is easiest to understand,
/// and who polls with time-outs would go on with them for the whole schedule. A strategy that enumerates
/// has none under `auto`, and under `race` as many as it likes.
pub(super) fn allowance(timeouts: Timeouts, seed: u64, enumerates: bool) -> Allowance {
    let mut rng = Rng::new(derive(seed, EARLY));
    let is_drawn = rng.below(ONE_IN) == 0;
    let some = 1 << (2 * rng.below(4));
    match timeouts {
        Timeouts::Race => Allowance {
            early: if enumerates { u32::MAX } else { some },
            leap: u64::MAX,
        },
        Timeouts::Auto if is_drawn && !enumerates => Allowance {
            early: some,
            leap: u64::try_from(Timeouts::NEAR.as_nanos()).unwrap_or(u64::MAX),
        },
        Timeouts::Auto | Timeouts::Late => Allowance::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_the_iterations_is_early() {
        let of = |timeouts, enumerates| {
            let drawn = (0..4000).map(|seed| allowance(timeouts, seed, enumerates).early);
            drawn.filter(|&early| early > 0).count()
        };
        // Six standard deviations are 164.
        assert!(of(Timeouts::Auto, false).abs_diff(1000) < 164);
        assert_eq!(of(Timeouts::Auto, true), 0);
        assert_eq!(of(Timeouts::Late, false), 0);
        assert_eq!(of(Timeouts::Race, false), 4000);
        let endless = allowance(Timeouts::Race, 7, true);
        assert_eq!((endless.early, endless.leap), (u32::MAX, u64::MAX));
    }
}
