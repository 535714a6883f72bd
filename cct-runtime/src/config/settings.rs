//! The settings as far as a source gives them, and with every gap filled.

use std::fmt;
use std::time::Duration;

use super::table::{Reach, Setting, TABLE, with_settings};
use super::value::{SettingsError, Value};
use super::words::{Counts, Granularity, Isolation, Memory, Timeouts};
use crate::strategy::Spec;
use crate::wire::Board;

/// The value of a setting that is there for sure, if it has a default.
macro_rules! sure {
    ($type:ty) => { Option<$type> };
    ($type:ty, $default:expr) => { $type };
}

macro_rules! filled {
    ($given:expr, $value:expr) => {
        $value
    };
    ($given:expr, $value:expr, $default:expr) => {
        $value.unwrap_or_else(|| default($given, $default))
    };
}

macro_rules! declare {
    ($($name:ident: $type:ty {
        kind: $kind:ident $({ $($limits:tt)* })? $(($words:expr))?, reach: $reach:ident,
        decides: $decides:literal, heading: $heading:literal, value: $value:literal,
        example: $example:literal, help: $help:literal,
        $(default: $shown:literal, $default:expr,)?
    })*) => {
        /// Settings as far as one source gives them.
        #[derive(Clone, PartialEq, Eq, Debug, Default)]
        pub struct Settings {
            $(#[doc = $help] pub $name: Option<$type>,)*
        }

        /// Settings with every gap filled.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Resolved {
            $(#[doc = $help] pub $name: sure!($type $(, $default)?),)*
        }

        impl Settings {
            $(
                #[doc = concat!("The `", stringify!($name), "` that is given, or the default.")]
                pub fn $name(&self) -> sure!($type $(, $default)?) {
                    filled!(self, self.$name.clone() $(, $default)?)
                }
            )*

            fn assign(&mut self, row: &Setting, text: &str) -> Result<(), String> {
                $(if row.name == stringify!($name) {
                    self.$name = Some(Value::read(text, row.kind)?);
                })*
                Ok(())
            }

            /// The settings that are given, as text.
            pub fn given(&self) -> impl Iterator<Item = (&'static Setting, String)> {
                let texts = [$(self.$name.as_ref().map(Value::write),)*];
                let rows = TABLE.iter().zip(texts);
                rows.filter_map(|(row, text)| Some((row, text?)))
            }

            /// Fills the gaps of `self` from `lower`, which counts less.
            #[must_use]
            pub fn over(self, lower: Settings) -> Settings {
                Settings { $($name: self.$name.or(lower.$name),)* }
            }

            /// Fills what is left with the defaults.
            pub fn resolve(self) -> Resolved {
                Resolved { $($name: self.$name(),)* }
            }
        }

        impl From<Resolved> for Settings {
            fn from(resolved: Resolved) -> Settings {
                Settings { $($name: resolved.$name.into(),)* }
            }
        }
    };
}
with_settings!(declare);

fn default<T>(given: &Settings, default: impl FnOnce(&Settings) -> T) -> T {
    default(given)
}

impl Settings {
    /// The largest step bound: what a [`Board`] can hold.
    pub const MAX_STEPS: u32 = Board::RUNS as u32 - 1;

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

    /// All settings that are given, the tool's own too, as `key=value` lines.
    pub fn lines(&self) -> String {
        let lines = self
            .given()
            .map(|(row, text)| format!("{}={text}\n", row.name));
        lines.collect()
    }

    /// Sets one setting by its name.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingsError> {
        let known = TABLE.iter().find(|row| row.name == key);
        let set = match known {
            // Settings are told and kept as lines.
            Some(_) if value.contains(['\n', '\r']) => {
                Err("a value without line breaks".to_owned())
            }
            Some(row) => self.assign(row, value),
            None => Err("a setting that exists".to_owned()),
        };
        set.map_err(|wants| SettingsError::new(key, value, &wants))
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = self.given().filter(|(row, _)| row.reach != Reach::Tool);
        told.try_for_each(|(row, text)| writeln!(f, "{}={text}", row.name))
    }
}

impl Resolved {
    /// The settings without which the same choices lead elsewhere, as `key=value` lines.
    pub fn deciding(&self) -> String {
        let given = Settings::from(self.clone());
        let deciding = given.given().filter(|(row, _)| row.decides);
        let lines = deciding.map(|(row, text)| format!("{}={text}\n", row.name));
        lines.collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::Strategy;
    use proptest::sample::select;
    use proptest::{prop_assert, prop_assert_eq, proptest};

    use super::super::table::Kind;
    use super::*;
    use crate::fuzz;

    /// Each setting that processes are told, with the value of its example.
    fn full() -> Settings {
        let mut settings = Settings::default();
        for row in TABLE.iter().filter(|row| row.reach != Reach::Tool) {
            let text = row.example.trim_matches('"');
            let text = match row.kind {
                Kind::Time => text.replace('s', "000"),
                Kind::Bytes => text.replace('G', "000000000"),
                _ => text.to_owned(),
            };
            settings.set(row.name, &text).expect("an example");
        }
        settings
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
        assert_eq!((merged.seed, merged.iterations), (Some(1), Some(500)));
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

    #[test]
    fn a_board_holds_the_largest_step_bound() {
        let row = TABLE.iter().find(|row| row.name == "max_steps");
        let most = u64::from(Settings::MAX_STEPS);
        let kind = row.map(|row| row.kind);
        assert_eq!(kind, Some(Kind::Number { least: 1, most }));
    }

    #[test]
    fn words_are_those_of_the_table() {
        let words = |name: &str| {
            let row = TABLE.iter().find(|row| row.name == name);
            match row.map(|row| row.kind) {
                Some(Kind::Words(words)) => words,
                _ => &[],
            }
        };
        assert_eq!(
            words("granularity"),
            Granularity::ALL.map(Granularity::name)
        );
        assert_eq!(words("timeouts"), Timeouts::ALL.map(Timeouts::name));
        assert_eq!(words("counts"), Counts::ALL.map(Counts::name));
        assert_eq!(words("memory"), Memory::ALL.map(Memory::name));
        assert_eq!(words("isolation"), Isolation::ALL.map(Isolation::name));
    }

    /// Defaults that are values, not sentences, are those that count.
    #[test]
    fn defaults_are_those_that_help_names() {
        let none = Settings::default();
        let defaults = Settings::from(none.clone().resolve());
        let mut compared = 0;
        for row in TABLE {
            let shown = match (row.kind, row.default.strip_suffix('s')) {
                (Kind::Time | Kind::TimeOrOff, Some(seconds)) => format!("{seconds}000"),
                _ => row.default.to_owned(),
            };
            let mut named = none.clone();
            if !shown.is_empty() && named.set(row.name, &shown).is_ok() {
                let mut given = defaults.given();
                assert!(
                    given.any(|(of, text)| of.name == row.name && text == shown),
                    "{row:?}"
                );
                compared += 1;
            }
        }
        assert!(compared >= 9, "{compared}");
    }

    #[test]
    fn what_is_the_tools_is_not_told_to_tests() {
        let mut settings = Settings::default();
        settings.set("hang_timeout", "5").expect("a setting");
        settings.set("rewrite", "false").expect("a setting");
        assert_eq!(settings.to_string(), "");
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn values_are_read_back_or_refused_by_their_names(row in select(TABLE), text in values()) {
            let mut settings = Settings::default();
            match settings.set(row.name, &text) {
                Ok(()) => {
                    prop_assert_eq!(Settings::parse(&settings.lines()), Ok(settings.clone()));
                    prop_assert_eq!(Settings::from(settings.clone().resolve()).over(settings.clone()),
                        Settings::from(settings.resolve()));
                }
                Err(error) => prop_assert!(error.to_string().contains(row.name), "{}", error),
            }
        }

        #[test]
        fn lines_in_disorder_are_read_or_refused(text in lines()) {
            if let Ok(settings) = Settings::parse(&text) {
                prop_assert_eq!(Settings::parse(&settings.lines()), Ok(settings));
            }
        }
    }

    fn values() -> impl Strategy<Value = String> {
        let words = TABLE.iter().flat_map(|row| match row.kind {
            Kind::Words(words) => words,
            _ => &[],
        });
        fuzz::texts(
            words
                .copied()
                .chain(["true", "false", "pct:3", "dfs", "@5+", "a"])
                .collect(),
        )
    }

    fn lines() -> impl Strategy<Value = String> {
        let names = TABLE.iter().map(|row| row.name);
        fuzz::texts(
            names
                .chain(["seed=1\n", "atomic=a\n", "=", "=5\n", "=true\n"])
                .collect(),
        )
    }
}
