//! Early time-outs of an iteration: how many there may be follows from the settings and the seed.

use crate::config::Timeouts;
use crate::strategy::{Rng, derive};

/// The number, among those that follow from the seed, that decides.
const EARLY: u64 = 5;
/// Under `auto`, one of so many iterations has early time-outs; the others look for all other bugs.
const ONE_IN: u32 = 4;

/// The early time-outs that an iteration may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Allowance {
    /// The number of time-outs that may be early.
    pub(super) early: u32,
    /// The farthest that such a time-out may be away, in nanoseconds.
    pub(super) leap: u64,
}

/// Returns the allowance of an iteration with this seed.
///
/// The number of early time-outs is drawn, too: a failure with a single one is the easiest to understand,
/// and a worker that polls with time-outs would have nothing else for the whole schedule. A strategy that
/// enumerates has none under `auto`, and no bound under `race`.
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
