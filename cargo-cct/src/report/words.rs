//! Counts and durations, formatted in one place.

use std::time::Duration;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_plurals_and_commas() {
        assert_eq!(count(1, "schedule"), "1 schedule");
        assert_eq!(count(0, "step"), "0 steps");
        assert_eq!(count(1_234_567, "step"), "1,234,567 steps");
        assert_eq!(number(100), "100");
    }
}
