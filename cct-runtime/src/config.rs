//! The settings of a test, and the order in which their sources count.
//!
//! Command line > environment > attribute > config file > default. The first two reach the test process
//! merged, as [`crate::wire::ENV_OVERRIDES`]; the config file as [`crate::wire::ENV_DEFAULTS`].

use std::fmt;
use std::time::Duration;

use crate::strategy::Spec;

/// Settings as far as one source gives them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// `iterations`: the most schedules to explore, at least 1; by default 1000, or as many as fit when
    /// there is a `time`.
    pub iterations: Option<u64>,
    /// `time`: no new schedule is begun after this long; printed and read in milliseconds (`time=1500`).
    pub time: Option<Duration>,
    /// `max_steps`: where a schedule is cut off, from 1 to [`Settings::MAX_STEPS`].
    pub max_steps: Option<u32>,
    /// `strategy`: see [`Spec`].
    pub strategy: Option<Spec>,
    /// `seed`: what all choices follow from.
    pub seed: Option<u64>,
    /// `detached_steps`: how long detached workers may run on after the body returned; 0 cuts them off
    /// at once, as the end of a process does.
    pub detached_steps: Option<u32>,
    /// `fail_on_unobserved_panic`: whether a panic that no `join` noticed is a bug.
    pub fail_on_unobserved_panic: Option<bool>,
    /// `atomic`: crates whose operations are no scheduling points, separated by commas.
    pub atomic: Option<Vec<String>>,
}

/// Settings with every gap filled.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(
    missing_docs,
    reason = "each field is the field of `Settings` with the same name"
)]
pub struct Resolved {
    pub iterations: u64,
    pub time: Option<Duration>,
    pub max_steps: u32,
    pub strategy: Spec,
    pub seed: u64,
    pub detached_steps: u32,
    pub fail_on_unobserved_panic: bool,
    pub atomic: Vec<String>,
}

impl Settings {
    /// The largest step bound: what a [`crate::wire::Board`] can hold.
    pub const MAX_STEPS: u32 = crate::wire::Board::RUNS as u32 - 1;

    /// Panics unless `max_steps` takes the number: at compile time, for test attributes.
    #[doc(hidden)]
    pub const fn check_max_steps(steps: u64) {
        assert!(
            1 <= steps && steps <= Settings::MAX_STEPS as u64,
            "setting `max_steps` takes a whole number from 1 to 1048575"
        );
    }

    /// Reads what [`Settings`] prints: `key=value` lines.
    pub fn parse(text: &str) -> Result<Settings, SettingsError> {
        let mut settings = Settings::default();
        for line in text.lines().filter(|line| !line.is_empty()) {
            let (key, value) = line
                .split_once('=')
                .ok_or_else(|| SettingsError::new(line, "", "a value"))?;
            settings.set(key, value)?;
        }
        Ok(settings)
    }

    /// Sets one setting by its name.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingsError> {
        let wants = |what| move || SettingsError::new(key, value, what);
        match key {
            "iterations" => {
                self.iterations = Some(
                    value
                        .parse()
                        .ok()
                        .filter(|&n| n > 0)
                        .ok_or_else(wants("a number from 1"))?,
                );
            }
            "time" => {
                let millis = value
                    .parse()
                    .map_err(|_| wants("a number of milliseconds")())?;
                self.time = Some(Duration::from_millis(millis));
            }
            "max_steps" => {
                let in_range = |n: &u32| (1..=Settings::MAX_STEPS).contains(n);
                let steps = value.parse().ok().filter(in_range);
                self.max_steps = Some(steps.ok_or_else(wants("a number from 1 to 1048575"))?);
            }
            "strategy" => {
                self.strategy = Some(Spec::parse(value).map_err(|_| wants(Spec::GRAMMAR)())?);
            }
            "seed" => self.seed = Some(value.parse().map_err(|_| wants("a number below 2^64")())?),
            "detached_steps" => {
                self.detached_steps =
                    Some(value.parse().map_err(|_| wants("a number below 2^32")())?);
            }
            "fail_on_unobserved_panic" => {
                self.fail_on_unobserved_panic =
                    Some(value.parse().map_err(|_| wants("`true` or `false`")())?);
            }
            "atomic" => self.atomic = Some(value.split(',').map(str::to_owned).collect()),
            _ => return Err(SettingsError::new(key, value, "a setting that exists")),
        }
        Ok(())
    }

    /// Fills the gaps of `self` from `lower`, which counts less.
    #[must_use]
    pub fn over(self, lower: Settings) -> Settings {
        Settings {
            iterations: self.iterations.or(lower.iterations),
            time: self.time.or(lower.time),
            max_steps: self.max_steps.or(lower.max_steps),
            strategy: self.strategy.or(lower.strategy),
            seed: self.seed.or(lower.seed),
            detached_steps: self.detached_steps.or(lower.detached_steps),
            fail_on_unobserved_panic: self
                .fail_on_unobserved_panic
                .or(lower.fail_on_unobserved_panic),
            atomic: self.atomic.or(lower.atomic),
        }
    }

    /// Fills what is left with the defaults.
    pub fn resolve(self) -> Resolved {
        Resolved {
            iterations: self.iterations.unwrap_or(match self.time {
                // Whoever says how long wants it used.
                Some(_) => u64::MAX,
                None => 1000,
            }),
            time: self.time,
            max_steps: self.max_steps.unwrap_or(20_000),
            strategy: self.strategy.unwrap_or_default(),
            seed: self.seed.unwrap_or(0),
            detached_steps: self.detached_steps.unwrap_or(3000),
            fail_on_unobserved_panic: self.fail_on_unobserved_panic.unwrap_or(false),
            atomic: self.atomic.unwrap_or_default(),
        }
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(iterations) = self.iterations {
            writeln!(f, "iterations={iterations}")?;
        }
        if let Some(time) = self.time {
            writeln!(f, "time={}", time.as_millis())?;
        }
        if let Some(max_steps) = self.max_steps {
            writeln!(f, "max_steps={max_steps}")?;
        }
        if let Some(strategy) = &self.strategy {
            writeln!(f, "strategy={strategy}")?;
        }
        if let Some(seed) = self.seed {
            writeln!(f, "seed={seed}")?;
        }
        if let Some(detached_steps) = self.detached_steps {
            writeln!(f, "detached_steps={detached_steps}")?;
        }
        if let Some(fail) = self.fail_on_unobserved_panic {
            writeln!(f, "fail_on_unobserved_panic={fail}")?;
        }
        if let Some(atomic) = &self.atomic {
            writeln!(f, "atomic={}", atomic.join(","))?;
        }
        Ok(())
    }
}

/// A setting that does not exist, or a value that it does not take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingsError {
    key: String,
    value: String,
    wants: &'static str,
}

impl SettingsError {
    fn new(key: &str, value: &str, wants: &'static str) -> Self {
        SettingsError {
            key: key.to_owned(),
            value: value.to_owned(),
            wants,
        }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "setting `{}` is `{}`, expected {}",
            self.key, self.value, self.wants
        )
    }
}

impl std::error::Error for SettingsError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Settings {
        Settings {
            iterations: Some(5),
            time: Some(Duration::from_millis(1500)),
            max_steps: Some(Settings::MAX_STEPS),
            strategy: Some(Spec::parse("pct:2,random").expect("well-formed")),
            seed: Some(u64::MAX),
            detached_steps: Some(0),
            fail_on_unobserved_panic: Some(true),
            atomic: Some(vec!["a".to_owned(), "b-c".to_owned()]),
        }
    }

    #[test]
    fn what_is_printed_is_read_back() {
        for settings in [Settings::default(), full()] {
            assert_eq!(Settings::parse(&settings.to_string()), Ok(settings));
        }
    }

    #[test]
    fn gaps_are_filled_from_what_counts_less() {
        let upper = Settings {
            seed: Some(1),
            ..Settings::default()
        };
        let merged = upper.over(full());
        assert_eq!((merged.seed, merged.iterations), (Some(1), Some(5)));
        assert_eq!(full().over(Settings::default()), full());
    }

    #[test]
    fn errors_name_the_setting_and_what_it_takes() {
        let error = |text| Settings::parse(text).expect_err("wrong").to_string();
        assert_eq!(
            error("max_steps=0"),
            "setting `max_steps` is `0`, expected a number from 1 to 1048575"
        );
        assert_eq!(
            error("seed=7\nstrategy=fair"),
            format!("setting `strategy` is `fair`, expected {}", Spec::GRAMMAR)
        );
        for wrong in ["iterations=0", "time=2s", "seed=-1", "atomics=a", "seed"] {
            assert!(Settings::parse(wrong).is_err(), "{wrong}");
        }
    }
}
