//! Tells of schedules that did not come to an end, and of ways out.

use cct::config::Settings;
use cct::verdict::Bug;
use cct::wire::Counters;

use super::words::{count, number};
use crate::run::{Outcome, TestRun};

/// A test with more cut-offs than one in so many schedules hears of it.
const SOME: u64 = 10;

/// How much of an unfinished test was tried, for its line.
pub(super) fn none_ended(run: &TestRun) -> String {
    match run.counters.schedules {
        n if run.silence.is_some() => format!("schedule {} went on in silence", number(n)),
        1 => "its only schedule did not end".to_owned(),
        n => format!("none of {} ended", count(n, "schedule")),
    }
}

/// Why a test is unfinished, and what to do.
pub(super) fn unfinished(run: &TestRun) -> String {
    format!("{}: {}", none_ended(run), why_unfinished(run))
}

fn why_unfinished(run: &TestRun) -> String {
    match &run.silence {
        Some(silence) => out_of_silence(silence),
        None => way_out(&run.counters),
    }
}

/// Where there was no sign of life for too long, and what to do.
fn out_of_silence(silence: &Bug) -> String {
    let place = silence.site.as_ref();
    let place = place.map_or(String::new(), |site| {
        format!("{}:{}: ", site.file, site.line)
    });
    let message = &silence.message;
    let way_out = "plain memory and files are no steps, so a loop that waits for them \
                   needs a `thread::yield_now()`; raise `--hang-timeout` if it computes";
    format!("{place}{message}: {way_out}")
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
        Outcome::Unfinished => Some(why_unfinished(run)),
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
    if counters.limits.alone {
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
    use cct::trace::Site;
    use cct::verdict::BugKind;

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
        let told = way_out(&counters(1, 1));
        let expected =
            "cut off at 20,000 steps: raise `--max-steps`, or `#[cct::test(max_steps = …)]`";
        assert_eq!(told, expected);
        let most = Counters {
            longest: Settings::MAX_STEPS.into(),
            ..counters(7, 7)
        };
        assert!(way_out(&most).ends_with("the test has to do less"));
        let crowded = Counters {
            limits: Limits::default(),
            ..counters(7, 7)
        };
        assert!(way_out(&crowded).contains("no room for more workers"));
    }

    #[test]
    fn silence_is_told_with_its_place() {
        let site = Site {
            file: "src/lib.rs".to_owned(),
            line: 7,
            column: 1,
        };
        let message = "thread 'main' runs on without a step, while worker 1 could run";
        let silence = Bug::new(BugKind::Silence, message.to_owned(), Some(site), Some(0));
        let told = out_of_silence(&silence);
        let expected = format!("src/lib.rs:7: {message}: plain memory ");
        assert!(told.starts_with(&expected), "{told}");
    }
}
