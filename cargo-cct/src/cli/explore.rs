//! How tests are explored: an option for each row of the table of settings, and what has no setting.

use cct::config::{Kind, Setting, Settings, TABLE};
use cct::strategy::{self, Spec};
use clap::builder::{BoolValueParser, PossibleValuesParser, TypedValueParser as _, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};

use super::{duration, size};

/// The settings that were typed, or stand in variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExploreArgs {
    /// The settings.
    pub settings: Settings,
    /// Whether whoever is at the terminal picks.
    pub person: bool,
    /// Whether all strategies are compared.
    pub compare_strategies: bool,
}

impl ExploreArgs {
    /// The settings that stand in variables, where nothing is typed.
    pub(crate) fn of_environment() -> Result<ExploreArgs, clap::Error> {
        let command = ExploreArgs::augment_args(Command::new("cargo cct"));
        let matches = command.try_get_matches_from(["cargo cct"])?;
        ExploreArgs::from_arg_matches(&matches)
    }
}

/// The value of `--strategy` beside strategies.
const PERSON: &str = "interactive";
const COMPARE: &str = "compare_strategies";

impl Args for ExploreArgs {
    fn augment_args(mut command: Command) -> Command {
        for row in TABLE {
            command = command.arg(option(row));
            if row.kind == Kind::Strategy {
                command = command.arg(
                    Arg::new(COMPARE)
                        .long("compare-strategies")
                        .action(ArgAction::SetTrue)
                        .help_heading(row.heading)
                        .help(
                            "Runs each test under each strategy, or those that `--strategy` lists, and \
                             compares them",
                        ),
                );
            }
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        ExploreArgs::augment_args(command)
    }
}

impl FromArgMatches for ExploreArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ExploreArgs, clap::Error> {
        let mut args = ExploreArgs::default();
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.compare_strategies |= matches.get_flag(COMPARE);
        for row in TABLE {
            let Some(texts) = matches.get_many::<String>(row.name) else {
                continue;
            };
            let text = texts.cloned().collect::<Vec<_>>().join(",");
            if row.kind == Kind::Strategy && text == PERSON {
                self.person = true;
            } else {
                let set = self.settings.set(row.name, &text);
                set.map_err(|error| {
                    clap::Error::raw(clap::error::ErrorKind::ValueValidation, error)
                })?;
            }
        }
        Ok(())
    }
}

/// The option and the variable of a setting. Its value is the text that settings read.
fn option(row: &'static Setting) -> Arg {
    let help = match (row.kind, row.default) {
        (Kind::Strategy, _) => format!("{}: {}", row.help, Spec::GRAMMAR),
        (_, "") => row.help.to_owned(),
        (_, default) => format!("{} [default: {default}]", row.help),
    };
    let option = Arg::new(row.name)
        .long(row.name.replace('_', "-"))
        .env(variable(row))
        .help_heading(row.heading)
        .value_name(row.value)
        .value_parser(parser(row.kind))
        .help(help);
    match row.kind {
        Kind::Flag => option
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true"),
        Kind::Names => option.action(ArgAction::Append).value_delimiter(','),
        Kind::Strategy => option.long_help(strategies(row)),
        Kind::Number { .. }
        | Kind::Time
        | Kind::TimeOrOff
        | Kind::Bytes
        | Kind::Words(_)
        | Kind::File => option,
    }
}

/// The variable of a setting.
pub(super) fn variable(row: &Setting) -> String {
    format!("CCT_{}", row.name.to_ascii_uppercase())
}

fn parser(kind: Kind) -> ValueParser {
    match kind {
        Kind::Number { least, most } => {
            let numbers = value_parser!(u64).range(least..=most);
            numbers.map(|number| number.to_string()).into()
        }
        Kind::Flag => BoolValueParser::new().map(|flag| flag.to_string()).into(),
        Kind::Words(words) => PossibleValuesParser::new(words).into(),
        Kind::Names => value_parser!(String),
        Kind::Time => ValueParser::new(duration::milliseconds),
        Kind::TimeOrOff => ValueParser::new(duration::milliseconds_or_off),
        Kind::Bytes => ValueParser::new(size::bytes),
        Kind::Strategy => ValueParser::new(picker),
        Kind::File => ValueParser::new(absolute),
    }
}

/// A test process runs in another folder.
fn absolute(path: &str) -> Result<String, String> {
    let absolute = std::path::absolute(path).map_err(|error| error.to_string())?;
    let text = absolute.into_os_string().into_string();
    text.map_err(|_| "the current folder's path is not in Unicode".to_owned())
}

fn picker(typed: &str) -> Result<String, strategy::InvalidSpec> {
    if typed != PERSON {
        Spec::parse(typed)?;
    }
    Ok(typed.to_owned())
}

/// The strategies, one a line.
fn strategies(row: &Setting) -> String {
    let portfolio = format!("Several that suit most tests: {}", Spec::DEFAULT);
    let kinds = strategy::Kind::ALL
        .iter()
        .map(|kind| (kind.form(), kind.about()));
    let lines = [("`portfolio`", &*portfolio)].into_iter().chain(kinds);
    let lines = lines.chain([
        ("`A@N+B`", "A up to step N of each schedule, then B"),
        (
            "`interactive`",
            "You, with one test: see docs/interactive.md",
        ),
    ]);
    let lines: Vec<_> = lines
        .map(|(form, about)| format!("  {form:<16} {}", about.trim_end_matches('.')))
        .collect();
    format!(
        "{}, or several with commas between, which take turns; docs/strategies.md says \
         when to use each:\n{}",
        row.help,
        lines.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use cct::config::Reach;

    use super::*;

    /// The table of `docs/settings.md`.
    fn documented() -> String {
        let mut table = String::from(
            "| setting | option | such as | by default | does |\n|---|---|---|---|---|\n",
        );
        for row in TABLE {
            let option = row.name.replace('_', "-");
            let takes = match row.kind {
                Kind::Words(words) => format!("`{}`", words.join("`, `")),
                _ => format!("`{}`", row.example),
            };
            let star = if row.reach == Reach::Test { "" } else { " ¹" };
            writeln!(
                table,
                "| `{}`{star} | `--{option}` | {takes} | {} | {} |",
                row.name, row.default, row.help
            )
            .expect("text takes text");
        }
        table
    }

    #[test]
    fn the_documentation_has_the_table() {
        let page = include_str!("../../../docs/settings.md");
        let table = documented();
        assert!(
            page.contains(&table),
            "docs/settings.md is to have this:\n{table}"
        );
    }
}
