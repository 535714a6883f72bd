//! Images of memory, and whether two of them differ in nothing but the time.
//!
//! A word may differ if it went along with the clock: by as much as lies between two moments at which the
//! clock stood, in some unit. Moments lie irregularly far apart, see [`super::overtime`], so that what
//! counts rounds, or adds up how long it wanted to sleep, does not pass for a clock.

/// How many moments are remembered.
const MOMENTS: usize = 8;
/// How far looks at the clock move it between two moments, at most, in nanoseconds.
const SLACK: i64 = 100_000;
/// The least that lies between two moments, in nanoseconds.
const LEAST: i64 = 30_000_000_000;
/// A second, in nanoseconds.
const SECOND: i64 = 1_000_000_000;
/// Units that programs keep time in, in nanoseconds.
const UNITS: [i64; 4] = [1, 1_000, 1_000_000, 1_000_000_000];

/// The last moments at which the clock was moved, in virtual nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    times: [u64; MOMENTS],
    count: usize,
}

impl Moments {
    pub(super) fn add(&mut self, time: u64) {
        self.times[self.count % MOMENTS] = time;
        self.count += 1;
    }

    fn all(&self) -> &[u64] {
        &self.times[..self.count.min(MOMENTS)]
    }
}

/// A copy of some memory.
#[derive(Debug)]
pub(super) struct Image {
    words: Vec<u64>,
    moments: Moments,
}

impl Image {
    pub(super) fn of(words: &[u64], moments: Moments) -> Image {
        Image {
            words: words.to_vec(),
            moments,
        }
    }

    /// The memory is like this, but for the time. `is_dead` says of words that nobody can mean them.
    pub(super) fn is_like(
        &self,
        words: &[u64],
        moments: &Moments,
        is_dead: impl Fn(u64, u64) -> bool,
    ) -> bool {
        self.words.len() == words.len()
            && self
                .words
                .iter()
                .zip(words)
                .enumerate()
                .all(|(index, (&old, &new))| {
                    let before = index
                        .checked_sub(1)
                        .map(|index| [self.words[index], words[index]]);
                    old == new
                        || is_dead(old, new)
                        || is_time([old, new], before, &self.moments, moments)
                })
    }
}

/// True if the difference of two words is one of time. Nanoseconds that begin again with each second are only
/// known beside those seconds, in the word before.
fn is_time(
    [old, new]: [u64; 2],
    word_before: Option<[u64; 2]>,
    before: &Moments,
    now: &Moments,
) -> bool {
    let changed = new.wrapping_sub(old).cast_signed();
    let seconds = word_before.map(|[old, new]| new.wrapping_sub(old).cast_signed());
    let passed = now.all().iter().flat_map(|&to| {
        let from = before.all().iter();
        from.map(move |&from| to.wrapping_sub(from).cast_signed())
    });
    // What changes by little is no clock, but a count.
    let mut passed = passed.filter(|passed| passed.abs() >= LEAST);
    passed.any(|passed| {
        is_in_some_unit(changed, passed)
            || seconds.is_some_and(|seconds| (seconds - passed / SECOND).abs() <= 1)
                && [0, 32].iter().all(|&shift| {
                    let halves = [old, new].map(|word| (word >> shift) & 0xFFFF_FFFF);
                    halves[0] == halves[1] || is_part_of_a_second(halves, passed)
                })
    })
}

fn is_in_some_unit(changed: i64, passed: i64) -> bool {
    UNITS.iter().any(|&unit| {
        let rounding = 2 + SLACK / unit;
        (changed - passed / unit).abs() <= rounding
    })
}

/// Nanoseconds beside a word with seconds.
fn is_part_of_a_second([old, new]: [u64; 2], passed: i64) -> bool {
    let is_one = |nanos: u64| nanos < SECOND.cast_unsigned();
    let off = (new.cast_signed() - old.cast_signed() - passed).rem_euclid(SECOND);
    is_one(old) && is_one(new) && off.min(SECOND - off) <= SLACK
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moments that lie irregularly far apart, and the words that a program makes of each.
    fn rounds(word: impl Fn(u64, u64) -> u64) -> Vec<([u64; 2], Moments)> {
        let mut moments = Moments::default();
        let mut time = 734_561;
        (0..20)
            .map(|round| {
                time += 60_000_000_000 + crate::strategy::derive(7, round) % 540_000_000_000;
                moments.add(time);
                ([time / 1_000_000_000, word(round, time)], moments)
            })
            .collect()
    }

    fn like(word: impl Fn(u64, u64) -> u64) -> usize {
        let rounds = rounds(word);
        let pairs = rounds.windows(2).filter(|pair| {
            let image = Image::of(&pair[0].0, pair[0].1);
            image.is_like(&pair[1].0, &pair[1].1, |_, _| false)
        });
        pairs.count()
    }

    #[test]
    fn what_goes_with_the_clock_is_time() {
        for unit in UNITS.map(i64::cast_unsigned) {
            assert_eq!(like(|_, time| 1_000_000 + time / unit), 19, "{unit}");
        }
        assert_eq!(like(|_, time| time % 1_000_000_000), 19);
        assert_eq!(like(|_, time| (7 << 32) | (time % 1_000_000_000)), 19);
    }

    #[test]
    fn what_counts_is_none() {
        for step in [1, 2, 10, 60, 100, 1_000, 5_000_000, 100_000_000] {
            // By chance, which does not go on for long.
            assert!(like(|round, _| round * step) <= 3, "{step}");
        }
        assert_eq!(like(|round, _| round % 2), 0);
        assert_eq!(like(|_, _| 5), 19);
    }
}
