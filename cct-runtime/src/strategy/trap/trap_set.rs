//! The pairs of places that traps are set for.

use super::super::{FirstUse, Rng};

/// The most pairs that are known.
const PAIRS: u32 = 1 << 14;

/// The pairs that are known, and the traps of the iteration under way.
#[derive(Default, Debug)]
pub(super) struct TrapSet {
    numbers: FirstUse,
    pairs: Vec<Pair>,
    /// The pairs that traps are set for, by trap.
    set: Vec<usize>,
    /// The traps, a bit each, that caught somebody in this iteration, and those that nobody came to.
    caught: u32,
    in_vain: u32,
}

/// A pair of places.
#[derive(Clone, Copy, Debug)]
struct Pair {
    places: [u32; 2],
    /// The number of iterations in which a trap for it caught somebody.
    caught: u32,
    /// The same, in which it held somebody in vain.
    in_vain: u32,
}

impl Pair {
    /// The more often it was tried, the less it weighs; and more so if nobody came.
    fn weight(self) -> u64 {
        /// The weight of a pair that was never tried.
        const FULL: u64 = 1 << 16;
        let tried = u64::from(self.caught) + 4 * u64::from(self.in_vain);
        (FULL / (1 + tried)).max(1)
    }
}

impl TrapSet {
    /// Operations at these places were near to each other.
    pub(super) fn note(&mut self, one: u32, other: u32) {
        let places = [one.min(other), one.max(other)];
        let key = u64::from(places[0]) << 32 | u64::from(places[1]);
        let number = self.numbers.number_up_to(key, PAIRS);
        if number.is_some_and(|number| number as usize == self.pairs.len()) {
            self.pairs.push(Pair {
                places,
                caught: 0,
                in_vain: 0,
            });
        }
    }

    /// Sets traps for up to so many pairs, 32 at most, for an iteration.
    pub(super) fn set(&mut self, most: u32, rng: &mut Rng) {
        self.set.clear();
        (self.caught, self.in_vain) = (0, 0);
        for _ in 0..most.min(self.pairs.len() as u32) {
            let is_set = |index: &usize| self.set.contains(index);
            let left = (0..self.pairs.len()).filter(|index| !is_set(index));
            let total: u64 = left.clone().map(|index| self.pairs[index].weight()).sum();
            let mut draw = ((u128::from(rng.bits()) * u128::from(total)) >> 64) as u64;
            let mut left = left;
            let drawn = left.find(|&index| {
                let weight = self.pairs[index].weight();
                let is_it = draw < weight;
                draw = draw.saturating_sub(weight);
                is_it
            });
            self.set.extend(drawn);
        }
    }

    /// The traps at this place, a bit each: for pairs of which it is the one place, and the other.
    pub(super) fn at(&self, place: u32) -> [u32; 2] {
        let mut at = [0; 2];
        for (trap, &index) in self.set.iter().enumerate() {
            let bit = 1 << trap & !self.in_vain;
            for (side, &of) in self.pairs[index].places.iter().enumerate() {
                if of == place {
                    at[side] |= bit;
                }
            }
        }
        at
    }

    /// Partners have met at these traps.
    pub(super) fn have_caught(&mut self, traps: u32) {
        self.caught |= traps;
    }

    /// Nobody came to who was held at these traps: they are over.
    pub(super) fn were_in_vain(&mut self, traps: u32) {
        self.in_vain |= traps;
    }

    /// The iteration has ended.
    pub(super) fn end(&mut self) {
        for (trap, &index) in self.set.iter().enumerate() {
            let pair = &mut self.pairs[index];
            pair.caught += self.caught >> trap & 1;
            pair.in_vain += (self.in_vain & !self.caught) >> trap & 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_known_once() {
        let mut traps = TrapSet::default();
        for (one, other) in [(3, 5), (5, 3), (3, 5), (4, 4)] {
            traps.note(one, other);
        }
        assert_eq!(traps.pairs.len(), 2);
        traps.set(9, &mut Rng::new(1));
        assert_eq!(traps.set.len(), 2);
        let [one, other] = traps.at(3);
        assert_eq!((one.count_ones(), other), (1, 0));
        assert_eq!(traps.at(5), [0, one]);
        let [one, other] = traps.at(4);
        assert_eq!((one.count_ones(), one), (1, other));
        assert_eq!(traps.at(6), [0, 0]);
    }

    #[test]
    fn traps_that_nobody_comes_to_are_over() {
        let mut traps = TrapSet::default();
        traps.note(1, 2);
        traps.set(1, &mut Rng::new(1));
        traps.were_in_vain(1);
        assert_eq!(traps.at(1), [0, 0]);
        traps.end();
        assert_eq!(traps.pairs[0].in_vain, 1);
        traps.set(1, &mut Rng::new(2));
        assert_eq!(traps.at(1), [1, 0]);
    }

    /// Of two pairs, of which one was in vain 9 times, the other one is drawn 37 times as often: 10,000
    /// draws with a standard deviation of 16.
    #[test]
    fn pairs_that_were_in_vain_weigh_less() {
        let mut traps = TrapSet::default();
        traps.note(1, 2);
        traps.note(3, 4);
        traps.pairs[0].in_vain = 9;
        let mut rng = Rng::new(5);
        let drawn = (0..10_000).filter(|_| {
            traps.set(1, &mut rng);
            traps.set == [0]
        });
        let drawn = drawn.count();
        assert!(drawn.abs_diff(10_000 / 38) < 5 * 16, "{drawn}");
    }
}
