//! The times of files that change while the process runs, by the clock of the iteration.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The kernel's clock for files moves by so much at a time, at most.
const TICK: u64 = 20_000_000;

/// Files have the machine's times, and each iteration a clock of its own: a file that a test has just written
/// would be years old. A time that is later than the process is taken for the moment at which the iteration
/// sees it first; later times stay later.
///
/// All times are nanoseconds since the Unix epoch.
#[derive(Debug)]
pub(crate) struct FileTimes {
    /// When the process began, by the machine's clock.
    began: u64,
    /// By the machine's time.
    known: BTreeMap<u64, u64>,
}

impl FileTimes {
    /// The times of a process that begins.
    #[expect(
        clippy::disallowed_methods,
        reason = "files have the time of the machine"
    )]
    pub(crate) fn new() -> FileTimes {
        let began = SystemTime::now().duration_since(UNIX_EPOCH);
        FileTimes {
            began: nanos(began.unwrap_or_default()),
            known: BTreeMap::new(),
        }
    }

    /// A new iteration begins.
    pub(crate) fn begin(&mut self) {
        self.known.clear();
    }

    /// The time as the iteration sees it now, where it is `machine` for the machine. One that is later than
    /// that was set by the program, by its own clock.
    pub(crate) fn seen(&mut self, time: u64, machine: u64, now: u64) -> u64 {
        if !(self.began.saturating_sub(TICK)..=machine).contains(&time) {
            return time;
        }
        if let Some(&known) = self.known.get(&time) {
            return known;
        }
        let before = self.known.range(..time).next_back();
        let after = self.known.range(time..).next();
        let seen = now
            .min(after.map_or(u64::MAX, |(_, &after)| after))
            .max(before.map_or(0, |(_, &before)| before));
        self.known.insert(time, seen);
        seen
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A year, in nanoseconds.
    const YEAR: u64 = 31_557_600_000_000_000;

    #[test]
    fn what_is_new_is_as_old_as_it_was_seen_and_keeps_its_order() {
        let mut times = FileTimes::new();
        let (machine, now) = (times.began + 1_000_000, 60 * YEAR);
        let [first, second, third] = [1, 2, 3].map(|part| times.began + part);
        assert_eq!(times.seen(second, machine, now), now);
        assert_eq!(times.seen(third, machine, now + 10), now + 10);
        // It was written before, and is looked at after the others.
        assert_eq!(times.seen(first, machine, now + 20), now);
        assert_eq!(times.seen(second, machine, now + 30), now);
        times.begin();
        assert_eq!(times.seen(second, machine, now + 5), now + 5);
    }

    #[test]
    fn what_is_old_or_was_set_stays() {
        let mut times = FileTimes::new();
        let machine = times.began + 1_000_000;
        for time in [0, times.began - YEAR, machine + 1, 60 * YEAR] {
            assert_eq!(times.seen(time, machine, 60 * YEAR), time);
        }
    }
}
