//! Numbers in the order of first use: what strategies have in place of addresses.
//!
//! Addresses of sites and objects serve as keys only. Decisions follow from the numbers, which
//! are the same in every process that makes the same schedules.

/// A table that gives each new key the next number; it is emptied at no cost.
///
/// Open addressing with linear probing, and a hash without a random state. It grows to at most three
/// times the keys of the round that has most.
#[derive(Clone, Debug)]
pub(crate) struct FirstUse {
    /// A power of two, at most three quarters of them in use.
    slots: Vec<Slot>,
    count: u32,
    /// Slots of other rounds are free.
    round: u32,
}

#[derive(Clone, Copy, Default, Debug)]
struct Slot {
    key: u64,
    round: u32,
    number: u32,
}

impl Default for FirstUse {
    fn default() -> FirstUse {
        FirstUse {
            slots: vec![Slot::default(); 64],
            count: 0,
            round: 1,
        }
    }
}

impl FirstUse {
    /// Forgets all keys, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.count = 0;
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.slots.fill(Slot::default());
            self.round = 1;
        }
    }

    /// The number of a key, if it has one.
    #[inline]
    pub(crate) fn find(&self, key: u64) -> Option<u32> {
        let slot = self.slots[self.probe(key)];
        (slot.round == self.round).then_some(slot.number)
    }

    /// The number of a key; a new one gets the next.
    #[inline]
    pub(crate) fn number(&mut self, key: u64) -> u32 {
        let place = self.probe(key);
        if self.slots[place].round == self.round {
            return self.slots[place].number;
        }
        self.insert(key, place)
    }

    /// The number of a key, or none for a new one when there are `most` already.
    #[inline]
    pub(crate) fn number_up_to(&mut self, key: u64, most: u32) -> Option<u32> {
        if self.count < most {
            Some(self.number(key))
        } else {
            self.find(key)
        }
    }

    #[cold]
    fn insert(&mut self, key: u64, place: usize) -> u32 {
        self.slots[place] = Slot {
            key,
            round: self.round,
            number: self.count,
        };
        self.count += 1;
        if self.count as usize * 4 > self.slots.len() * 3 {
            self.grow();
        }
        self.count - 1
    }

    fn grow(&mut self) {
        let larger = vec![Slot::default(); self.slots.len() * 2];
        for slot in std::mem::replace(&mut self.slots, larger) {
            if slot.round == self.round {
                let place = self.probe(slot.key);
                self.slots[place] = slot;
            }
        }
    }

    /// The slot of a key, or the free one where it belongs.
    #[inline]
    fn probe(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut place = (mix(key) >> 32) as usize & mask;
        loop {
            let slot = &self.slots[place];
            if slot.round != self.round || slot.key == key {
                return place;
            }
            place = (place + 1) & mask;
        }
    }
}

/// Spreads a number over 64 bits; its halves depend on all of it.
#[inline]
pub(crate) fn mix(value: u64) -> u64 {
    let wide = u128::from(value ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93_u128;
    (wide as u64) ^ (wide >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbered_as_they_come() {
        let mut numbers = FirstUse::default();
        for round in 1..4 {
            for key in 0..1000 {
                assert_eq!(numbers.find(key * round), None);
                assert_eq!(numbers.number(key * round), key as u32);
            }
            for key in (0..1000).rev() {
                assert_eq!(numbers.number(key * round), key as u32);
            }
            assert_eq!(numbers.count, 1000);
            assert_eq!(numbers.number_up_to(1 << 40, 1000), None);
            assert_eq!(numbers.number_up_to(0, 1000), Some(0));
            numbers.clear();
        }
    }

    #[test]
    fn a_cleared_table_stays_empty_when_rounds_wrap() {
        let mut numbers = FirstUse {
            round: u32::MAX,
            ..FirstUse::default()
        };
        numbers.number(7);
        numbers.clear();
        assert_eq!((numbers.find(7), numbers.count), (None, 0));
    }
}
