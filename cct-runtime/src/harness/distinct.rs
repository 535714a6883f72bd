//! Counts distinct schedules by their fingerprints, in memory that grows to a bound.

use crate::wire::Counters;

/// The number of slots at first: a power of two.
const SLOTS: usize = 1 << 18;
/// The most slots: 64 MB.
const MOST_SLOTS: usize = 1 << 23;
const _: () = assert!(Counters::MOST_DISTINCT == MOST_SLOTS as u64 / 2);

/// A set of fingerprints, which takes no more of them when the most slots are half full.
#[derive(Debug)]
pub(super) struct Distinct {
    /// The table, with open addressing; 0 is an empty slot.
    slots: Vec<u64>,
    count: u64,
}

impl Distinct {
    pub(super) fn new() -> Distinct {
        // The system hands out zeroed memory page by page, as it is used.
        Distinct {
            slots: vec![0; SLOTS],
            count: 0,
        }
    }

    /// Adds a fingerprint; false if the table has it. A table that is half full takes no more, and each
    /// then counts as new.
    pub(super) fn insert(&mut self, fingerprint: u64) -> bool {
        if self.is_half_full() {
            if self.slots.len() >= MOST_SLOTS {
                return true;
            }
            self.double();
        }
        let fingerprint = fingerprint.max(1);
        let slots = self.slots.len();
        let bits = slots.trailing_zeros();
        let mut slot = (fingerprint.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize;
        loop {
            match self.slots[slot] {
                0 => {
                    self.slots[slot] = fingerprint;
                    self.count += 1;
                    return true;
                }
                known if known == fingerprint => return false,
                _ => slot = (slot + 1) % slots,
            }
        }
    }

    /// Returns the fingerprints, in no particular order.
    pub(super) fn members(&self) -> Vec<u64> {
        self.slots
            .iter()
            .copied()
            .filter(|&slot| slot != 0)
            .collect()
    }

    /// True if it takes no more fingerprints.
    pub(super) fn is_full(&self) -> bool {
        self.slots.len() >= MOST_SLOTS && self.is_half_full()
    }

    fn is_half_full(&self) -> bool {
        self.count >= (self.slots.len() / 2) as u64
    }

    fn double(&mut self) {
        let members = self.members();
        (self.slots, self.count) = (vec![0; 2 * self.slots.len()], 0);
        for member in members {
            self.insert(member);
        }
    }

    /// Returns the number of fingerprints in the table.
    pub(super) fn count(&self) -> u64 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fingerprint_counts_once_until_it_is_full() {
        let mut distinct = Distinct::new();
        for fingerprint in 1..=1000 {
            assert!(distinct.insert(fingerprint));
        }
        for fingerprint in 1..=1000 {
            assert!(!distinct.insert(fingerprint));
        }
        assert_eq!(distinct.count(), 1000);
        for fingerprint in 1..=Counters::MOST_DISTINCT {
            assert_eq!(distinct.insert(fingerprint), fingerprint > 1000);
        }
        assert_eq!(distinct.count(), Counters::MOST_DISTINCT);
        assert!(distinct.is_full());
        distinct.insert(u64::MAX);
        assert_eq!(distinct.count(), Counters::MOST_DISTINCT);
    }
}
