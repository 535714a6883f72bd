//! The news for build servers, beside those for people and programs.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Where results go beside standard output.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct ServerArgs {
    /// The profile in `.config/cct.toml` whose settings count [default: default].
    #[arg(
        short = 'P',
        long,
        env = "CCT_PROFILE",
        value_name = "NAME",
        help_heading = "Exploration"
    )]
    pub cct_profile: Option<String>,
    /// Also writes the results as JUnit XML.
    #[arg(
        long,
        env = "CCT_JUNIT",
        value_name = "PATH",
        conflicts_with = "compare_strategies"
    )]
    pub junit: Option<PathBuf>,
    /// Whether a build server is told of failures in its own words; docs/ci.md [default: auto].
    #[arg(long, value_enum, env = "CCT_ANNOTATIONS", value_name = "FOR")]
    pub annotations: Option<Annotations>,
}

/// For whom failures are annotated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Annotations {
    /// For GitHub, if this runs there.
    #[default]
    Auto,
    /// For GitHub.
    Github,
    /// For nobody.
    None,
}

impl Annotations {
    /// Tells whether GitHub hears of failures; `var` reads the environment.
    pub(crate) fn is_for_github(self, var: impl Fn(&str) -> Option<String>) -> bool {
        match self {
            Annotations::Github => true,
            Annotations::None => false,
            Annotations::Auto => {
                var("GITHUB_ACTIONS").is_some_and(|value| !value.is_empty() && value != "false")
            }
        }
    }
}
