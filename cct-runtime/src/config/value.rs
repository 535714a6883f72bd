//! Values of settings as text, and what is wrong with them.
//!
//! The text is that of manifests and of the wire, but for lengths of time, which are in milliseconds here.

use std::fmt;
use std::time::Duration;

use super::table::Kind;
use super::words::{Counts, Granularity, Isolation, Memory, Timeouts};
use crate::strategy::Spec;

/// The value of a setting.
pub(super) trait Value: Sized {
    /// Reads what [`Value::write`] wrote; says what the kind takes if it is something else.
    fn read(text: &str, kind: Kind) -> Result<Self, String>;

    /// The value as text.
    fn write(&self) -> String;
}

/// A text was given that is no value of this kind; the answer says what is.
fn wants(kind: Kind) -> String {
    match kind {
        Kind::Number { least: 0, most } if most == u64::MAX => "a number below 2^64".to_owned(),
        Kind::Number { least: 0, most } if most == u32::MAX.into() => {
            "a number below 2^32".to_owned()
        }
        Kind::Number { least, most } if most >= u32::MAX.into() => format!("a number from {least}"),
        Kind::Number { least, most } => format!("a number from {least} to {most}"),
        Kind::Time | Kind::TimeOrOff => "a number of milliseconds".to_owned(),
        Kind::Bytes => "a number of bytes".to_owned(),
        Kind::Flag => "`true` or `false`".to_owned(),
        Kind::Words(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            let (last, others) = words.split_last().expect("words");
            format!("{} or {last}", others.join(", "))
        }
        Kind::Names => "names".to_owned(),
        Kind::Strategy => Spec::GRAMMAR.to_owned(),
        Kind::File => "a path".to_owned(),
    }
}

fn number(text: &str, kind: Kind) -> Result<u64, String> {
    let in_range = |number: &u64| match kind {
        Kind::Number { least, most } => (least..=most).contains(number),
        _ => true,
    };
    let number = text.parse().ok().filter(in_range);
    number.ok_or_else(|| wants(kind))
}

impl Value for u64 {
    fn read(text: &str, kind: Kind) -> Result<u64, String> {
        number(text, kind)
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for u32 {
    fn read(text: &str, kind: Kind) -> Result<u32, String> {
        number(text, kind)?.try_into().map_err(|_| wants(kind))
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for Duration {
    fn read(text: &str, kind: Kind) -> Result<Duration, String> {
        number(text, kind).map(Duration::from_millis)
    }

    fn write(&self) -> String {
        self.as_millis().to_string()
    }
}

impl Value for bool {
    fn read(text: &str, kind: Kind) -> Result<bool, String> {
        text.parse().map_err(|_| wants(kind))
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for Spec {
    fn read(text: &str, _: Kind) -> Result<Spec, String> {
        Spec::parse(text).map_err(|error| error.wants())
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Value for Vec<String> {
    fn read(text: &str, _: Kind) -> Result<Vec<String>, String> {
        Ok(text.split(',').map(str::to_owned).collect())
    }

    fn write(&self) -> String {
        self.join(",")
    }
}

impl Value for String {
    fn read(text: &str, kind: Kind) -> Result<String, String> {
        let text = Some(text).filter(|text| !text.is_empty());
        text.map(str::to_owned).ok_or_else(|| wants(kind))
    }

    fn write(&self) -> String {
        self.clone()
    }
}

/// Makes values of settings that are one of a few words.
macro_rules! words {
    ($($words:ident),*) => {
        $(impl Value for $words {
            fn read(text: &str, kind: Kind) -> Result<$words, String> {
                let named = $words::ALL.into_iter().find(|known| known.name() == text);
                named.ok_or_else(|| wants(kind))
            }

            fn write(&self) -> String {
                self.name().to_owned()
            }
        })*
    };
}
words!(Granularity, Timeouts, Counts, Memory, Isolation);

/// A setting that does not exist, or a value that it does not take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingsError {
    key: String,
    value: String,
    wants: String,
}

impl SettingsError {
    pub(super) fn new(key: &str, value: &str, wants: &str) -> Self {
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
