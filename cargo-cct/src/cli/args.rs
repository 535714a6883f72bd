//! The command line as typed, for each verb.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use cct::config::Settings;
use clap::{Args, Parser, Subcommand, ValueEnum};

use super::cargo_args::CargoArgs;
use super::duration;
use super::explore::ExploreArgs;
use super::inject::InjectArgs;
use super::servers::ServerArgs;
use crate::exit::Exit;
use crate::rewrite;
use crate::run::ShardArg;

/// Runs the tests of a workspace under many interleavings, and replays what fails.
#[derive(Debug, Parser)]
#[command(
    name = "cargo-cct",
    bin_name = "cargo cct",
    version,
    max_term_width = 100,
    after_help = Exit::help()
)]
pub(crate) struct Cli {
    /// The verb.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Builds the tests and runs each under many interleavings.
    Test(Box<TestArgs>),
    /// Runs the tests natively, and holds threads where accesses of an object may be made at a time.
    Tsvd(Box<TsvdArgs>),
    /// Finds tests that disturb each other, by running two at a time in one process.
    Interfere(Box<InterfereArgs>),
    /// Repeats a failure exactly.
    Replay(ReplayArgs),
    /// Lists the failures that were found.
    List(ListArgs),
    /// Prints a failure's report again.
    Show(ShowArgs),
    /// Looks for a shorter schedule with the same failure.
    Shrink(ShrinkArgs),
    /// Writes a failure's schedule into its package, for runs to try it first.
    Keep(KeepArgs),
    /// Shows what the source layer changes, as a diff.
    Expand(ExpandArgs),
    /// Removes what was built and found.
    Clean(CleanArgs),
    /// Shows the settings that count, or the schema of their file.
    Config(ConfigArgs),
    /// Runs cargo-nextest on the tests under control.
    Nextest(NextestArgs),
    /// Prints the variables by which other tools build and run the tests under control.
    ShowEnv(Box<ShowEnvArgs>),
    /// Explores the only test that is named; what cargo and nextest run in place of a test executable.
    #[command(hide = true)]
    RunTest(RunTestArgs),
    /// Prints the completions of a shell.
    Completions(CompletionsArgs),
    /// Writes the manual pages.
    Man(ManArgs),
    /// Builds the tests and packs them, to be run on other machines.
    Archive(Box<ArchiveArgs>),
    /// Joins the results of shards.
    Merge(MergeArgs),
}

/// How results are shown.
#[derive(Clone, Copy, Debug, Default, Args)]
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
#[derive(Clone, Debug, Args)]
#[command(after_long_help = Exit::help())]
pub(crate) struct TestArgs {
    /// The arguments for cargo.
    #[command(flatten)]
    pub cargo: CargoArgs,
    /// How tests are explored.
    #[command(flatten)]
    pub explore: ExploreArgs,
    /// Where tests run, and for how long.
    #[command(flatten)]
    pub many: ManyArgs,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
    /// The news for build servers.
    #[command(flatten)]
    pub servers: ServerArgs,
    /// Has accesses of memory at the places of this trap file of `cargo cct tsvd` be scheduling points, and
    /// holds workers there: with `--strategy trap`, unless another one is given.
    #[arg(long, value_name = "FILE", help_heading = "Exploration")]
    pub traps: Option<PathBuf>,
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

/// `cargo cct tsvd`.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = Exit::help())]
pub(crate) struct TsvdArgs {
    /// The arguments for cargo.
    #[command(flatten)]
    pub cargo: CargoArgs,
    /// How threads are held.
    #[command(flatten)]
    pub inject: InjectArgs,
    /// Whether accesses to plain memory are looked at, in crates that may have unsafe code.
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set,
        help_heading = "Delay injection")]
    pub memory: bool,
    /// How often the tests run: each run begins with the dangerous places that the one before has left.
    #[arg(long, value_name = "N", default_value_t = 2,
        value_parser = clap::value_parser!(u32).range(1..), help_heading = "Delay injection")]
    pub runs: u32,
    /// After so long without news a run in which a violation was seen is ended: that may have broken it.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration::parse,
        help_heading = "Delay injection")]
    pub patience: Duration,
    /// The file with the dangerous places, which the runs begin with and add to [default: `traps.json` in
    /// `target/cct`].
    #[arg(long, value_name = "FILE", help_heading = "Delay injection")]
    pub traps: Option<PathBuf>,
    /// Whether violations that an earlier command has found are looked for again. Otherwise no thread is held
    /// for them.
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set,
        help_heading = "Delay injection")]
    pub again: bool,
    /// Adds the dangerous places of this file, of another machine's runs for instance.
    #[arg(long, value_name = "FILE", help_heading = "Delay injection")]
    pub merge: Vec<PathBuf>,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
    /// Only runs tests whose name contains this.
    #[arg(value_name = "TESTNAME")]
    pub filter: Option<String>,
    /// More names, and the options of the test harness: `--exact`, `--test-threads`, ….
    #[arg(last = true, value_name = "ARGS")]
    pub rest: Vec<String>,
}

/// `cargo cct interfere`.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = Exit::help())]
pub(crate) struct InterfereArgs {
    /// The arguments for cargo.
    #[command(flatten)]
    pub cargo: CargoArgs,
    /// The most pairs to run, of each test executable: those that are the most suspicious.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 100,
        help_heading = "Interference"
    )]
    pub pairs: usize,
    /// The most schedules to explore for each pair [default: 100].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..),
        help_heading = "Interference")]
    pub iterations: Option<u64>,
    /// The most time to spend on each pair [default: 5s].
    #[arg(long, value_name = "TIME", value_parser = duration::parse, help_heading = "Interference")]
    pub time: Option<Duration>,
    /// The seed of all choices.
    #[arg(long, value_name = "N", help_heading = "Interference")]
    pub seed: Option<u64>,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
    /// Only looks at tests whose name contains this.
    #[arg(value_name = "TESTNAME")]
    pub filter: Option<String>,
    /// More names, and the options `--exact`, `--skip`, `--ignored`, `--include-ignored`, ….
    #[arg(last = true, value_name = "ARGS")]
    pub rest: Vec<String>,
}

impl InterfereArgs {
    /// The settings that were typed.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            iterations: self.iterations,
            time: self.time,
            seed: self.seed,
            ..Settings::default()
        }
    }
}

/// Options for runs on many machines, and of many hours.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Many machines")]
pub(crate) struct ManyArgs {
    /// Runs the tests of this archive, without building anything; `cargo cct archive` makes one.
    #[arg(long, value_name = "FILE")]
    pub archive: Option<PathBuf>,
    /// Makes one part in n of the schedules of a run that is n times as long: `1/n` to `n/n`, or `auto`, as
    /// Slurm, Kubernetes, GitLab, Buildkite, `CircleCI` or GNU parallel say.
    #[arg(long, env = "CCT_SHARD", value_name = "I/N", value_parser = ShardArg::parse)]
    pub shard: Option<ShardArg>,
    /// Keeps the results in this folder, for `cargo cct merge`, and goes on with those that are there. A
    /// shard has a folder in it.
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
    /// The same, and gives the time, which is `--time` for all tests together, to those that still show new
    /// behaviours.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["results", "compare_strategies"])]
    pub campaign: Option<PathBuf>,
}

/// Where the failures of an archive are.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Unpacked {
    /// The archive that the failure was found in, instead of a workspace.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["manifest_path", "target_dir"])]
    pub archive: Option<PathBuf>,
    /// The folder of results that failures are looked for in [default: with an archive `cct-results`].
    #[arg(long, value_name = "DIR")]
    pub results: Option<PathBuf>,
}

/// `cargo cct archive`.
#[derive(Debug, Args)]
pub(crate) struct ArchiveArgs {
    /// The archive.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub file: PathBuf,
    /// The arguments for cargo.
    #[command(flatten)]
    pub cargo: CargoArgs,
    /// How its tests are explored by default.
    #[command(flatten)]
    pub explore: ExploreArgs,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
}

/// `cargo cct merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Folders of results, or folders with these in them [default: cct-results].
    #[arg(value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Where the joined results go [default: the folder, if it is only one].
    #[arg(long, value_name = "DIR")]
    pub into: Option<PathBuf>,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
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
#[expect(clippy::struct_excessive_bools, reason = "these are flags")]
pub(crate) struct ReplayArgs {
    /// A failure's id, its folder, or `latest`.
    #[arg(default_value = "latest")]
    pub failure: String,
    /// Runs the failing schedule under this command: `gdb`, `lldb` and `rr` are told of the workers.
    #[arg(long, value_name = "COMMAND")]
    pub debugger: Option<String>,
    /// Writes entries for debugging the failing schedule to `.vscode/launch.json`.
    #[arg(long, conflicts_with_all = ["debugger", "interactive", "full", "json"])]
    pub vscode: bool,
    /// Follows the failing schedule choice by choice, and leaves it where you say.
    #[arg(long, conflicts_with_all = ["debugger", "full", "json"])]
    pub interactive: bool,
    /// Follows the failing schedule in a program that has changed as far as it fits, and then its seed.
    #[arg(long, conflicts_with_all = ["debugger", "vscode", "interactive"])]
    pub tolerant: bool,
    /// Stops before this step of the report: the debugger there, or else the replay, which then shows where
    /// everybody is.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..),
        conflicts_with_all = ["interactive", "vscode"])]
    pub until: Option<u32>,
    /// Stops before each step at a place, without a debugger before the first: `lib.rs:47`, `47`, or a
    /// function, `withdraw` or `Account::withdraw`. Can be given several times.
    #[arg(long = "break", value_name = "SITE", conflicts_with_all = ["interactive", "vscode"])]
    pub breaks: Vec<String>,
    /// Shows every step in the report.
    #[arg(long)]
    pub full: bool,
    /// How long the test may be silent before it counts as hanging [default: 10s].
    #[arg(long, env = "CCT_HANG_TIMEOUT", value_name = "TIME", value_parser = duration::parse)]
    pub hang_timeout: Option<Duration>,
    /// Where the failure is looked for.
    #[command(flatten)]
    pub place: Place,
    /// The archive that it is of.
    #[command(flatten)]
    pub unpacked: Unpacked,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
}

/// `cargo cct shrink`.
#[derive(Debug, Args)]
pub(crate) struct ShrinkArgs {
    /// A failure's id, its folder, or `latest`.
    #[arg(default_value = "latest")]
    pub failure: String,
    /// How long to look [default: 5s].
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub time: Option<Duration>,
    /// How long the test may be silent before it counts as hanging [default: 10s].
    #[arg(long, env = "CCT_HANG_TIMEOUT", value_name = "TIME", value_parser = duration::parse)]
    pub hang_timeout: Option<Duration>,
    /// Where the failure is looked for.
    #[command(flatten)]
    pub place: Place,
    /// The archive that it is of.
    #[command(flatten)]
    pub unpacked: Unpacked,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
}

/// `cargo cct keep`.
#[derive(Debug, Args)]
pub(crate) struct KeepArgs {
    /// A failure's id, its folder, or `latest`.
    #[arg(default_value = "latest")]
    pub failure: String,
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
    /// The archive that it is of.
    #[command(flatten)]
    pub unpacked: Unpacked,
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
    /// Opens its picture, `timeline.html`, in the browser instead.
    #[arg(long, conflicts_with_all = ["full", "json"])]
    pub open: bool,
    /// Writes it as a Chrome trace instead, for Perfetto and the like; `-` is standard output.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["full", "json", "open"])]
    pub perfetto: Option<PathBuf>,
    /// Prints what its actors did instead, an event a line, as JSON.
    #[arg(long, conflicts_with_all = ["full", "json", "open", "perfetto"])]
    pub log: bool,
    /// Where the failure is looked for.
    #[command(flatten)]
    pub place: Place,
    /// The archive that it is of.
    #[command(flatten)]
    pub unpacked: Unpacked,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
}

/// `cargo cct expand`.
#[derive(Debug, Args)]
#[command(after_long_help = format!("Passes:\n{}", rewrite::about_passes()))]
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
    /// Also removes all from the cache: sysroots, wrappers and archives that are unpacked.
    #[arg(long)]
    pub cache: bool,
    /// The workspace.
    #[command(flatten)]
    pub place: Place,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
}

/// `cargo cct config`.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// Prints the JSON schema of `.config/cct.toml` instead.
    #[arg(long)]
    pub schema: bool,
    /// The profile whose settings are meant [default: default].
    #[arg(short = 'P', long, env = "CCT_PROFILE", value_name = "NAME")]
    pub cct_profile: Option<String>,
    /// The workspace.
    #[command(flatten)]
    pub place: Place,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
}

/// `cargo cct nextest`.
#[derive(Debug, Args)]
pub(crate) struct NextestArgs {
    /// How tests are explored is said by variables and `.config/cct.toml`: all here is for cargo-nextest,
    /// such as `run`, `list` or `archive` with their options.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required = true,
        value_name = "ARGS"
    )]
    pub words: Vec<OsString>,
}

/// `cargo-cct run-test`.
#[derive(Debug, Args)]
pub(crate) struct RunTestArgs {
    /// A test executable and its arguments.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    pub words: Vec<OsString>,
}

/// `cargo cct show-env`.
#[derive(Debug, Args)]
pub(crate) struct ShowEnvArgs {
    /// For which shell the lines are.
    #[arg(long, value_enum, default_value_t, value_name = "SHELL")]
    pub shell: EnvShell,
    /// The profile in `.config/cct.toml` whose settings count [default: default].
    #[arg(short = 'P', long, env = "CCT_PROFILE", value_name = "NAME")]
    pub cct_profile: Option<String>,
    /// The arguments that the tests are going to be built with, so that a replay builds the same.
    #[command(flatten)]
    pub cargo: CargoArgs,
    /// How results are shown.
    #[command(flatten)]
    pub output: Output,
}

/// The shells that variables are printed for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum EnvShell {
    /// `export NAME='value'`, for bash, zsh and others.
    #[default]
    Sh,
    /// `set -gx NAME 'value'`.
    Fish,
    /// `NAME=value` without quotes, as `$GITHUB_ENV` takes it.
    Plain,
}

/// `cargo cct completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `cargo cct man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder to write to; it is made.
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
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
        let settings = test.explore.settings;
        assert_eq!(settings.seed, Some(7));
        assert_eq!(settings.atomic, Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(settings.time, Some(Duration::from_mins(2)));
        assert_eq!(test.filter.as_deref(), Some("name"));
    }
}
