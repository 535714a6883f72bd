//! The profile of a run: what the file says under its name, and under those that it inherits from.

use std::path::PathBuf;

use cct::config::Settings;

use super::file::ConfigFile;
use super::filter::{Filter, Subject};
use super::suggest::did_you_mean;
use crate::cli::Annotations;

/// The profiles that are there without a file.
pub(crate) const BUILT_IN: [&str; 2] = ["default", "ci"];
/// Where the profile `ci` writes its results, from `<target>/cct`.
const JUNIT: &str = "junit.xml";

/// Settings for some tests.
#[derive(Clone, Debug)]
pub(crate) struct Override {
    /// For which.
    pub filter: Filter,
    /// The filter as it is written.
    pub expression: String,
    /// The settings.
    pub settings: Settings,
}

/// A profile with all that it inherits.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    /// Its name.
    pub name: String,
    /// Settings for all tests.
    pub settings: Settings,
    /// Settings for some, which count more; first ones most.
    pub overrides: Vec<Override>,
    /// Where results are written as JUnit XML.
    pub junit: Option<Place>,
    /// For whom failures are annotated.
    pub annotations: Annotations,
    /// Whether the first failure ends the run.
    pub fail_fast: bool,
}

/// Where a file is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// From the workspace's root.
    Root(PathBuf),
    /// From `<target>/cct`.
    Target(PathBuf),
}

/// A profile that nobody has written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no profile `{name}` in `{}`{advice}", super::file::PATH)]
pub(crate) struct NoProfile {
    name: String,
    advice: String,
}

impl Profile {
    /// Collects a profile's settings.
    pub(crate) fn of(file: &ConfigFile, name: &str) -> Result<Profile, NoProfile> {
        if !file.has(name) {
            let known = file.profiles.keys().map(String::as_str).chain(BUILT_IN);
            return Err(NoProfile {
                name: name.to_owned(),
                advice: did_you_mean(name, known),
            });
        }
        let mut profile = Profile {
            name: name.to_owned(),
            settings: Settings::default(),
            overrides: Vec::new(),
            junit: None,
            annotations: Annotations::Auto,
            fail_fast: false,
        };
        let (mut annotations, mut fail_fast) = (None, None);
        let mut next = Some(name);
        while let Some(name) = next {
            let table = file.profiles.get(name);
            if let Some(table) = table {
                profile.settings = profile.settings.over(table.settings.clone());
                profile.overrides.extend(table.overrides.iter().cloned());
                let junit = table.junit.clone().map(Place::Root);
                profile.junit = profile.junit.or(junit);
                annotations = annotations.or(table.annotations);
                fail_fast = fail_fast.or(table.fail_fast);
            }
            if name == "ci" {
                let junit = Place::Target(JUNIT.into());
                profile.junit = profile.junit.or(Some(junit));
            }
            let inherited = table.and_then(|table| table.inherits.as_deref());
            next = inherited.or((name != "default").then_some("default"));
        }
        if !file.benign_races.is_empty() {
            let named = profile.settings.benign_races.get_or_insert_default();
            named.extend(file.benign_races.iter().cloned());
        }
        profile.annotations = annotations.unwrap_or_default();
        profile.fail_fast = fail_fast.unwrap_or_default();
        Ok(profile)
    }

    /// The settings that count for one test beside those for all.
    pub(crate) fn overrides_of(overrides: &[Override], subject: &Subject<'_>) -> Settings {
        let fitting = overrides.iter().filter(|it| it.filter.fits(subject));
        fitting.fold(Settings::default(), |settings, it| {
            settings.over(it.settings.clone())
        })
    }
}

impl ConfigFile {
    /// Tells whether there is such a profile.
    pub(crate) fn has(&self, name: &str) -> bool {
        BUILT_IN.contains(&name) || self.profiles.contains_key(name)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn profile(text: &str, name: &str) -> Profile {
        let file = ConfigFile::parse(Path::new("f"), text).expect("well-formed");
        Profile::of(&file, name).expect("it is there")
    }

    #[test]
    fn profiles_are_there_without_a_file() {
        assert_eq!(profile("", "default").junit, None);
        let target = Place::Target("junit.xml".into());
        assert_eq!(profile("", "ci").junit, Some(target));
        let error = Profile::of(&ConfigFile::default(), "cl").expect_err("no such profile");
        let expected = "no profile `cl` in `.config/cct.toml`; did you mean `ci`?";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn what_inherits_counts_more() {
        let text = "
            [profile.default]
            iterations = 1
            max_steps = 11
            watch = 21
            [[profile.default.overrides]]
            filter = 'test(a)'
            iterations = 100
            max_steps = 110
            [profile.ci]
            iterations = 2
            fail_fast = true
            [profile.long]
            inherits = 'ci'
            max_steps = 13
            [[profile.long.overrides]]
            filter = 'test(ab)'
            iterations = 300
        ";
        let long = profile(text, "long");
        let of = |settings: &Settings| (settings.iterations, settings.max_steps, settings.watch);
        assert_eq!(of(&long.settings), (Some(2), Some(13), Some(21)));
        assert!(long.fail_fast && long.junit.is_some());
        let subject = |test| Subject {
            package: "p",
            binary: "p",
            binary_id: "p",
            kind: "lib",
            test,
        };
        let overrides = |test| of(&Profile::overrides_of(&long.overrides, &subject(test)));
        assert_eq!(overrides("abc"), (Some(300), Some(110), None));
        assert_eq!(overrides("ac"), (Some(100), Some(110), None));
        assert_eq!(overrides("c"), (None, None, None));
    }
}
