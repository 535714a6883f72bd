//! The options of std's test harness, after `--`.

/// The arguments for the harness.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct HarnessArgs {
    /// Names: a test that matches any of them runs; all run when there is none.
    pub filters: Vec<String>,
    /// Names of tests to leave out.
    pub skips: Vec<String>,
    /// Names must be equal, not contained.
    pub exact: bool,
    /// Which tests run, by whether they are `#[ignore]`d.
    pub ignored: Ignored,
    /// How many tests run at a time.
    pub threads: Option<usize>,
    /// Shows what each test printed in its last schedule.
    pub show_output: bool,
    /// Only lists the tests.
    pub list: bool,
    /// Everything as it was typed, for executables that are not under control.
    pub words: Vec<String>,
}

/// Which tests run, by whether they are `#[ignore]`d.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Ignored {
    /// Only tests that are not ignored.
    #[default]
    Skip,
    /// Only ignored tests.
    Only,
    /// All.
    Include,
}

/// An option that the harness does not know, or one without its value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum HarnessArgsError {
    /// Not an option of the harness.
    #[error("`{0}` after `--` is not an option of the test harness that `cargo cct test` knows")]
    Unknown(String),
    /// The value is missing or is no number.
    #[error("`{0}` after `--` needs a value")]
    Value(String),
}

impl HarnessArgs {
    /// Reads what was typed: the name before `--`, and all that is after it.
    pub(crate) fn parse(
        filter: Option<&str>,
        rest: &[String],
    ) -> Result<HarnessArgs, HarnessArgsError> {
        let mut args = HarnessArgs {
            filters: filter.map(str::to_owned).into_iter().collect(),
            words: filter
                .into_iter()
                .map(str::to_owned)
                .chain(rest.iter().cloned())
                .collect(),
            ..HarnessArgs::default()
        };
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            let (name, inline) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
                _ => (word.as_str(), None),
            };
            let mut value = || {
                let next = inline.clone().or_else(|| words.next().cloned());
                next.ok_or_else(|| HarnessArgsError::Value(name.to_owned()))
            };
            match name {
                "--exact" => args.exact = true,
                "--skip" => args.skips.push(value()?),
                "--ignored" => args.ignored = Ignored::Only,
                "--include-ignored" => args.ignored = Ignored::Include,
                "--test-threads" => {
                    let threads = value()?.parse().ok().filter(|&n| n > 0);
                    args.threads =
                        Some(threads.ok_or_else(|| HarnessArgsError::Value(name.to_owned()))?);
                }
                "--nocapture" | "--no-capture" | "--show-output" => args.show_output = true,
                "--list" => args.list = true,
                // Matters of style and of nightly, with no meaning here.
                "--test" | "-q" | "--quiet" | "--report-time" | "--ensure-time" | "--shuffle" => {}
                "--color" | "--format" | "--logfile" | "-Z" | "--shuffle-seed" => drop(value()?),
                _ if name.starts_with('-') => return Err(HarnessArgsError::Unknown(word.clone())),
                _ => args.filters.push(word.clone()),
            }
        }
        Ok(args)
    }

    /// Tells whether a test runs.
    pub(crate) fn selects(&self, name: &str, is_ignored: bool) -> bool {
        let matches = |pattern: &String| {
            if self.exact {
                name == pattern
            } else {
                name.contains(pattern.as_str())
            }
        };
        let by_kind = match self.ignored {
            Ignored::Skip => !is_ignored,
            Ignored::Only => is_ignored,
            Ignored::Include => true,
        };
        by_kind
            && (self.filters.is_empty() || self.filters.iter().any(matches))
            && !self.skips.iter().any(matches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<HarnessArgs, HarnessArgsError> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        HarnessArgs::parse(None, &words)
    }

    #[test]
    fn any_filter_selects_and_any_skip_rejects() {
        let args = parse("add take --skip slow").expect("well-formed");
        assert!(args.selects("account::adds", false));
        assert!(args.selects("takes", false));
        assert!(!args.selects("adds_slowly", false) && !args.selects("other", false));
    }

    #[test]
    fn exact_names_are_not_contained_ones() {
        let args = parse("--exact a::b --skip=c").expect("well-formed");
        assert!(args.selects("a::b", false) && !args.selects("a::bc", false));
    }

    #[test]
    fn ignored_tests_run_when_asked_for() {
        assert!(!parse("").expect("empty").selects("a", true));
        assert!(parse("--ignored").expect("well-formed").selects("a", true));
        assert!(!parse("--ignored").expect("well-formed").selects("a", false));
        assert!(
            parse("--include-ignored")
                .expect("well-formed")
                .selects("a", true)
        );
    }

    #[test]
    fn what_the_harness_does_not_know_is_refused() {
        assert_eq!(
            parse("--nope"),
            Err(HarnessArgsError::Unknown("--nope".to_owned()))
        );
        assert_eq!(
            parse("--skip"),
            Err(HarnessArgsError::Value("--skip".to_owned()))
        );
        assert_eq!(
            parse("--test-threads=0"),
            Err(HarnessArgsError::Value("--test-threads".to_owned()))
        );
    }
}
