//! Counts distinct schedules by their fingerprints, in memory that does not grow.

/// The table's size: a power of two.
const SLOTS: usize = 1 << 18;
/// It is left alone once it is this full.
const FULL: u64 = (SLOTS / 2) as u64;

/// A set of fingerprints that stops growing when it is half full.
#[derive(Debug)]
pub(super) struct Distinct {
    /// Open addressing; 0 is an empty slot.
    slots: Vec<u64>,
    count: u64,
}

impl Distinct {
    pub(super) fn new() -> Distinct {
        // Zeroed memory comes from the system page by page, as it is used.
        Distinct {
            slots: vec![0; SLOTS],
            count: 0,
        }
    }

    /// Adds a fingerprint; false if it was there. Beyond 131,072 distinct ones the count stays where it
    /// is, and each counts as new.
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

    /// All of them, in no particular order.
    pub(super) fn members(&self) -> Vec<u64> {
        self.slots
            .iter()
            .copied()
            .filter(|&slot| slot != 0)
            .collect()
    }

    /// How many there were.
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
