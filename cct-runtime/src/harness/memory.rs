//! Weak memory of an iteration: how often its loads of atomics read older stores follows from the settings
//! and the seed.

use crate::config::Memory;
use crate::strategy::{Rng, derive};
use crate::trace::Schedule;

/// The number, among those that follow from the seed, that decides.
const STALE: u64 = 6;
/// Of how many in a hundred loads that may read an older store do so. Where it is seldom a failure has few
/// such loads, and programs that wait for each other come far.
const OFTEN: [u32; 3] = [50, 12, 3];

/// Returns [`Schedule::staleness`] for an iteration with this seed. A strategy that enumerates has all older
/// stores, or with `mix` none.
pub(super) fn staleness(memory: Memory, seed: u64, enumerates: bool) -> u32 {
    let mut rng = Rng::new(derive(seed, STALE));
    let is_weak = match memory {
        Memory::Sc => false,
        Memory::Weak => true,
        Memory::Mix => rng.below(2) == 0 && !enumerates,
    };
    match is_weak {
        false => 0,
        true if enumerates => Schedule::ALL_STORES,
        true => OFTEN[rng.below(OFTEN.len() as u32) as usize],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_mix_is_weak() {
        let of = |memory, enumerates| {
            let drawn = (0..4000).map(|seed| staleness(memory, seed, enumerates));
            drawn.filter(|&it| it > 0).count()
        };
        // Six standard deviations are 190.
        assert!(of(Memory::Mix, false).abs_diff(2000) < 190);
        assert_eq!(of(Memory::Mix, true), 0);
        for enumerates in [false, true] {
            assert_eq!(of(Memory::Sc, enumerates), 0);
            assert_eq!(of(Memory::Weak, enumerates), 4000);
        }
        assert_eq!(staleness(Memory::Weak, 3, true), Schedule::ALL_STORES);
    }
}
