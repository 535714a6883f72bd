//! Counts distinct schedules by their fingerprints, in memory that does not grow.

/// The number of slots: a power of two.
const SLOTS: usize = 1 << 18;
/// The table takes no more fingerprints than this.
const FULL: u64 = (SLOTS / 2) as u64;

/// A set of fingerprints that stops growing when it is half full.
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

    /// Adds a fingerprint; false if the table has it. A table with 131,072 distinct ones takes no more, and
    /// each then counts as new.
    pub(super) fn insert(&mut self, fingerprint: u64) -> bool {
        if self.count >= FULL {
            return true;
        }
        let fingerprint = fingerprint.max(1);
        let mut slot = fingerprint.wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> 46;
        loop {
            match self.slots[slot] {
                0 => {
                    self.slots[slot] = fingerprint;
                    self.count += 1;
                    return true;
                }
                known if known == fingerprint => return false,
                _ => slot = (slot + 1) % SLOTS,
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
    }
}
