//! The state word of a lock for readers and writers: who has it, and who waits.
//!
//! The number of readers or [`WRITER`], and two flags. A free lock is exactly 0: a flag is set on a held one
//! only.

pub(super) const COUNT: u32 = (1 << 30) - 1;
pub(super) const WRITER: u32 = COUNT;
/// Somebody waits and is to be woken: readers, and workers that want to write and wait for a writer.
pub(super) const READERS_WAIT: u32 = 1 << 30;
/// A writer has found readers and waits for them; others who want to read wait behind it.
pub(super) const WRITERS_WAIT: u32 = 1 << 31;

/// True if a reader may have it.
#[inline]
pub(super) fn can_read(state: u32) -> bool {
    state & COUNT < WRITER - 1 && state & WRITERS_WAIT == 0
}

/// True if a writer may have it.
#[inline]
pub(super) fn can_write(state: u32) -> bool {
    state == 0
}

/// True while a writer has it.
#[inline]
pub(super) fn is_written(state: u32) -> bool {
    state & COUNT == WRITER
}

/// The word with one more reader, if it may come.
#[inline]
pub(super) fn with_reader(state: u32) -> Option<u32> {
    can_read(state).then(|| state + 1)
}

/// The word without one of its readers: the last one forgets who waits.
#[inline]
pub(super) fn without_reader(state: u32) -> u32 {
    if state & COUNT == 1 { 0 } else { state - 1 }
}

/// The word whose writer has become a reader: other readers stay behind a writer that waits.
#[inline]
pub(super) fn with_writer_as_reader(state: u32) -> u32 {
    let flags = if state & WRITERS_WAIT == 0 {
        0
    } else {
        state & !COUNT
    };
    1 | flags
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: u32 = READERS_WAIT | WRITERS_WAIT;

    #[test]
    fn readers_share_and_stay_behind_a_writer_that_waits() {
        assert_eq!(with_reader(0), Some(1));
        assert_eq!(with_reader(7), Some(8));
        assert_eq!(with_reader(1 | READERS_WAIT), Some(2 | READERS_WAIT));
        for state in [1 | WRITERS_WAIT, WRITER, WRITER | BOTH, WRITER - 1] {
            assert_eq!(with_reader(state), None, "{state:#x}");
        }
    }

    #[test]
    fn a_writer_has_it_alone() {
        assert!(can_write(0) && !is_written(0));
        for state in [1, WRITER, 1 | READERS_WAIT, WRITER | BOTH] {
            assert!(!can_write(state), "{state:#x}");
        }
        assert!(is_written(WRITER) && is_written(WRITER | BOTH) && !is_written(1 | BOTH));
    }

    #[test]
    fn the_last_reader_forgets_who_waits() {
        assert_eq!(without_reader(2 | BOTH), 1 | BOTH);
        assert_eq!(without_reader(1 | BOTH), 0);
        assert_eq!(without_reader(1), 0);
    }

    #[test]
    fn a_writer_that_becomes_a_reader_lets_no_other_writer_in_between() {
        for (before, after) in [
            (WRITER, 1),
            (WRITER | READERS_WAIT, 1),
            (WRITER | WRITERS_WAIT, 1 | WRITERS_WAIT),
            (WRITER | BOTH, 1 | BOTH),
        ] {
            assert_eq!(with_writer_as_reader(before), after);
            assert!(!can_write(after));
        }
    }
}
