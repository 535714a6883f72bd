//! The built `cargo-cct`.

use std::env;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use super::{build, cleaned};

/// Names a tool that is built already: by another toolchain than that which it is tested with.
const TESTED_TOOL: &str = "TESTED_TOOL";

/// Returns a command that runs the subcommand, as `cargo cct` does: the next argument is the verb.
/// The first call of a process builds it.
pub fn cargo_cct() -> Command {
    static TOOL: OnceLock<PathBuf> = OnceLock::new();
    let program = TOOL.get_or_init(|| {
        let built = env::var_os(TESTED_TOOL).map(PathBuf::from);
        built.unwrap_or_else(|| build("cargo-cct").program("cargo-cct"))
    });
    let mut command = cleaned(program);
    // Reports of failures as they were found are shorter to test, and runs do not depend on earlier ones.
    let settings = [("CCT_SHRINK", "off"), ("CCT_KNOWN", "false")];
    command.arg("cct").envs(settings);
    heeding_signals(command)
}

/// Has a command begin with signals that are not ignored: shells have those of the terminal ignored in the
/// background, and `nohup` that of its end.
fn heeding_signals(mut command: Command) -> Command {
    let heed = || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
            // SAFETY: the default action is no function.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: `signal` may be called between fork and exec.
    unsafe { command.pre_exec(heed) };
    command
}

/// Has a command run this one, which it gets as its last arguments, in the same folder and environment.
pub fn run_by(mut other: Command, command: &Command) -> Command {
    other.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => other.env(name, value),
            None => other.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        other.current_dir(folder);
    }
    heeding_signals(other)
}
