//! What was typed, for each verb.

use std::time::Duration;

use cct::config::{Granularity, Settings, Timeouts};
use cct::strategy::{InvalidSpec, Kind, Spec};
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, Parser, Subcommand, ValueEnum};

use super::cargo_args::CargoArgs;
use super::duration;

/// Runs the tests of a workspace under many interleavings, and replays what fails.
#[derive(Debug, Parser)]
#[command(
    name = "cargo-cct",
    bin_name = "cargo cct",
    version,
    max_term_width = 100
)]
pub(crate) struct Cli {
    /// The verb.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Builds the tests and runs each under many interleavings.
    Test(Box<TestArgs>),
    /// Repeats a failure exactly.
    Replay(ReplayArgs),
    /// Lists the failures that were found.
    List(ListArgs),
    /// Prints a failure's report again.
    Show(ShowArgs),
    /// Shows what the source layer changes, as a diff.
    Expand(ExpandArgs),
    /// Removes what was built and found.
    Clean(CleanArgs),
}

/// How results are shown.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Output {
    /// Prints JSON on standard output: one object a line, each with its version.
    #[arg(long)]
    pub json: bool,
    /// When to use colours.
    #[arg(
        long,
        value_enum,
        env = "CARGO_TERM_COLOR",
        default_value_t,
        value_name = "WHEN"
    )]
    pub color: ColorChoice,
    /// Says more; `-vv` also makes cargo say more.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Says less while building.
    #[arg(short, long)]
    pub quiet: bool,
}

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorChoice {
    /// The word that cargo takes for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            ColorChoice::Auto => "auto",
            ColorChoice::Always => "always",
            ColorChoice::Never => "never",
        }
    }
}

/// `cargo cct test`.
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// What cargo is told.
    #[command(flatten)]
    pub cargo: CargoArgs,
    /// What is rewritten.
    #[command(flatten)]
    pub source: SourceArgs,
    /// How tests are explored.
    #[command(flatten)]
    pub explore: ExploreArgs,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
    /// Only builds.
    #[arg(long)]
    pub no_run: bool,
    /// Runs all tests even when some fail; this is what happens anyway.
    #[arg(long, overrides_with = "fail_fast")]
    pub no_fail_fast: bool,
    /// Starts no further test once one has failed.
    #[arg(long)]
    pub fail_fast: bool,
    /// Only runs tests whose name contains this.
    #[arg(value_name = "TESTNAME")]
    pub filter: Option<String>,
    /// More names, and the options `--exact`, `--skip`, `--ignored`, `--include-ignored`, ….
    #[arg(last = true, value_name = "ARGS")]
    pub rest: Vec<String>,
}

/// What the source layer does.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Source layer")]
pub(crate) struct SourceArgs {
    /// Whether the workspace's source is rewritten [default: true].
    #[arg(long, env = "CCT_REWRITE", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true", value_name = "BOOL")]
    pub rewrite: Option<bool>,
}

/// How tests are explored. Each option has an environment variable, and all but `--hang-timeout` and
/// `--resume` a place in `#[cct::test(…)]`.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Exploration")]
pub(crate) struct ExploreArgs {
    /// The most schedules to explore for each test [default: 1000, or as many as fit into `--time`].
    #[arg(long, env = "CCT_ITERATIONS", value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub iterations: Option<u64>,
    /// The most time to spend on each test, such as `500ms`, `5s`, `2m`.
    #[arg(long, env = "CCT_TIME", value_name = "TIME", value_parser = duration::parse)]
    pub time: Option<Duration>,
    /// Where a schedule is cut off [default: 20000].
    #[arg(long, env = "CCT_MAX_STEPS", value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(Settings::MAX_STEPS)))]
    pub max_steps: Option<u32>,
    /// Who picks.
    #[arg(long, env = "CCT_STRATEGY", value_name = "SPEC", value_parser = Picker::parse)]
    #[arg(help = format!("Who picks: {}", Spec::GRAMMAR), long_help = strategies())]
    pub strategy: Option<Picker>,
    /// Runs each test under each strategy, or those that `--strategy` lists, and compares them.
    #[arg(long)]
    pub compare_strategies: bool,
    /// What all choices follow from; each test's own seed follows from this one and its name.
    #[arg(long, env = "CCT_SEED", value_name = "N")]
    pub seed: Option<u64>,
    /// Which operations are steps: all, none of dependencies, or both by turns [default: mix].
    #[arg(long, env = "CCT_GRANULARITY", value_name = "WHICH")]
    #[arg(value_parser = granularity())]
    pub granularity: Option<Granularity>,
    /// Whether a wait may time out although others can run: never, always, or in some schedules if the
    /// time-out is near [default: auto].
    #[arg(long, env = "CCT_TIMEOUTS", value_name = "WHICH")]
    #[arg(value_parser = timeouts())]
    pub timeouts: Option<Timeouts>,
    /// Explores these crates step by step, whatever the granularity, and rewrites their source.
    #[arg(
        long,
        env = "CCT_INTERLEAVE",
        value_name = "CRATE",
        value_delimiter = ','
    )]
    pub interleave: Option<Vec<String>>,
    /// Takes a call into these crates for one step, as long as it does not wait.
    #[arg(long, env = "CCT_ATOMIC", value_name = "CRATE", value_delimiter = ',')]
    pub atomic: Option<Vec<String>>,
    /// How long detached threads may run on after a test's body returned [default: 3000].
    #[arg(long, env = "CCT_DETACHED_STEPS", value_name = "N")]
    pub detached_steps: Option<u32>,
    /// For how many fair steps something may be overdue [default: a quarter of the step bound].
    #[arg(long, env = "CCT_TEMPERATURE", value_name = "N")]
    pub temperature: Option<u32>,
    /// Counts a panic that no `join` noticed as a failure.
    #[arg(long, env = "CCT_FAIL_ON_UNOBSERVED_PANIC", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true", value_name = "BOOL")]
    pub fail_on_unobserved_panic: Option<bool>,
    /// After the first 64 schedules, watches one in so many to count behaviours; 1 watches all [default:
    /// 17].
    #[arg(long, env = "CCT_WATCH", value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub watch: Option<u32>,
    /// Looks this often before a decision whether the outside has answered [default: 10].
    #[arg(long, env = "CCT_UNCONTROLLED_ATTEMPTS", value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub uncontrolled_attempts: Option<u32>,
    /// Spins for so many rounds between two of these looks [default: 1000].
    #[arg(long, env = "CCT_UNCONTROLLED_DELAY", value_name = "N")]
    pub uncontrolled_delay: Option<u32>,
    /// How long to wait for other processes when no thread can run [default: 10s].
    #[arg(long, env = "CCT_UNCONTROLLED_TIMEOUT", value_name = "TIME")]
    #[arg(value_parser = duration::parse)]
    pub uncontrolled_timeout: Option<Duration>,
    /// Goes on with the search that this file is of, or begins it; the file is kept up to date. For one
    /// test, and one strategy that enumerates.
    #[arg(long, env = "CCT_RESUME", value_name = "FILE", value_parser = absolute)]
    pub resume: Option<String>,
    /// How long a test may be silent before it counts as hanging [default: 10s].
    #[arg(long, env = "CCT_HANG_TIMEOUT", value_name = "TIME", value_parser = duration::parse)]
    pub hang_timeout: Option<Duration>,
}

/// Who picks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Picker {
    /// A strategy, or several.
    Strategy(Spec),
    /// Whoever is at the terminal.
    Person,
}

impl Picker {
    fn parse(text: &str) -> Result<Picker, InvalidSpec> {
        match text {
            "interactive" => Ok(Picker::Person),
            _ => Spec::parse(text).map(Picker::Strategy),
        }
    }
}

/// A test process runs in another folder.
fn absolute(path: &str) -> Result<String, String> {
    let absolute = std::path::absolute(path).map_err(|error| error.to_string())?;
    let text = absolute.into_os_string().into_string();
    text.map_err(|_| "the current folder's path is not in Unicode".to_owned())
}

/// The strategies, one a line.
fn strategies() -> String {
    let portfolio = format!("several that suit most tests: {}", Spec::DEFAULT);
    let kinds = Kind::ALL.iter().map(|kind| (kind.form(), kind.about()));
    let lines = [("`portfolio`", &*portfolio)].into_iter().chain(kinds);
    let lines = lines.chain([
        ("`A@N+B`", "A up to step N of each schedule, then B"),
        (
            "`interactive`",
            "You, with one test: see docs/interactive.md",
        ),
    ]);
    let lines: Vec<_> = lines
        .map(|(form, about)| format!("  {form:<16} {about}"))
        .collect();
    format!(
        "Who picks, or several with commas between, which take turns; docs/strategies.md says \
         when to use which:\n{}",
        lines.join("\n")
    )
}

impl ExploreArgs {
    /// The settings that count more than a test's attribute.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            iterations: self.iterations,
            time: self.time,
            max_steps: self.max_steps,
            strategy: match &self.strategy {
                Some(Picker::Strategy(spec)) => Some(spec.clone()),
                Some(Picker::Person) | None => None,
            },
            seed: self.seed,
            detached_steps: self.detached_steps,
            temperature: self.temperature,
            fail_on_unobserved_panic: self.fail_on_unobserved_panic,
            resume: self.resume.clone(),
            granularity: self.granularity,
            timeouts: self.timeouts,
            interleave: self.interleave.clone(),
            atomic: self.atomic.clone(),
            watch: self.watch,
            uncontrolled_attempts: self.uncontrolled_attempts,
            uncontrolled_delay: self.uncontrolled_delay,
            uncontrolled_timeout: self.uncontrolled_timeout,
        }
    }
}

fn granularity() -> impl clap::builder::TypedValueParser<Value = Granularity> {
    let names = Granularity::ALL.map(Granularity::name);
    PossibleValuesParser::new(names).map(|typed| {
        let mut all = Granularity::ALL.into_iter();
        let known = all.find(|known| known.name() == typed);
        known.expect("the parser knows the names")
    })
}

fn timeouts() -> impl clap::builder::TypedValueParser<Value = Timeouts> {
    let names = Timeouts::ALL.map(Timeouts::name);
    PossibleValuesParser::new(names).map(|typed| {
        let mut all = Timeouts::ALL.into_iter();
        let known = all.find(|known| known.name() == typed);
        known.expect("the parser knows the names")
    })
}

/// Which workspace's failures are meant.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Place {
    /// The workspace's manifest, or a member's.
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<String>,
    /// The target folder, when `cargo cct test` was given one.
    #[arg(long, value_name = "PATH")]
    pub target_dir: Option<String>,
}

/// `cargo cct replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// A failure's id, its folder, or `latest`.
    #[arg(default_value = "latest")]
    pub failure: String,
    /// Runs the failing schedule under this command, such as `rust-gdb --args`.
    #[arg(long, value_name = "COMMAND")]
    pub debugger: Option<String>,
    /// Follows the failing schedule choice by choice, and leaves it where you say.
    #[arg(long, conflicts_with_all = ["debugger", "full", "json"])]
    pub interactive: bool,
    /// Shows every step in the report.
    #[arg(long)]
    pub full: bool,
    /// How long the test may be silent before it counts as hanging [default: 10s].
    #[arg(long, env = "CCT_HANG_TIMEOUT", value_name = "TIME", value_parser = duration::parse)]
    pub hang_timeout: Option<Duration>,
    /// Where the failure is looked for.
    #[command(flatten)]
    pub place: Place,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
}

/// `cargo cct list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Where failures are looked for.
    #[command(flatten)]
    pub place: Place,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
}

/// `cargo cct show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// A failure's id, its folder, or `latest`.
    #[arg(default_value = "latest")]
    pub failure: String,
    /// Shows every step.
    #[arg(long)]
    pub full: bool,
    /// Where the failure is looked for.
    #[command(flatten)]
    pub place: Place,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
}

/// `cargo cct expand`.
#[derive(Debug, Args)]
pub(crate) struct ExpandArgs {
    /// A package of the workspace or one that it depends on, by name or as `name@version`; or a file.
    #[arg(value_name = "CRATE|FILE")]
    pub subject: String,
    /// Where the workspace is.
    #[command(flatten)]
    pub place: Place,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
}

/// `cargo cct clean`.
#[derive(Debug, Args)]
pub(crate) struct CleanArgs {
    /// Removes only the failures and keeps what was built.
    #[arg(long)]
    pub failures: bool,
    /// Also removes the sysroots of all workspaces from the cache.
    #[arg(long)]
    pub cache: bool,
    /// The workspace.
    #[command(flatten)]
    pub place: Place,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
}

impl Place {
    /// The same as what cargo is told.
    pub(crate) fn cargo_args(&self) -> CargoArgs {
        CargoArgs {
            manifest_path: self.manifest_path.clone(),
            target_dir: self.target_dir.clone(),
            ..CargoArgs::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_reach_the_settings() {
        let words = [
            "cargo-cct",
            "test",
            "--seed",
            "7",
            "--atomic",
            "a,b",
            "--time=2m",
            "name",
        ];
        let cli = Cli::try_parse_from(words).expect("well-formed");
        let Verb::Test(test) = cli.verb else {
            panic!("another verb")
        };
        let settings = test.explore.settings();
        assert_eq!(settings.seed, Some(7));
        assert_eq!(settings.atomic, Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(settings.time, Some(Duration::from_mins(2)));
        assert_eq!(test.filter.as_deref(), Some("name"));
    }
}
