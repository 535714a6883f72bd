//! Images of memory, and whether two of them differ in nothing but the time.
//!
//! A word may differ if it went along with the clock: by as much as lies between two moments at which the
//! clock stood, in some unit. Moments lie irregularly far apart, see `decide/overtime.rs`, so that what
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
const UNITS: [i64; 3] = [1, 1_000, 1_000_000];

/// The last moments at which the clock was moved, in virtual nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    times: [u64; MOMENTS],
    count: usize,
}

impl Moments {
    pub(crate) fn add(&mut self, time: u64) {
        self.times[self.count % MOMENTS] = time;
        self.count += 1;
    }

    fn all(&self) -> &[u64] {
        &self.times[..self.count.min(MOMENTS)]
    }
}

/// A copy of some memory.
#[derive(Debug)]
pub(crate) struct Image {
    words: Vec<u64>,
    moments: Moments,
}

impl Image {
    pub(crate) fn of(words: &[u64], moments: Moments) -> Image {
        Image {
            words: words.to_vec(),
            moments,
        }
    }

    /// The memory is like this, but for the time. `is_dead` says of words that nobody can mean them.
    pub(crate) fn is_like(
        &self,
        words: &[u64],
        moments: &Moments,
        is_dead: impl Fn(u64, u64) -> bool,
    ) -> bool {
        let pair = |index: usize| Some([*self.words.get(index)?, *words.get(index)?]);
        self.words.len() == words.len()
            && (0..words.len()).all(|index| {
                let [old, new] = [self.words[index], words[index]];
                let before = index.checked_sub(1).and_then(pair);
                old == new
                    || is_dead(old, new)
                    || is_time(
                        [old, new],
                        [before, pair(index + 1)],
                        &self.moments,
                        moments,
                    )
            })
    }
}

/// True if the difference of two words is one of time. Whole seconds are too few to be told from a count, and
/// the nanoseconds beside them too small: either is known by the other, seconds first.
fn is_time(word: [u64; 2], beside: [Option<[u64; 2]>; 2], before: &Moments, now: &Moments) -> bool {
    let [seconds, nanos] = beside;
    let passed = now.all().iter().flat_map(|&to| {
        let from = before.all().iter();
        from.map(move |&from| to.wrapping_sub(from).cast_signed())
    });
    // A word that changes by little is no clock, but a count.
    let mut passed = passed.filter(|passed| passed.abs() >= LEAST);
    passed.any(|passed| {
        is_in_some_unit(change(word), passed)
            || nanos.is_some_and(|nanos| are_seconds_and_nanos(word, nanos, passed))
            || seconds.is_some_and(|seconds| are_seconds_and_nanos(seconds, word, passed))
    })
}

fn change([old, new]: [u64; 2]) -> i64 {
    new.wrapping_sub(old).cast_signed()
}

/// Nanoseconds are half a word, beside which nothing changes.
fn are_seconds_and_nanos(seconds: [u64; 2], nanos: [u64; 2], passed: i64) -> bool {
    let low = nanos.map(|word| word & 0xFFFF_FFFF);
    change(seconds).abs_diff(passed / SECOND) <= 1
        && nanos[0] >> 32 == nanos[1] >> 32
        && is_part_of_a_second(low, passed)
}

fn is_in_some_unit(changed: i64, passed: i64) -> bool {
    UNITS.iter().any(|&unit| {
        let rounding = (2 + SLACK / unit).cast_unsigned();
        changed.abs_diff(passed / unit) <= rounding
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

    /// Moments that lie irregularly far apart, and what a program has in memory at each: an instant, and a
    /// word that it makes of the round and the time.
    fn rounds(word: impl Fn(u64, u64) -> u64) -> Vec<([u64; 4], Moments)> {
        let mut moments = Moments::default();
        let mut time = 734_561;
        (0..200)
            .map(|round| {
                time += 60_000_000_000 + crate::strategy::derive(7, round) % 540_000_000_000;
                moments.add(time);
                let instant = [time / 1_000_000_000, (7 << 32) | (time % 1_000_000_000)];
                ([instant[0], instant[1], 1, word(round, time)], moments)
            })
            .collect()
    }

    /// How many times the memory was like that of one of the rounds before.
    fn like(word: impl Fn(u64, u64) -> u64) -> usize {
        let rounds = rounds(word);
        let is_known = |index: &usize| {
            let (words, moments) = &rounds[*index];
            rounds[index.saturating_sub(16)..*index]
                .iter()
                .any(|(before, then)| {
                    Image::of(before, *then).is_like(words, moments, |_, _| false)
                })
        };
        (1..rounds.len()).filter(is_known).count()
    }

    #[test]
    fn what_goes_with_the_clock_is_time() {
        assert_eq!(like(|_, _| 5), 199);
        for unit in UNITS.map(i64::cast_unsigned) {
            assert_eq!(like(|_, time| 1_000_000 + time / unit), 199, "{unit}");
        }
    }

    #[test]
    fn what_counts_is_none() {
        for step in [1, 2, 10, 21, 44, 60, 88, 100, 360, 1_000, 100_000_000] {
            assert!(like(|round, _| 6_000 + round * step) <= 2, "{step}");
            assert!(
                like(|round, _| ((round % 2) << 63) | (round * step)) <= 2,
                "{step}"
            );
            // In half a word.
            assert!(like(|round, _| (round * step) << 32) <= 2, "{step}");
        }
    }

    #[test]
    fn what_alternates_is_known() {
        assert_eq!(like(|round, _| round % 2), 198);
    }
}
