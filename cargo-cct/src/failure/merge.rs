//! Two records of one bug are made one: the shorter schedule, and both histories.

use super::history::History;
use super::record::Record;
use crate::run::{Length, Repeats};

/// Which of two records stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stays {
    /// The one that was there.
    First,
    /// The other one.
    Second,
}

/// Makes one of two records of one bug. The first was there before: it gives way to a shorter schedule, and
/// to any that leads to the bug if its own does not, or is of another build.
pub(crate) fn merge(first: Record, second: Record) -> (Record, Stays) {
    let is_other_build = first.provenance.executable_hash != second.provenance.executable_hash;
    let stays = if is_other_build || rank(&second) < rank(&first) {
        Stays::Second
    } else {
        Stays::First
    };
    let (kept, other) = match stays {
        Stays::First => (first, second),
        Stays::Second => (second, first),
    };
    let gone_in = kept.history.gone_in.clone();
    let class = kept.history.class.clone();
    let mut history = kept.history.clone().and(other.history);
    (history.gone_in, history.class) = (gone_in, class);
    (Record { history, ..kept }, stays)
}

/// The record of a failure as it is now, with the history of what was there.
pub(crate) fn renew(there: Record, now: Record) -> Record {
    let history = History {
        class: now.history.class.clone(),
        gone_in: None,
        ..there.history.and(now.history)
    };
    Record { history, ..now }
}

/// The less, the better. The operations that could have ordered a race are not told where they are parts of
/// coarse steps.
fn rank(record: &Record) -> (bool, u8, bool, bool, Option<Length>) {
    let repeats = match record.repeats {
        Repeats::Yes => 0,
        Repeats::Unknown => 1,
        Repeats::No(_) => 2,
    };
    let length = record.trace.as_ref().map(Length::of);
    let is_gone = record.history.gone_in.is_some();
    let is_race = record.bug.as_ref().is_some_and(|bug| bug.race.is_some());
    let hides = is_race && record.schedule.coarse;
    (is_gone, repeats, length.is_none(), hides, length)
}

#[cfg(test)]
mod tests {
    use cct::operation::Operation;

    use super::*;
    use crate::sample;

    /// A record of so many steps, seen then.
    fn record(steps: usize, at: u64) -> Record {
        let steps: Vec<_> = (0..steps)
            .map(|_| sample::step(0, Operation::Load, "a.rs"))
            .collect();
        let mut record = sample::record(&sample::trace(&steps), "lost");
        record.provenance.found_at = at;
        record.complete()
    }

    fn length(record: &Record) -> usize {
        record.trace.as_ref().map_or(0, cct::trace::Trace::len)
    }

    #[test]
    fn the_shorter_schedule_stays_and_both_were_seen() {
        for (first, second, stays) in [
            (3, 5, Stays::First),
            (5, 3, Stays::Second),
            (3, 3, Stays::First),
        ] {
            let (merged, which) = merge(record(first, 1), record(second, 2));
            assert_eq!((length(&merged), which), (3, stays));
            assert_eq!((merged.history.count(), merged.history.first), (2, 1));
        }
    }

    #[test]
    fn a_schedule_that_leads_nowhere_gives_way() {
        let mut gone = record(3, 1);
        gone.history.gone_in = Some("1234".to_owned());
        let (merged, _) = merge(gone.clone(), record(5, 2));
        assert_eq!((length(&merged), &merged.history.gone_in), (5, &None));
        let (merged, _) = merge(record(5, 2), gone);
        assert_eq!((length(&merged), &merged.history.gone_in), (5, &None));
        let mut flaky = record(2, 1);
        flaky.repeats = Repeats::No("it passed".to_owned());
        let (merged, _) = merge(flaky, record(5, 2));
        assert_eq!(length(&merged), 5);
        let mut older = record(3, 1);
        older.provenance.executable_hash = "1234".to_owned();
        let (merged, _) = merge(older, record(5, 2));
        assert_eq!(length(&merged), 5);
    }
}
