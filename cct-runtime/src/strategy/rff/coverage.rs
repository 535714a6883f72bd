//! Reads-from pairs: those that can be, those that have been, and how often which of them
//! came together.

use super::super::FirstUse;
use super::super::first_use::mix;
use super::event::Event;

/// How many pairs are told apart; those that come later are not looked at.
const MOST_PAIRS: u32 = 1 << 14;
/// How many combinations of pairs are counted; each later one counts as new.
const MOST_COMBINATIONS: u32 = 1 << 14;

/// A write and a read of one object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    pub(super) write: Event,
    pub(super) read: Event,
}

/// The pairs known so far, and the iteration's.
#[derive(Debug)]
pub(super) struct Coverage {
    numbers: FirstUse,
    pairs: Vec<Pair>,
    /// By pair: the last round in which its read took its write's value; 0 for never.
    realised: Vec<u32>,
    round: u32,
    /// The sum of the iteration's pairs.
    combination: u64,
    has_new: bool,
    /// The pair realised last in the iteration; it need not be looked up again.
    last: Option<Pair>,
    combinations: FirstUse,
    counts: Vec<u32>,
}

impl Coverage {
    pub(super) fn new() -> Coverage {
        Coverage {
            numbers: FirstUse::default(),
            pairs: Vec::new(),
            realised: Vec::new(),
            round: 1,
            combination: 0,
            has_new: false,
            last: None,
            combinations: FirstUse::default(),
            counts: Vec::new(),
        }
    }

    /// The pairs that constraints can be made of.
    pub(super) fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The two accessed one object from different workers, so that one may come to read from the other.
    pub(super) fn add(&mut self, pair: Pair) {
        self.number(pair);
    }

    /// The read took the value of the write.
    #[inline]
    pub(super) fn realise(&mut self, pair: Pair) {
        if self.last == Some(pair) {
            return;
        }
        self.last = Some(pair);
        let Some(number) = self.number(pair) else {
            return;
        };
        let last = &mut self.realised[number as usize];
        if *last != self.round {
            self.has_new |= *last == 0;
            *last = self.round;
            self.combination = self.combination.wrapping_add(mix(u64::from(number)));
        }
    }

    /// Ends the iteration. Returns whether a pair was realised that never was before, and the number of
    /// the iteration's combination of pairs, if it is counted.
    pub(super) fn end_iteration(&mut self) -> (bool, Option<u32>) {
        let found = self
            .combinations
            .number_up_to(self.combination, MOST_COMBINATIONS);
        if let Some(number) = found {
            if number as usize == self.counts.len() {
                self.counts.push(0);
            }
            self.counts[number as usize] += 1;
        }
        self.combination = 0;
        self.last = None;
        self.round += 1;
        (std::mem::take(&mut self.has_new), found)
    }

    /// How many iterations had this combination.
    pub(super) fn frequency(&self, combination: Option<u32>) -> u64 {
        combination.map_or(1, |number| u64::from(self.counts[number as usize]))
    }

    #[inline]
    fn number(&mut self, pair: Pair) -> Option<u32> {
        let key = (u64::from(pair.write.0) << 16) | u64::from(pair.read.0);
        let number = self.numbers.number_up_to(key, MOST_PAIRS)?;
        if number as usize == self.pairs.len() {
            self.pairs.push(pair);
            self.realised.push(0);
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(write: u16, read: u16) -> Pair {
        Pair {
            write: Event(write),
            read: Event(read),
        }
    }

    #[test]
    fn combinations_are_sets_of_pairs() {
        let mut coverage = Coverage::new();
        let mut run = |pairs: &[Pair]| {
            for &pair in pairs {
                coverage.realise(pair);
            }
            let (is_new, combination) = coverage.end_iteration();
            (is_new, combination, coverage.frequency(combination))
        };
        assert_eq!(run(&[pair(2, 3), pair(2, 4)]), (true, Some(0), 1));
        assert_eq!(
            run(&[pair(2, 4), pair(2, 3), pair(2, 4)]),
            (false, Some(0), 2)
        );
        assert_eq!(run(&[pair(2, 4)]), (false, Some(1), 1));
        assert_eq!(run(&[pair(5, 4)]), (true, Some(2), 1));
    }

    #[test]
    fn a_pair_that_could_be_is_not_covered() {
        let mut coverage = Coverage::new();
        coverage.add(pair(2, 3));
        assert_eq!(coverage.pairs(), [pair(2, 3)]);
        coverage.realise(pair(2, 3));
        assert!(coverage.end_iteration().0);
    }

    #[test]
    fn pairs_and_combinations_are_bounded() {
        let mut coverage = Coverage::new();
        for number in 0..2 * MOST_PAIRS {
            coverage.realise(pair((number >> 8) as u16, number as u16 & 0xFF));
            let (_, combination) = coverage.end_iteration();
            assert!(coverage.frequency(combination) >= 1);
        }
        assert_eq!(coverage.pairs().len(), MOST_PAIRS as usize);
        assert!(coverage.counts.len() <= MOST_COMBINATIONS as usize);
    }
}
