//! A set of numbers in their order, the first after the last.

/// A set of small numbers, of workers or chains, as a ring.
#[derive(Debug, Default)]
pub(super) struct Ring {
    words: Vec<u64>,
}

impl Ring {
    pub(super) fn clear(&mut self) {
        self.words.clear();
    }

    pub(super) fn insert(&mut self, number: u32) {
        let word = number as usize / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (number % 64);
    }

    /// Takes out a number that was in it at some time.
    pub(super) fn remove(&mut self, number: u32) {
        self.words[number as usize / 64] &= !(1 << (number % 64));
    }

    /// The first one after this number, which need not be in it; the number itself if there is no other.
    pub(super) fn after(&self, number: u32) -> u32 {
        let word = number as usize / 64;
        let first = |word: usize| word as u32 * 64 + self.words[word].trailing_zeros();
        let here = self.words.get(word).copied().unwrap_or(0);
        let later = here & (u64::MAX << (number % 64) << 1);
        if later != 0 {
            return word as u32 * 64 + later.trailing_zeros();
        }
        let is_any = |&word: &usize| self.words[word] != 0;
        let next = (word + 1..self.words.len()).find(is_any);
        let next = next.or_else(|| (0..self.words.len().min(word + 1)).find(is_any));
        next.map_or(number, first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_goes_round() {
        let mut ring = Ring::default();
        assert_eq!(ring.after(7), 7);
        for number in [3, 63, 64, 200] {
            ring.insert(number);
        }
        let pairs = [
            (0, 3),
            (3, 63),
            (63, 64),
            (64, 200),
            (100, 200),
            (200, 3),
            (500, 3),
        ];
        for (number, next) in pairs {
            assert_eq!(ring.after(number), next);
        }
        ring.remove(200);
        ring.remove(3);
        assert_eq!(ring.after(64), 63);
        ring.remove(63);
        assert_eq!(ring.after(64), 64);
    }
}
