//! How threads are held: an option for each parameter of delay injection.

use cct::tsvd::{Parameters, Row};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

/// The parameters that were typed, over their defaults.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InjectArgs {
    /// The parameters.
    pub parameters: Parameters,
}

impl Args for InjectArgs {
    fn augment_args(command: Command) -> Command {
        Parameters::ROWS
            .iter()
            .fold(command, |command, row| command.arg(option(row)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        InjectArgs::augment_args(command)
    }
}

impl FromArgMatches for InjectArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<InjectArgs, clap::Error> {
        let mut args = InjectArgs::default();
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for row in Parameters::ROWS {
            if let Some(text) = matches.get_one::<String>(row.name)
                && !self.parameters.set(row.name, text)
            {
                return Err(clap::Error::raw(
                    clap::error::ErrorKind::ValueValidation,
                    format!(
                        "`--{} {text}` makes no sense: it is {}\n",
                        row.name,
                        shape(row)
                    ),
                ));
            }
        }
        Ok(())
    }
}

fn option(row: &'static Row) -> Arg {
    let default = Parameters::default().get(row.name).unwrap_or_default();
    Arg::new(row.name)
        .long(row.name)
        .value_name(row.value)
        .help_heading("Delay injection")
        .help(format!("{} [default: {default}]", row.help))
}

/// The look of a value.
fn shape(row: &Row) -> &'static str {
    match row.value {
        "TIME" => "a time such as `100ms` or `2s`",
        "SHARE" | "P" => "a number from 0 to 1",
        "BOOL" => "`true` or `false`",
        "WHICH" => "one of `tsvd`, `tsvd-hb`, `dynamic-random`, `static-random` and `none`",
        _ => "a whole number",
    }
}
