//! Tells of schedules that did not come to an end, and of ways out.

use cct::config::Settings;
use cct::wire::Counters;

use super::words::{count, number};
use crate::run::{Outcome, TestRun};

/// A test with more cut-offs than one in so many schedules hears of it.
const SOME: u64 = 10;

/// How much of an unfinished test was tried, for its line.
pub(super) fn none_ended(counters: &Counters) -> String {
    match counters.schedules {
        1 => "its only schedule did not end".to_owned(),
        n => format!("none of {} ended", count(n, "schedule")),
    }
}

/// Why a test is unfinished, and what to do.
pub(super) fn unfinished(counters: &Counters) -> String {
    format!("{}: {}", none_ended(counters), way_out(counters))
}

/// How many were cut off, if they are many.
pub(super) fn many(counters: &Counters) -> String {
    if are_many(counters) {
        format!(", {} cut off", number(counters.cut_offs))
    } else {
        String::new()
    }
}

/// Returns the advice for a test whose schedules are cut off: all of them, or many.
pub(super) fn advice(run: &TestRun) -> Option<String> {
    let counters = &run.counters;
    match run.outcome {
        Outcome::Unfinished => Some(way_out(counters)),
        Outcome::Passed if run.started.is_some() && are_many(counters) => {
            let percent = counters.cut_offs * 100 / counters.schedules;
            Some(format!("{percent}% {}", way_out(counters)))
        }
        _ => None,
    }
}

fn are_many(counters: &Counters) -> bool {
    counters.cut_offs * SOME > counters.schedules
}

fn way_out(counters: &Counters) -> String {
    if counters.limits.patience {
        let way_out =
            "the one thread goes on and on; if it comes to an end, raise `--hang-timeout`";
        return format!("cut off: {way_out}");
    }
    if !counters.limits.steps {
        return "cut off: there is no room for more workers in one schedule".to_owned();
    }
    let steps = format!("cut off at {}", count(counters.longest, "step"));
    if counters.longest >= Settings::MAX_STEPS.into() {
        return format!("{steps}, the most there can be: the test has to do less");
    }
    format!("{steps}: raise `--max-steps`, or `#[cct::test(max_steps = …)]`")
}

#[cfg(test)]
mod tests {
    use cct::strategy::Limits;

    use super::*;

    fn counters(schedules: u64, cut_offs: u64) -> Counters {
        Counters {
            schedules,
            cut_offs,
            longest: 20_000,
            limits: Limits {
                steps: true,
                ..Limits::default()
            },
            ..Counters::default()
        }
    }

    #[test]
    fn more_than_a_tenth_is_many() {
        assert_eq!(many(&counters(1000, 100)), "");
        assert_eq!(many(&counters(1000, 101)), ", 101 cut off");
        assert_eq!(many(&counters(0, 0)), "");
    }

    #[test]
    fn the_way_out_fits_the_reason() {
        let told = unfinished(&counters(1, 1));
        let expected = "its only schedule did not end: cut off at 20,000 steps: raise `--max-steps`, \
                        or `#[cct::test(max_steps = …)]`";
        assert_eq!(told, expected);
        let most = Counters {
            longest: Settings::MAX_STEPS.into(),
            ..counters(7, 7)
        };
        assert!(unfinished(&most).ends_with("the test has to do less"));
        let crowded = Counters {
            limits: Limits::default(),
            ..counters(7, 7)
        };
        assert!(unfinished(&crowded).contains("no room for more workers"));
    }
}
