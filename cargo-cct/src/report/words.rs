//! Counts and durations, formatted in one place.

use std::collections::BTreeSet;
use std::time::Duration;

use cct::wire::Counters;

use super::visible::visible_on_a_line;
use crate::run::Leak;

/// Appends formatted text to a string.
macro_rules! put {
    ($out:expr, $($format:tt)*) => {{
        use std::fmt::Write as _;
        write!($out, $($format)*).expect("a string takes all that is written to it")
    }};
}
pub(crate) use put;

/// `1 schedule`, `1,000 schedules`.
pub(crate) fn count(n: u64, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", number(n))
}

/// `1 switch`, `2 switches`.
pub(crate) fn switches(n: u64) -> String {
    let plural = if n == 1 { "" } else { "es" };
    format!("{} switch{plural}", number(n))
}

/// A number with a comma after each thousand.
pub(crate) fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `7`; of schedules or behaviours that are more than can be told apart, `at least` so many.
pub(super) fn told_apart(n: u64) -> String {
    let at_least = if n < Counters::MOST_DISTINCT {
        ""
    } else {
        "at least "
    };
    format!("{at_least}{}", number(n))
}

/// `7 distinct`.
pub(super) fn distinct(n: u64) -> String {
    format!("{} distinct", told_apart(n))
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Seconds with milliseconds' worth of digits.
pub(crate) fn duration(duration: Duration) -> String {
    format!("{:.2}s", duration.as_secs_f64())
}

/// `2026-11-23 16:47`, in UTC, of seconds since the Unix epoch.
pub(crate) fn moment(seconds: u64) -> String {
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that a leap day is the last: Hinnant's `civil_from_days`.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute) = (of_day / 3600, of_day / 60 % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}")
}

/// Why each schedule of a test had a process of its own.
pub(crate) fn isolated(leak: &Leak) -> String {
    let since = match leak {
        Leak::Diverged(divergence) => format!(
            "its first one, repeated in the same process, differed at step {}: first {}, then {}",
            divergence.step + 1,
            divergence.expected,
            divergence.found
        ),
        Leak::Failed(_, message) => {
            let message = visible_on_a_line(message.lines().next().unwrap_or_default());
            format!(
                "a failure came again after the same earlier ones, and not by itself: {message}"
            )
        }
        Leak::LeftBehind => {
            "some change what is not put back, of the process or of a library".to_owned()
        }
        Leak::Remembered => "they were found to depend on each other in a run before".to_owned(),
    };
    format!("each schedule had a process of its own, since {since}")
}

/// Why two executions of a schedule were not the same, if their schedules both change these files and depend
/// on them.
pub(crate) fn why_not_the_same(shared_files: &BTreeSet<String>) -> String {
    const SHOWN: usize = 3;
    const NOT: &str = "something is not under control";
    if shared_files.is_empty() {
        return NOT.to_owned();
    }
    let shown = shared_files.iter().take(SHOWN);
    let mut names: Vec<_> = shown.map(|file| format!("`{file}`")).collect();
    if let Some(more @ 1..) = shared_files.len().checked_sub(SHOWN) {
        names.push(format!("{} more", number(more as u64)));
    }
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    format!(
        "{NOT}, probably a file that a schedule finds as another one has left it: {}",
        list(&names)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_that_may_be_the_reason() {
        let why = |files: &[&str]| {
            let files = files.iter().map(|&file| file.to_owned());
            why_not_the_same(&files.collect())
        };
        assert_eq!(why(&[]), "something is not under control");
        assert!(why(&["b", "a"]).ends_with(": `a` and `b`"));
        assert!(why(&["a", "b", "c"]).ends_with(": `a`, `b` and `c`"));
        assert!(why(&["a", "b", "c", "d", "e"]).ends_with(": `a`, `b`, `c` and 2 more"));
    }

    #[test]
    fn moments_are_dates() {
        assert_eq!(moment(0), "1970-01-01 00:00");
        assert_eq!(moment(951_782_399), "2000-02-28 23:59");
        assert_eq!(moment(951_782_400), "2000-02-29 00:00");
        assert_eq!(moment(1_795_452_432), "2026-11-23 16:47");
    }

    #[test]
    fn counts_have_plurals_and_commas() {
        assert_eq!(count(1, "schedule"), "1 schedule");
        assert_eq!(count(0, "step"), "0 steps");
        assert_eq!(count(1_234_567, "step"), "1,234,567 steps");
        assert_eq!(number(100), "100");
    }
}
