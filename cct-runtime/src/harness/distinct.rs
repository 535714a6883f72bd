//! Counts distinct schedules by their fingerprints, in memory that does not grow, or only to a bound.

/// The number of slots: a power of two.
const SLOTS: usize = 1 << 18;
/// The most slots of a table that grows: 64 MB.
const MOST_SLOTS: usize = 1 << 23;
/// A table takes no more fingerprints than this, unless it grows.
#[cfg(test)]
const FULL: u64 = (SLOTS / 2) as u64;

/// A set of fingerprints that stops growing when it is half full.
#[derive(Debug)]
pub(super) struct Distinct {
    /// The table, with open addressing; 0 is an empty slot.
    slots: Vec<u64>,
    count: u64,
    /// How many slots it may have.
    most: usize,
}

impl Distinct {
    pub(super) fn new() -> Distinct {
        // The system hands out zeroed memory page by page, as it is used.
        Distinct {
            slots: vec![0; SLOTS],
            count: 0,
            most: SLOTS,
        }
    }

    /// Lets it grow.
    pub(super) fn grow(&mut self) {
        self.most = MOST_SLOTS;
    }

    /// Adds a fingerprint; false if the table has it. A table that is half full takes no more, and each
    /// then counts as new.
    pub(super) fn insert(&mut self, fingerprint: u64) -> bool {
        if self.is_half_full() {
            if self.slots.len() >= self.most {
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
        self.slots.len() >= self.most && self.is_half_full()
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
        for fingerprint in 1..=2 * FULL {
            distinct.insert(fingerprint);
        }
        assert_eq!(distinct.count(), FULL);
        assert!(distinct.is_full());
    }

    #[test]
    fn one_that_grows_knows_all() {
        let mut distinct = Distinct::new();
        distinct.grow();
        for round in [true, false] {
            for fingerprint in 1..=3 * FULL {
                assert_eq!(distinct.insert(fingerprint), round);
            }
        }
        assert_eq!(distinct.count(), 3 * FULL);
        assert!(!distinct.is_full());
    }
}
