//! The places by which threads meet: locks, atomics, channels, ends of threads, ….

/// An odd number without a pattern: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Something that is left at such a place.
pub(super) trait Left: Default {
    /// Nothing is left.
    fn clear(&mut self);
}

/// A table of what was left, by key, in open addressing. It is kept for the next iteration, so that it needs
/// no memory again.
#[derive(Debug, Default)]
pub(super) struct Meetings<T> {
    entries: Vec<Entry>,
    left: Vec<T>,
    /// How much of that is in use.
    count: usize,
    iteration: u64,
}

/// A place of the table; a free one if it is of another iteration.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    key: u64,
    iteration: u64,
    left: u32,
}

impl<T: Left> Meetings<T> {
    /// Nobody has left anything.
    pub(super) fn begin(&mut self) {
        self.iteration += 1;
        self.count = 0;
    }

    /// Returns what was left by this key, if anything was.
    pub(super) fn get(&self, key: u64) -> Option<&T> {
        if self.entries.is_empty() {
            return None;
        }
        let entry = &self.entries[self.place(key)];
        (entry.iteration == self.iteration).then(|| &self.left[entry.left as usize])
    }

    /// Returns what is left by this key; nothing at first.
    pub(super) fn get_or_make(&mut self, key: u64) -> &mut T {
        if 2 * self.count >= self.entries.len() {
            self.grow();
        }
        let place = self.place(key);
        if self.entries[place].iteration != self.iteration {
            if self.count == self.left.len() {
                self.left.push(T::default());
            }
            self.left[self.count].clear();
            self.entries[place] = Entry {
                key,
                iteration: self.iteration,
                left: self.count as u32,
            };
            self.count += 1;
        }
        &mut self.left[self.entries[place].left as usize]
    }

    /// The index of the key's entry, or of the free one where it would be.
    fn place(&self, key: u64) -> usize {
        let last = self.entries.len() - 1;
        let mut place = (key.wrapping_mul(SPREAD) >> 32) as usize & last;
        loop {
            let entry = &self.entries[place];
            if entry.iteration != self.iteration || entry.key == key {
                return place;
            }
            place = (place + 1) & last;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = (2 * self.entries.len()).max(64);
        let before = std::mem::replace(&mut self.entries, vec![Entry::default(); size]);
        for entry in before {
            if entry.iteration == self.iteration {
                let place = self.place(entry.key);
                self.entries[place] = entry;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::clock::Clock;

    #[test]
    fn clocks_are_known_by_their_key_until_the_next_iteration() {
        let mut meetings = Meetings::<Clock>::default();
        for _ in 0..3 {
            meetings.begin();
            assert_eq!(meetings.get(7), None);
            for key in 0..1000 {
                let clock = meetings.get_or_make(key << 12);
                assert_eq!(*clock, Clock::default());
                for _ in 0..key % 5 {
                    clock.advance(3);
                }
            }
            for key in 0..1000 {
                let clock = meetings.get(key << 12).expect("it was made");
                assert_eq!(u64::from(clock.at(3)), key % 5);
            }
            assert_eq!(meetings.get(1000 << 12), None);
        }
        assert_eq!(meetings.left.len(), 1000);
    }
}
