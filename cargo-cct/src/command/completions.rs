//! `cargo cct completions`: completions of a shell, for `cargo-cct` and, where that can be, for `cargo cct`.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::{Cli, CompletionsArgs};
use crate::exit::Exit;
use crate::report::say_plainly;

/// The name of the executable.
const NAME: &str = "cargo-cct";

/// Does it.
pub(super) fn run(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), NAME, &mut script);
    let script = String::from_utf8(script)?;
    // Bash's script looks verbs up under the executable's name and lists them under that of messages.
    let script = script.replace("cargo__subcmd__cct__subcmd__", "cargo__cct__subcmd__");
    say_plainly(script)?;
    say_plainly(as_subcommand(args.shell))?;
    Ok(Exit::Success)
}

/// The rest that it takes for `cargo cct`; cargo's own completions know nothing of other subcommands.
fn as_subcommand(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => include_str!("completions/cargo.bash"),
        Shell::Fish => include_str!("completions/cargo.fish"),
        // Cargo's completion calls the function `_cargo-cct`, if there is one: this is it.
        _ => "",
    }
}
