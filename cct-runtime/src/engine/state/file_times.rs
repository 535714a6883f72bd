//! The times of files that change while the process runs, by the clock of the iteration.

use std::collections::BTreeMap;

/// Files have the machine's times, and each iteration a clock of its own: a file that a test has just written
/// would be years old. Acts of workers on files happen at the moment of the iteration's clock; other times
/// that are later than the process are taken for the moment at which the iteration sees them first. Later
/// times stay later.
///
/// All times are nanoseconds since the Unix epoch.
#[derive(Debug)]
pub(crate) struct FileTimes {
    /// When the process began, by the machine's clock.
    began: u64,
    /// Told times, by the machine's time.
    known: BTreeMap<u64, u64>,
    /// By the machine's time, the moments of the first and the last act of a worker at it.
    acts: BTreeMap<u64, (u64, u64)>,
    /// The times that workers have made, of each file: by the machine's clock, and by that of the iteration.
    noted: BTreeMap<FileId, [Option<(u64, u64)>; 4]>,
}

/// The device and the inode of a file.
pub type FileId = (u64, u64);

/// The acts that a file has the times of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stamp {
    /// Its content was modified.
    Modified,
    /// That, or what is known of it was changed.
    Changed,
    /// It was made.
    Made,
    /// It was read.
    Accessed,
}

/// An act of a worker on a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// It was modified.
    Written,
    /// It is new.
    Made,
    /// It has another name, or one more.
    Named,
    /// It was opened to be read.
    Opened,
}

impl FileTimes {
    /// The times of a process that begins.
    pub(crate) fn new() -> FileTimes {
        FileTimes {
            began: clock_of_files(),
            known: BTreeMap::new(),
            acts: BTreeMap::new(),
            noted: BTreeMap::new(),
        }
    }

    /// A new iteration begins.
    pub(crate) fn begin(&mut self) {
        self.known.clear();
        self.acts.clear();
        self.noted.clear();
    }

    /// A worker has changed a file now, whose times are these for the machine, in the order of [`Stamp`], as
    /// far as its file system has them.
    pub(crate) fn note(&mut self, file: FileId, times: [Option<u64>; 4], change: Change, now: u64) {
        let noted = self.noted.entry(file).or_default();
        let stamps: &[Stamp] = match change {
            Change::Written => &[Stamp::Modified, Stamp::Changed],
            Change::Made => &[
                Stamp::Modified,
                Stamp::Changed,
                Stamp::Made,
                Stamp::Accessed,
            ],
            Change::Named => &[Stamp::Changed],
            Change::Opened => {
                // It may be read from now on.
                noted[Stamp::Accessed as usize] = None;
                &[]
            }
        };
        for &stamp in stamps {
            if let Some(time) = times[stamp as usize] {
                noted[stamp as usize] = Some((time, now));
                self.acts.entry(time).or_insert((now, now)).1 = now;
            }
        }
    }

    /// The time as the iteration sees it now, where it is `machine` for the machine. One that is later than
    /// that was set by the program, by its own clock.
    pub(crate) fn seen(&mut self, of: (FileId, Stamp), time: u64, machine: u64, now: u64) -> u64 {
        if !(self.began..=machine).contains(&time) {
            return time;
        }
        let (file, stamp) = of;
        let noted = self
            .noted
            .get(&file)
            .and_then(|noted| noted[stamp as usize]);
        if let Some((known, noted)) = noted
            && known == time
        {
            return noted;
        }
        if let Some(&known) = self.known.get(&time) {
            return known;
        }
        let told_before = self.known.range(..time).next_back();
        let told_after = self.known.range(time..).next();
        let act_before = self.acts.range(..=time).next_back();
        let act_after = self.acts.range(time + 1..).next();
        let seen = now
            .min(told_after.map_or(u64::MAX, |(_, &told)| told))
            .min(act_after.map_or(u64::MAX, |(_, &(first, _))| first))
            .max(told_before.map_or(0, |(_, &told)| told))
            .max(act_before.map_or(0, |(_, &(_, last))| last));
        self.known.insert(time, seen);
        seen
    }
}

/// The clock that the kernel stamps files with, which moves by milliseconds: no file that is new from now on
/// has an earlier time.
fn clock_of_files() -> u64 {
    // SAFETY: all zeros are a time, and it is ours to write to.
    let time = unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_REALTIME_COARSE, &raw mut time);
        time
    };
    let (seconds, nanoseconds) = (time.tv_sec.cast_unsigned(), time.tv_nsec.cast_unsigned());
    seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A year, in nanoseconds.
    const YEAR: u64 = 31_557_600_000_000_000;

    /// A file that no worker has changed.
    const OTHER: (FileId, Stamp) = ((1, 1), Stamp::Modified);
    /// Nanoseconds.
    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn what_is_new_is_as_old_as_it_was_seen_and_keeps_its_order() {
        let mut times = FileTimes::new();
        let (machine, now) = (times.began + 1_000_000, 60 * YEAR);
        let [first, second, third] = [1, 2, 3].map(|part| times.began + part);
        assert_eq!(times.seen(OTHER, second, machine, now), now);
        assert_eq!(times.seen(OTHER, third, machine, now + 10), now + 10);
        // It was written before, and is looked at after the others.
        assert_eq!(times.seen(OTHER, first, machine, now + 20), now);
        assert_eq!(times.seen(OTHER, second, machine, now + 30), now);
        times.begin();
        assert_eq!(times.seen(OTHER, second, machine, now + 5), now + 5);
    }

    #[test]
    fn what_is_old_or_was_set_stays() {
        let mut times = FileTimes::new();
        let machine = times.began + 1_000_000;
        for time in [0, times.began - YEAR, machine + 1, 60 * YEAR] {
            assert_eq!(times.seen(OTHER, time, machine, 60 * YEAR), time);
        }
    }

    /// Time passes for the iteration within one tick of the machine's clock for files.
    #[test]
    fn what_workers_change_has_the_moment_of_the_change() {
        let mut times = FileTimes::new();
        let (machine, now) = (times.began + 1_000_000, 60 * YEAR);
        let tick = times.began + 7;
        let (file, other) = ((1, 5), (1, 6));
        let modified = |of| (of, Stamp::Modified);
        times.note(file, [Some(tick); 4], Change::Made, now);
        times.note(other, [Some(tick); 4], Change::Made, now + SECOND);
        assert_eq!(
            times.seen(modified(file), tick, machine, now + 9 * SECOND),
            now
        );
        assert_eq!(
            times.seen(modified(other), tick, machine, now + 9 * SECOND),
            now + SECOND
        );
        times.note(file, [Some(tick); 4], Change::Written, now + 2 * SECOND);
        assert_eq!(
            times.seen(modified(file), tick, machine, now + 9 * SECOND),
            now + 2 * SECOND
        );
        assert_eq!(
            times.seen((file, Stamp::Made), tick, machine, now + 9 * SECOND),
            now
        );
        let accessed = (file, Stamp::Accessed);
        assert_eq!(times.seen(accessed, tick, machine, now + 8 * SECOND), now);
        times.note(file, [Some(tick); 4], Change::Opened, now + 3 * SECOND);
        assert_eq!(
            times.seen(accessed, tick, machine, now + 8 * SECOND),
            now + 8 * SECOND
        );
        // A child has written in the same tick: nobody knows when, but not before it was asked for last.
        let child = modified((1, 7));
        assert_eq!(
            times.seen(child, tick, machine, now + 8 * SECOND),
            now + 8 * SECOND
        );
        // Somebody else has written since.
        assert_eq!(
            times.seen(modified(file), tick + 1, machine, now + 9 * SECOND),
            now + 9 * SECOND
        );
    }
}
