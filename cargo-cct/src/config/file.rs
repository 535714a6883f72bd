//! `.config/cct.toml`: profiles of settings, with overrides for some tests.
//!
//! Every mistake is told with its line and column.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

use cct::config::{Reach, Settings, TABLE};
use clap::ValueEnum as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::filter::Filter;
use super::profile::{BUILT_IN, Override};
use super::suggest::did_you_mean;
use super::value::assign;
use crate::cli::Annotations;

/// The file, from the workspace's root.
pub(crate) const PATH: &str = ".config/cct.toml";

/// The keys of a profile that are no settings.
pub(super) const OWN_KEYS: [&str; 5] =
    ["inherits", "junit", "annotations", "fail_fast", "overrides"];
/// The key, beside that of profiles, of functions whose races are meant.
pub(super) const BENIGN: &str = "benign_races";
/// The key of an override that is no setting.
pub(super) const FILTER: &str = "filter";

/// The profiles that a workspace has.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConfigFile {
    /// Each by its name.
    pub profiles: BTreeMap<String, Table>,
    /// Functions whose races are meant, by the patterns of their paths.
    pub benign_races: Vec<String>,
}

/// A profile as it is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// The profile that it goes on from.
    pub inherits: Option<String>,
    /// Its settings.
    pub settings: Settings,
    /// Settings for some tests, first ones first.
    pub overrides: Vec<Override>,
    /// Where results are written as JUnit XML, from the workspace's root.
    pub junit: Option<PathBuf>,
    /// For whom failures are annotated.
    pub annotations: Option<Annotations>,
    /// Whether the first failure ends the run.
    pub fail_fast: Option<bool>,
}

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// It cannot be read.
    #[error("cannot read `{0}`")]
    Read(PathBuf, #[source] io::Error),
    /// It is no text.
    #[error("`{path}` is not UTF-8: line {line} has other bytes")]
    NoText {
        /// The file.
        path: PathBuf,
        /// The first line with such bytes.
        line: usize,
    },
    /// Something in it makes no sense.
    #[error("`{path}`, line {line}, column {column}: {message}")]
    Wrong {
        /// The file.
        path: PathBuf,
        /// Where.
        line: usize,
        /// Where in the line.
        column: usize,
        /// The mistake.
        message: String,
    },
}

/// A mistake and its place in the text.
#[derive(Debug)]
struct Mistake(Range<usize>, String);

type Read<T> = Result<T, Mistake>;

impl ConfigFile {
    /// Reads the file of the workspace with this root, if it has one.
    pub(crate) fn read(root: &Path) -> Result<ConfigFile, FileError> {
        let path = root.join(PATH);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(ConfigFile::default());
            }
            // `.config` may be something else.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Ok(ConfigFile::default());
            }
            Err(error) => return Err(FileError::Read(path, error)),
        };
        let line = |at: usize| bytes[..at].split(|byte| *byte == b'\n').count();
        match str::from_utf8(&bytes) {
            Ok(text) => ConfigFile::parse(&path, text),
            Err(error) => Err(FileError::NoText {
                line: line(error.valid_up_to()),
                path,
            }),
        }
    }

    /// Reads the text of a file.
    pub(crate) fn parse(path: &Path, text: &str) -> Result<ConfigFile, FileError> {
        read(text).map_err(|Mistake(place, message)| {
            let at = text.floor_char_boundary(place.start);
            let before = &text[..at];
            let begin = before.rfind('\n').map_or(0, |end| end + 1);
            FileError::Wrong {
                path: path.to_owned(),
                line: 1 + before.matches('\n').count(),
                column: 1 + before[begin..].chars().count(),
                message,
            }
        })
    }
}

fn read(text: &str) -> Read<ConfigFile> {
    let parsed = DeTable::parse(text).map_err(|error| {
        let message = error.message().to_owned();
        Mistake(error.span().unwrap_or(0..0), message)
    })?;
    let mut file = ConfigFile::default();
    for (key, value) in parsed.get_ref() {
        let name = key.get_ref().as_ref();
        if name.replace('-', "_") == BENIGN {
            file.benign_races = benign_races(value)?;
            continue;
        }
        if name != "profile" {
            let is_of_profiles = is_setting(name) || OWN_KEYS.contains(&&*name.replace('-', "_"));
            let advice = if is_of_profiles {
                "; it belongs into a profile, such as `[profile.default]`".to_owned()
            } else {
                did_you_mean(name, ["profile", "benign-races"])
            };
            return Err(Mistake(key.span(), format!("no key `{name}` here{advice}")));
        }
        for (key, value) in table(value, "profile")? {
            let name = key.get_ref().to_string();
            let read = profile(&name, table(value, &name)?)?;
            file.profiles.insert(name, read);
        }
    }
    check_inheritance(&file, parsed.get_ref())?;
    Ok(file)
}

/// Reads functions, each with the reason why its races are meant.
fn benign_races(value: &Spanned<DeValue<'_>>) -> Read<Vec<String>> {
    let wants = "`benign-races` takes tables: `[[benign-races]]`, with a `function` and a `reason`";
    let wrong = |place: &Spanned<DeValue<'_>>| Mistake(place.span(), wants.to_owned());
    let entries = value.get_ref().as_array().ok_or_else(|| wrong(value))?;
    let function = |entry: &Spanned<DeValue<'_>>| {
        let table = entry.get_ref().as_table().ok_or_else(|| wrong(entry))?;
        for key in table.keys() {
            let name = key.get_ref().as_ref();
            if !["function", "reason"].contains(&name) {
                let advice = did_you_mean(name, ["function", "reason"]);
                return Err(Mistake(key.span(), format!("no key `{name}` here{advice}")));
            }
        }
        let text = |name| {
            let text = table.get(name).and_then(text_of);
            text.filter(|text| !text.trim().is_empty())
        };
        let needs = |name: &str| {
            let message = format!("an entry of `benign-races` needs a `{name}`, which is a text");
            Mistake(entry.span(), message)
        };
        text("reason").ok_or_else(|| needs("reason"))?;
        text("function").ok_or_else(|| needs("function"))
    };
    entries.iter().map(function).collect()
}

fn is_setting(key: &str) -> bool {
    let name = key.replace('-', "_");
    TABLE.iter().any(|row| row.name == name)
}

fn profile(name: &str, entries: &DeTable<'_>) -> Read<Table> {
    let mut profile = Table::default();
    for (key, value) in entries {
        let (at, wrong) = (value.span(), |message: &str| {
            Mistake(value.span(), message.to_owned())
        });
        let typed = key.get_ref().as_ref();
        match &*typed.replace('-', "_") {
            "inherits" => {
                let of =
                    text_of(value).ok_or_else(|| wrong("`inherits` takes a profile's name"))?;
                if name == "default" {
                    return Err(wrong("`default` inherits from no other profile"));
                }
                profile.inherits = Some(of);
            }
            "junit" => {
                let path = text_of(value).filter(|path| !path.is_empty());
                let path = path.ok_or_else(|| wrong("`junit` takes a path"))?;
                profile.junit = Some(path.into());
            }
            "annotations" => {
                let word = text_of(value);
                let word = word.and_then(|word| Annotations::from_str(&word, false).ok());
                let wants = "`annotations` takes `auto`, `github` or `none`";
                profile.annotations = Some(word.ok_or_else(|| wrong(wants))?);
            }
            "fail_fast" => {
                let flag = value.get_ref().as_bool();
                let wants = "`fail_fast` takes `true` or `false`";
                profile.fail_fast = Some(flag.ok_or_else(|| wrong(wants))?);
            }
            "overrides" => {
                let wants = "`overrides` takes tables: `[[profile.…overrides]]`";
                let entries = value.get_ref().as_array().ok_or_else(|| wrong(wants))?;
                for entry in entries {
                    profile.overrides.push(overriding(entry)?);
                }
            }
            _ if !is_setting(typed) => {
                let rows = TABLE.iter().map(|row| row.name);
                let advice = did_you_mean(typed, rows.chain(OWN_KEYS));
                return Err(Mistake(key.span(), format!("no setting `{typed}`{advice}")));
            }
            _ => set(&mut profile.settings, typed, value).map_err(|text| Mistake(at, text))?,
        }
    }
    Ok(profile)
}

fn overriding(entry: &Spanned<DeValue<'_>>) -> Read<Override> {
    let mut settings = Settings::default();
    let mut filter = None;
    for (key, value) in table(entry, "overrides")? {
        let typed = key.get_ref().as_ref();
        if typed == FILTER {
            let text = text_of(value);
            let text = text.ok_or_else(|| {
                Mistake(
                    value.span(),
                    "`filter` takes a filter expression".to_owned(),
                )
            })?;
            let read = Filter::parse(&text);
            let read = read.map_err(|error| Mistake(value.span(), format!("`filter`: {error}")))?;
            filter = Some((read, text));
            continue;
        }
        if !is_setting(typed) {
            let rows = TABLE.iter().filter(|row| is_for_one(row.name, row.reach));
            let advice = did_you_mean(typed, rows.map(|row| row.name).chain([FILTER]));
            return Err(Mistake(key.span(), format!("no setting `{typed}`{advice}")));
        }
        let name = typed.replace('-', "_");
        let row = TABLE.iter().find(|row| row.name == name);
        if row.is_some_and(|row| !is_for_one(row.name, row.reach)) {
            let message = format!("`{typed}` is for all tests or none: it cannot be overridden");
            return Err(Mistake(key.span(), message));
        }
        set(&mut settings, typed, value).map_err(|text| Mistake(value.span(), text))?;
    }
    let missing = "an override needs a `filter`, such as `filter = \"test(slow)\"`";
    let (filter, expression) = filter.ok_or_else(|| Mistake(entry.span(), missing.to_owned()))?;
    Ok(Override {
        filter,
        expression,
        settings,
    })
}

/// True for settings that may differ from test to test of one run.
pub(super) fn is_for_one(name: &str, reach: Reach) -> bool {
    reach == Reach::Test || ["shrink", "hang_timeout", "max_memory"].contains(&name)
}

fn set(settings: &mut Settings, key: &str, value: &Spanned<DeValue<'_>>) -> Result<(), String> {
    let text = plain(value.get_ref()).ok_or_else(|| {
        let kind = value.get_ref().type_str();
        format!("`{key}` takes a plain value, and this is of type {kind}")
    })?;
    assign(settings, key, &text)
}

fn plain(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Integer(number) => {
            let number = u64::from_str_radix(number.as_str(), number.radix()).ok()?;
            Some(number.to_string())
        }
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(flag) => Some(flag.to_string()),
        DeValue::Array(values) => {
            let texts = values.iter().map(|value| plain(value.get_ref()));
            Some(texts.collect::<Option<Vec<_>>>()?.join(","))
        }
        DeValue::Datetime(_) | DeValue::Table(_) => None,
    }
}

fn text_of(value: &Spanned<DeValue<'_>>) -> Option<String> {
    value.get_ref().as_str().map(str::to_owned)
}

fn table<'a, 'b>(value: &'a Spanned<DeValue<'b>>, name: &str) -> Read<&'a DeTable<'b>> {
    let table = value.get_ref().as_table();
    table.ok_or_else(|| Mistake(value.span(), format!("`{name}` is no table")))
}

/// Each profile inherits from one that exists, and in the end from none.
fn check_inheritance(file: &ConfigFile, parsed: &DeTable<'_>) -> Read<()> {
    let place = |name: &str| {
        let profiles = parsed.get("profile").and_then(|it| it.get_ref().as_table());
        let profile = profiles.and_then(|it| it.get(name)?.get_ref().as_table());
        let value = profile.and_then(|it| it.get("inherits"));
        value.map_or(0..0, Spanned::span)
    };
    for name in file.profiles.keys() {
        let mut seen = vec![name.as_str()];
        let mut last = name.as_str();
        while let Some(next) = file
            .profiles
            .get(last)
            .and_then(|it| it.inherits.as_deref())
        {
            let known = || file.profiles.keys().map(String::as_str).chain(BUILT_IN);
            if !known().any(|known| known == next) {
                let advice = did_you_mean(next, known());
                let message = format!("no profile `{next}`{advice}");
                return Err(Mistake(place(last), message));
            }
            if seen.contains(&next) {
                seen.push(next);
                let message = format!("profiles inherit in a circle: {}", seen.join(" from "));
                return Err(Mistake(place(last), message));
            }
            seen.push(next);
            last = next;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::fuzz;

    fn error(text: &str) -> String {
        let read = ConfigFile::parse(Path::new("f"), text);
        read.expect_err(text).to_string()
    }

    #[test]
    fn profiles_are_read() {
        let text = r#"
            [profile.default]
            iterations = 5_000
            seed = 0x10
            hang-timeout = "3s"
            atomic = ["a", "b"]

            [[profile.default.overrides]]
            filter = 'test(/^slow/)'
            iterations = 10
            shrink = "off"

            [profile.nightly]
            inherits = "ci"
            time = "30s"
            junit = "out/junit.xml"
            annotations = "none"
            fail-fast = true
        "#;
        let file = ConfigFile::parse(Path::new("f"), text).expect("well-formed");
        let default = &file.profiles["default"];
        assert_eq!(default.settings.iterations, Some(5000));
        assert_eq!(default.settings.seed, Some(16));
        assert_eq!(
            default.settings.atomic.as_deref(),
            Some(&["a".to_owned(), "b".to_owned()][..])
        );
        assert_eq!(default.overrides[0].settings.iterations, Some(10));
        let nightly = &file.profiles["nightly"];
        assert_eq!(nightly.junit.as_deref(), Some(Path::new("out/junit.xml")));
        assert_eq!(nightly.annotations, Some(Annotations::None));
        assert_eq!(
            (nightly.fail_fast, nightly.inherits.as_deref()),
            (Some(true), Some("ci"))
        );
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        for (text, expected) in [
            (
                "iterations = 5",
                "`f`, line 1, column 1: no key `iterations` here; it belongs into a profile",
            ),
            (
                "[profiles.ci]",
                "`f`, line 1, column 2: no key `profiles` here; did you mean `profile`?",
            ),
            (
                "profile = 3",
                "`f`, line 1, column 11: `profile` is no table",
            ),
            (
                "[profile]\nci = 3",
                "`f`, line 2, column 6: `ci` is no table",
            ),
            (
                "[profile.ci]\nitertions = 5",
                "`f`, line 2, column 1: no setting `itertions`; did you mean `iterations`?",
            ),
            (
                "[profile.ci]\niterations = 0",
                "`f`, line 2, column 14: setting `iterations` is `0`, expected",
            ),
            (
                "[profile.ci]\ntime = 'soon'",
                "`f`, line 2, column 8: `time`: `soon` is no length of time",
            ),
            (
                "[profile.ci]\ntime = { a = 1 }",
                "`f`, line 2, column 8: `time` takes a plain value",
            ),
            (
                "[profile.ci]\nfail-fast = 1",
                "`f`, line 2, column 13: `fail_fast` takes",
            ),
            (
                "[profile.ci]\njunit = 1",
                "`f`, line 2, column 9: `junit` takes a path",
            ),
            (
                "[profile.ci]\nannotations = 'a'",
                "`f`, line 2, column 15: `annotations` takes",
            ),
            (
                "[profile.ci]\ninherits = 'c'",
                "`f`, line 2, column 12: no profile `c`; did you mean `ci`?",
            ),
            (
                "[profile.default]\ninherits = 'ci'",
                "`f`, line 2, column 12: `default` inherits from no",
            ),
            (
                "[profile.a]\ninherits = 'b'\n[profile.b]\ninherits = 'a'",
                "`f`, line 4, column 12: profiles inherit in a circle: a from b from a",
            ),
            (
                "[profile.a]\noverrides = 1",
                "`f`, line 2, column 13: `overrides` takes tables",
            ),
            (
                "[[profile.a.overrides]]\ntime = 1",
                "`f`, line 1, column 1: an override needs a `filter`",
            ),
            (
                "[[profile.a.overrides]]\nfilter = 'all('",
                "`f`, line 2, column 10: `filter`: expected `)`\n    all(\n        ^",
            ),
            (
                "[[profile.a.overrides]]\nfilter = 'all()'\nrewrite = false",
                "`f`, line 3, column 1: `rewrite` is for all tests or none",
            ),
            ("[profile.ci\n", "`f`, line 1, column 12: "),
        ] {
            let told = error(text);
            assert!(told.starts_with(expected), "{text}\n{told}");
        }
    }

    #[test]
    fn files_that_are_no_text_are_refused() {
        let root = std::env::temp_dir().join(format!("cct-config-{}", std::process::id()));
        let folder = root.join(".config");
        fs::create_dir_all(&folder).expect("a folder");
        assert!(
            ConfigFile::read(&root)
                .expect("there is none")
                .profiles
                .is_empty()
        );
        fs::write(root.join(PATH), b"[profile.ci]\n\xff").expect("a file");
        let error = ConfigFile::read(&root).expect_err("no text");
        assert!(
            error
                .to_string()
                .ends_with("is not UTF-8: line 2 has other bytes"),
            "{error}"
        );
        fs::remove_file(root.join(PATH)).expect("removable");
        fs::create_dir(root.join(PATH)).expect("a folder");
        let error = ConfigFile::read(&root).expect_err("no file");
        assert!(error.to_string().starts_with("cannot read `"), "{error}");
        fs::remove_dir_all(&root).expect("removable");
    }

    const WHOLE: &str = r#"
[profile.default]
iterations = 5_000
seed = 0x10
hang-timeout = "3s"
atomic = ["a", "b"]
strategy = "pct:3,random"
max-memory = "2G"

[[profile.default.overrides]]
filter = 'test(/^slow/) and not (package(b) or kind(lib))'
shrink = "off"

[profile.nightly]
inherits = "ci"
junit = "out/junit.xml"
annotations = "none"
fail-fast = true

[[benign-races]]
function = "a::*"
reason = "meant"
"#;

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn a_file_in_disorder_is_read_or_refused_at_a_place(text in fuzz::damaged(WHOLE, vec![
            "=", "= ", "[profile.a]\n", "inherits = ", "\"a\"", "'''", "\n", "{", "}", ",", "0x", "nan",
            "1979-05-27", "true", "test(", ")", "not ", "/(/",
        ])) {
            match ConfigFile::parse(Path::new("f"), &text) {
                Ok(file) => for profile in file.profiles.values() {
                    let lines = profile.settings.lines();
                    prop_assert_eq!(Settings::parse(&lines), Ok(profile.settings.clone()));
                },
                Err(FileError::Wrong { line, column, message, .. }) => {
                    let there = text.split('\n').nth(line - 1).map(|line| line.chars().count());
                    prop_assert!(there.is_some_and(|width| column <= width + 1), "{line}:{column}");
                    prop_assert!(!message.is_empty());
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}
