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
    /// `max_steps`: where a schedule is cut off, counted from when the second worker is made, from 1 to
    /// [`Settings::MAX_STEPS`].
    pub max_steps: Option<u32>,
    /// `strategy`: see [`Spec`].
    pub strategy: Option<Spec>,
    /// `seed`: what all choices follow from.
    pub seed: Option<u64>,
    /// `detached_steps`: how long detached workers may run on after the body returned; 0 cuts them off
    /// at once, as the end of a process does.
    pub detached_steps: Option<u32>,
    /// `temperature`: for how many fair steps something may be overdue; by default a quarter of `max_steps`,
    /// which is half of what is fair at least.
    pub temperature: Option<u32>,
    /// `fail_on_unobserved_panic`: whether a panic that no `join` noticed is a bug.
    pub fail_on_unobserved_panic: Option<bool>,
    /// `resume`: the file with which a strategy that enumerates goes on where an earlier process left
    /// off, and which is written for the next. The seed is taken from it.
    pub resume: Option<String>,
    /// `atomic`: crates a call into which is one step, separated by commas.
    pub atomic: Option<Vec<String>>,
    /// `interleave`: crates all of whose operations are steps, whatever `granularity` says, separated by
    /// commas.
    pub interleave: Option<Vec<String>>,
    /// `granularity`: which operations are steps, see [`Granularity`].
    pub granularity: Option<Granularity>,
    /// `timeouts`: whether a wait may end by its time-out although others can run, see [`Timeouts`].
    pub timeouts: Option<Timeouts>,
    /// `watch`: after the first 64 schedules, one in this many is watched to count behaviours; 1 watches
    /// all of them. By default 17: a prime, so that each strategy of a portfolio has its share.
    pub watch: Option<u32>,
    /// `uncontrolled_attempts`: how often the engine looks, before a decision, whether the outside has
    /// finished what a worker waits for, when it may be about to.
    pub uncontrolled_attempts: Option<u32>,
    /// `uncontrolled_delay`: how long it spins between two of these looks, in rounds.
    pub uncontrolled_delay: Option<u32>,
    /// `uncontrolled_timeout`: how long it waits for another process when nobody else can run, before the
    /// test is run natively; printed and read in milliseconds.
    pub uncontrolled_timeout: Option<Duration>,
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
    pub temperature: u32,
    pub fail_on_unobserved_panic: bool,
    pub resume: Option<String>,
    pub atomic: Vec<String>,
    pub interleave: Vec<String>,
    pub granularity: Granularity,
    pub timeouts: Timeouts,
    pub watch: u32,
    pub uncontrolled_attempts: u32,
    pub uncontrolled_delay: u32,
    pub uncontrolled_timeout: Duration,
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
                self.strategy = Some(
                    Spec::parse(value)
                        .map_err(|error| SettingsError::new(key, value, &error.wants()))?,
                );
            }
            "seed" => self.seed = Some(value.parse().map_err(|_| wants("a number below 2^64")())?),
            "detached_steps" => {
                self.detached_steps =
                    Some(value.parse().map_err(|_| wants("a number below 2^32")())?);
            }
            "temperature" => {
                self.temperature = Some(value.parse().map_err(|_| wants("a number below 2^32")())?);
            }
            "fail_on_unobserved_panic" => {
                self.fail_on_unobserved_panic =
                    Some(value.parse().map_err(|_| wants("`true` or `false`")())?);
            }
            "resume" if value.is_empty() => return Err(wants("a path")()),
            "resume" => self.resume = Some(value.to_owned()),
            "atomic" => self.atomic = Some(value.split(',').map(str::to_owned).collect()),
            "interleave" => {
                self.interleave = Some(value.split(',').map(str::to_owned).collect());
            }
            "granularity" => {
                let known = Granularity::ALL.into_iter();
                let named = known.into_iter().find(|known| known.name() == value);
                self.granularity = Some(named.ok_or_else(wants("`all`, `workspace` or `mix`"))?);
            }
            "timeouts" => {
                let known = Timeouts::ALL.into_iter();
                let named = known.into_iter().find(|known| known.name() == value);
                self.timeouts = Some(named.ok_or_else(wants("`late`, `race` or `auto`"))?);
            }
            "watch" => {
                let every = value.parse().ok().filter(|&n| n > 0);
                self.watch = Some(every.ok_or_else(|| wants("a number from 1")())?);
            }
            "uncontrolled_attempts" => {
                let attempts = value.parse().ok().filter(|&n| n > 0);
                let attempts = attempts.ok_or_else(|| wants("a number from 1")())?;
                self.uncontrolled_attempts = Some(attempts);
            }
            "uncontrolled_delay" => {
                let rounds = value.parse().map_err(|_| wants("a number below 2^32")())?;
                self.uncontrolled_delay = Some(rounds);
            }
            "uncontrolled_timeout" => {
                let millis = value.parse().ok();
                let millis = millis.ok_or_else(|| wants("a number of milliseconds")())?;
                self.uncontrolled_timeout = Some(Duration::from_millis(millis));
            }
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
            temperature: self.temperature.or(lower.temperature),
            fail_on_unobserved_panic: self
                .fail_on_unobserved_panic
                .or(lower.fail_on_unobserved_panic),
            resume: self.resume.or(lower.resume),
            atomic: self.atomic.or(lower.atomic),
            interleave: self.interleave.or(lower.interleave),
            granularity: self.granularity.or(lower.granularity),
            timeouts: self.timeouts.or(lower.timeouts),
            watch: self.watch.or(lower.watch),
            uncontrolled_attempts: self.uncontrolled_attempts.or(lower.uncontrolled_attempts),
            uncontrolled_delay: self.uncontrolled_delay.or(lower.uncontrolled_delay),
            uncontrolled_timeout: self.uncontrolled_timeout.or(lower.uncontrolled_timeout),
        }
    }

    /// Fills what is left with the defaults.
    pub fn resolve(self) -> Resolved {
        let max_steps = self.max_steps.unwrap_or(20_000);
        Resolved {
            iterations: self.iterations.unwrap_or(match self.time {
                // Whoever says how long wants it used.
                Some(_) => u64::MAX,
                None => 1000,
            }),
            time: self.time,
            max_steps,
            strategy: self.strategy.unwrap_or_default(),
            seed: self.seed.unwrap_or(0),
            detached_steps: self.detached_steps.unwrap_or(3000),
            temperature: self.temperature.unwrap_or(max_steps / 4),
            fail_on_unobserved_panic: self.fail_on_unobserved_panic.unwrap_or(false),
            resume: self.resume,
            atomic: self.atomic.unwrap_or_default(),
            interleave: self.interleave.unwrap_or_default(),
            granularity: self.granularity.unwrap_or_default(),
            timeouts: self.timeouts.unwrap_or_default(),
            watch: self.watch.unwrap_or(17),
            // The first two are Coyote's.
            uncontrolled_attempts: self.uncontrolled_attempts.unwrap_or(10),
            uncontrolled_delay: self.uncontrolled_delay.unwrap_or(1000),
            uncontrolled_timeout: self.uncontrolled_timeout.unwrap_or(Duration::from_secs(10)),
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
        if let Some(temperature) = self.temperature {
            writeln!(f, "temperature={temperature}")?;
        }
        if let Some(fail) = self.fail_on_unobserved_panic {
            writeln!(f, "fail_on_unobserved_panic={fail}")?;
        }
        if let Some(resume) = &self.resume {
            writeln!(f, "resume={resume}")?;
        }
        if let Some(atomic) = &self.atomic {
            writeln!(f, "atomic={}", atomic.join(","))?;
        }
        if let Some(interleave) = &self.interleave {
            writeln!(f, "interleave={}", interleave.join(","))?;
        }
        if let Some(granularity) = self.granularity {
            writeln!(f, "granularity={}", granularity.name())?;
        }
        if let Some(timeouts) = self.timeouts {
            writeln!(f, "timeouts={}", timeouts.name())?;
        }
        if let Some(watch) = self.watch {
            writeln!(f, "watch={watch}")?;
        }
        if let Some(attempts) = self.uncontrolled_attempts {
            writeln!(f, "uncontrolled_attempts={attempts}")?;
        }
        if let Some(delay) = self.uncontrolled_delay {
            writeln!(f, "uncontrolled_delay={delay}")?;
        }
        if let Some(timeout) = self.uncontrolled_timeout {
            writeln!(f, "uncontrolled_timeout={}", timeout.as_millis())?;
        }
        Ok(())
    }
}

/// Which operations are steps, where dependencies are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Granularity {
    /// All of them are.
    All,
    /// A call into a crate that is not of the workspace is one step; it has more only where it waits.
    Workspace,
    /// The one in some schedules, the other in the rest: each strategy of a portfolio has turns of both.
    #[default]
    Mix,
}

impl Granularity {
    /// All of them.
    pub const ALL: [Granularity; 3] = [Granularity::All, Granularity::Workspace, Granularity::Mix];

    /// The name by which settings call it.
    pub const fn name(self) -> &'static str {
        match self {
            Granularity::All => "all",
            Granularity::Workspace => "workspace",
            Granularity::Mix => "mix",
        }
    }
}

/// Whether the time-out of a wait may be *early*: come although others can run. Sleeps never end early.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Timeouts {
    /// Never: time moves when nobody can run.
    Late,
    /// In every schedule, whatever its length.
    Race,
    /// In some of the schedules, by their seeds, if it is no further away than [`Timeouts::NEAR`]; never
    /// in those of a strategy that enumerates.
    #[default]
    Auto,
}

impl Timeouts {
    /// All of them.
    pub const ALL: [Timeouts; 3] = [Timeouts::Late, Timeouts::Race, Timeouts::Auto];

    /// How far away a time-out may be that is early under `auto`: for how long a busy machine may keep a
    /// thread waiting that could run. A time-out further away is a watchdog.
    pub const NEAR: Duration = Duration::from_millis(50);

    /// The name by which settings call it.
    pub const fn name(self) -> &'static str {
        match self {
            Timeouts::Late => "late",
            Timeouts::Race => "race",
            Timeouts::Auto => "auto",
        }
    }
}

/// A setting that does not exist, or a value that it does not take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingsError {
    key: String,
    value: String,
    wants: String,
}

impl SettingsError {
    fn new(key: &str, value: &str, wants: &str) -> Self {
        SettingsError {
            key: key.to_owned(),
            value: value.to_owned(),
            wants: wants.to_owned(),
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
            temperature: Some(700),
            fail_on_unobserved_panic: Some(true),
            resume: Some("a folder/file".to_owned()),
            atomic: Some(vec!["a".to_owned(), "b-c".to_owned()]),
            interleave: Some(vec!["d".to_owned()]),
            granularity: Some(Granularity::Workspace),
            timeouts: Some(Timeouts::Race),
            watch: Some(1),
            uncontrolled_attempts: Some(3),
            uncontrolled_delay: Some(0),
            uncontrolled_timeout: Some(Duration::from_millis(200)),
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
        for wrong in [
            "iterations=0",
            "watch=0",
            "timeouts=early",
            "uncontrolled_attempts=0",
            "uncontrolled_timeout=2s",
            "time=2s",
            "seed=-1",
            "atomics=a",
            "seed",
        ] {
            assert!(Settings::parse(wrong).is_err(), "{wrong}");
        }
    }
}
