//! The random numbers of strategies: `xoshiro256**` seeded by `SplitMix64` (Blackman and Vigna, 2018).
//!
//! Kept here, and kept forever, so that a seed means the same schedules on every machine.

/// A deterministic source of random numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// The numbers that follow from `seed`.
    pub const fn new(seed: u64) -> Rng {
        let mut mixed = seed;
        let state = [
            split_mix(&mut mixed),
            split_mix(&mut mixed),
            split_mix(&mut mixed),
            split_mix(&mut mixed),
        ];
        Rng { state }
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = b.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// A number in `0..n`, uniform up to a bias below n/2^32. `n` must not be 0.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        let wide = (self.bits() >> 32) * u64::from(n);
        (wide >> 32) as u32
    }
}

/// The seed of the `index`-th of the things that follow from `seed`.
pub fn derive(seed: u64, index: u64) -> u64 {
    let mut state = seed ^ index.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    split_mix(&mut state)
}

const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published values of both generators.
    #[test]
    fn the_numbers_are_those_of_the_paper() {
        let mut rng = Rng {
            state: [1, 2, 3, 4],
        };
        let bits: [u64; 4] = std::array::from_fn(|_| rng.bits());
        assert_eq!(bits, [11520, 0, 1_509_978_240, 1_215_971_899_390_074_240]);
        assert_eq!(derive(0, 0), 0xE220_A839_7B1D_CDAF);
        assert_eq!(Rng::new(0).state[1], 0x6E78_9E6A_A1B9_65F4);
    }

    /// Seeds that people wrote down must keep their meaning.
    #[test]
    fn a_seed_keeps_its_meaning() {
        let mut rng = Rng::new(derive(42, 7));
        let numbers: [u32; 6] = std::array::from_fn(|_| rng.below(1000));
        assert_eq!(numbers, [844, 982, 201, 289, 467, 798]);
    }
}
