//! The parameters of delay injection, a row each, with the values of the paper; a delay is shorter, since
//! tests of Rust are.
//!
//! Source: Li, Lu, Musuvathi, Nath, Padhye, "Efficient Scalable Thread-Safety-Violation Detection", SOSP'19,
//! and the names of its published implementation.

use std::fmt;
use std::time::Duration;

/// The algorithms that decide where to delay.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Algorithm {
    /// Where near misses were, unless delays tell that one is before the other.
    #[default]
    Tsvd,
    /// At any point, with a small probability, for a random time.
    DynamicRandom,
    /// At places that are drawn from all places, however often they are reached, as `DataCollider` does.
    StaticRandom,
    /// Where accesses were not ordered by synchronisation, whenever they were made.
    TsvdHb,
    /// Nowhere: what is seen without help.
    None,
}

impl Algorithm {
    /// All of them, by name.
    pub const NAMES: [(&'static str, Algorithm); 5] = [
        ("tsvd", Algorithm::Tsvd),
        ("tsvd-hb", Algorithm::TsvdHb),
        ("dynamic-random", Algorithm::DynamicRandom),
        ("static-random", Algorithm::StaticRandom),
        ("none", Algorithm::None),
    ];
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Algorithm::NAMES.iter().find(|(_, it)| it == self);
        f.write_str(named.map_or("", |(name, _)| name))
    }
}

/// A value as it is typed, and as a test process reads it.
trait Value: Sized {
    fn parse(text: &str) -> Option<Self>;
    fn print(&self) -> String;
}

impl Value for u32 {
    fn parse(text: &str) -> Option<u32> {
        text.parse().ok()
    }
    fn print(&self) -> String {
        self.to_string()
    }
}

impl Value for u64 {
    fn parse(text: &str) -> Option<u64> {
        text.parse().ok()
    }
    fn print(&self) -> String {
        self.to_string()
    }
}

impl Value for bool {
    fn parse(text: &str) -> Option<bool> {
        text.parse().ok()
    }
    fn print(&self) -> String {
        self.to_string()
    }
}

/// A share or a probability.
impl Value for f64 {
    fn parse(text: &str) -> Option<f64> {
        let number: f64 = text.parse().ok()?;
        (0.0..=1.0).contains(&number).then_some(number)
    }
    fn print(&self) -> String {
        self.to_string()
    }
}

/// Milliseconds, or with a unit.
impl Value for Duration {
    fn parse(text: &str) -> Option<Duration> {
        let (number, unit) = match text.strip_suffix("ms") {
            Some(number) => (number, 1),
            None => match text.strip_suffix('s') {
                Some(number) => (number, 1000),
                None => (text, 1),
            },
        };
        Some(Duration::from_millis(
            number.parse::<u64>().ok()?.checked_mul(unit)?,
        ))
    }
    fn print(&self) -> String {
        format!("{}ms", self.as_millis())
    }
}

impl Value for Algorithm {
    fn parse(text: &str) -> Option<Algorithm> {
        let named = Algorithm::NAMES.iter().find(|(name, _)| *name == text);
        named.map(|&(_, algorithm)| algorithm)
    }
    fn print(&self) -> String {
        self.to_string()
    }
}

/// A parameter as the command line shows it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name, as an option without the dashes.
    pub name: &'static str,
    /// The placeholder of its value.
    pub value: &'static str,
    /// A sentence, without its full stop.
    pub help: &'static str,
}

macro_rules! parameters {
    ($($field:ident: $type:ty = $default:expr, $name:literal, $value:literal, $help:literal;)*) => {
        /// The parameters of a run.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct Parameters {
            $(#[doc = $help] pub $field: $type,)*
        }

        impl Default for Parameters {
            fn default() -> Parameters {
                Parameters { $($field: $default,)* }
            }
        }

        impl Parameters {
            /// Each of them, in the order of help.
            pub const ROWS: &[Row] = &[$(Row { name: $name, value: $value, help: $help },)*];

            /// Sets one, by its name. False if there is no such one, or it does not take this value.
            pub fn set(&mut self, name: &str, text: &str) -> bool {
                match name {
                    $($name => match <$type as Value>::parse(text) {
                        Some(value) => self.$field = value,
                        None => return false,
                    },)*
                    _ => return false,
                }
                true
            }

            /// The value of one, as it is typed.
            pub fn get(&self, name: &str) -> Option<String> {
                match name {
                    $($name => Some(self.$field.print()),)*
                    _ => None,
                }
            }
        }
    };
}

parameters! {
    algorithm: Algorithm = Algorithm::Tsvd, "algorithm", "WHICH",
        "The algorithm that decides where to delay: tsvd, tsvd-hb, dynamic-random, static-random or none";
    near_misses: u32 = 5, "near-misses", "N",
        "How many accesses of an object are remembered, to find near misses: `N_nm`";
    near_miss_window: Duration = Duration::from_millis(100), "near-miss-window", "TIME",
        "How far apart in time two accesses of an object may be to be a near miss: `T_nm`";
    windows: bool = true, "windows", "BOOL",
        "Whether near misses have to be near in time at all";
    phase_buffer: u32 = 16, "phase-buffer", "N",
        "How many of the last accesses tell whether several threads are at work";
    phases: bool = true, "phases", "BOOL",
        "Whether near misses count only while several threads are at work";
    delay: Duration = Duration::from_millis(20), "delay", "TIME",
        "How long a thread is held at a dangerous place";
    inference: bool = true, "inference", "BOOL",
        "Whether delays tell which accesses are ordered";
    locks: bool = true, "locks", "BOOL",
        "Whether accesses under one lock, before a thread was made, or after it was joined, are ordered \
         without a delay that tells it";
    hb_threshold: f64 = 0.5, "hb-threshold", "SHARE",
        "The share of a delay for which another thread has to pause to be ordered after it: `δ_hb`";
    hb_window: u32 = 5, "hb-window", "N",
        "How many further accesses of a thread are ordered with one that is: `k_hb`";
    decay: f64 = 0.1, "decay", "SHARE",
        "What a fruitless delay takes off a place's probability, which is 1 at first";
    probability: f64 = 0.05, "probability", "P",
        "With dynamic-random, the probability of a delay at each access";
    delay_per_thread: Duration = Duration::from_secs(20), "delay-per-thread", "TIME",
        "The most time that a thread is held in all";
    delay_per_test: Duration = Duration::from_secs(20), "delay-per-test", "TIME",
        "The most time that the threads of a test are held in all";
    delay_per_run: Duration = Duration::from_secs(5), "delay-per-run", "TIME",
        "The most time that all threads of a process are held together, beside `--share`";
    share: f64 = 0.35, "share", "SHARE",
        "The share of a process's time for which its threads may be held beyond that";
    burst: u32 = 1000, "burst", "N",
        "How many accesses of memory a thread looks at from each place, before it looks at one of 16; with 0 \
         at all";
    seed: u64 = 0, "seed", "N",
        "The seed of random choices";
}

impl Parameters {
    /// Reads what [`fmt::Display`] prints.
    pub fn read(text: &str) -> Option<Parameters> {
        let mut parameters = Parameters::default();
        for word in text.split_whitespace() {
            let (name, value) = word.split_once('=')?;
            if !parameters.set(name, value) {
                return None;
            }
        }
        Some(parameters)
    }
}

impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in Parameters::ROWS {
            write!(
                f,
                "{}={} ",
                row.name,
                self.get(row.name).unwrap_or_default()
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::Strategy;
    use proptest::{prop_assert_eq, proptest};

    use super::*;
    use crate::fuzz;

    #[test]
    fn what_is_printed_is_read() {
        let mut parameters = Parameters::default();
        assert!(parameters.set("delay", "7ms"));
        assert!(parameters.set("delay-per-thread", "3s"));
        assert!(parameters.set("algorithm", "static-random"));
        assert!(parameters.set("phases", "false"));
        assert_eq!(Parameters::read(&parameters.to_string()), Some(parameters));
        assert_eq!(parameters.delay_per_thread, Duration::from_secs(3));
    }

    #[test]
    fn values_that_make_no_sense_are_refused() {
        let mut parameters = Parameters::default();
        for (name, value) in [
            ("decay", "1.5"),
            ("decay", "-0.1"),
            ("delay", "soon"),
            ("algorithm", "best"),
            ("dealy", "7"),
        ] {
            assert!(!parameters.set(name, value), "{name}={value}");
        }
        assert_eq!(parameters, Parameters::default());
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn text_in_disorder_is_read_or_refused(text in texts()) {
            if let Some(parameters) = Parameters::read(&text) {
                prop_assert_eq!(Parameters::read(&parameters.to_string()), Some(parameters));
            }
        }
    }

    fn texts() -> impl Strategy<Value = String> {
        let names = Parameters::ROWS.iter().map(|row| row.name);
        let algorithms = Algorithm::NAMES.iter().map(|(name, _)| *name);
        let values = ["=", "=true ", "=0.5 ", "=7ms ", "=9s ", "=NaN ", "=1e400 "];
        fuzz::texts(names.chain(algorithms).chain(values).collect())
    }
}
