//! The built `cargo-cct`.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use super::{Finished, cargo, cleaned};

/// Returns a command that runs the subcommand, as `cargo cct` does: the next argument is the verb.
/// The first call of a process builds it.
pub fn cargo_cct() -> Command {
    static TOOL: OnceLock<PathBuf> = OnceLock::new();
    let mut command = cleaned(TOOL.get_or_init(build));
    command.arg("cct");
    command
}

/// Builds the tool where this package's own target folder is, and returns its path.
fn build() -> PathBuf {
    let mut command = cargo();
    command
        .args(["build", "--package", "cargo-cct", "--bin", "cargo-cct"])
        .args(["--message-format", "json", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    if let Some(folder) = std::env::var_os("CARGO_TARGET_DIR") {
        command.env("CARGO_TARGET_DIR", folder);
    }
    let built = Finished::of(&mut command);
    built.expect(0);
    let mut executables = built.stdout.lines().filter_map(|line| {
        let (_, rest) = line.split_once("\"executable\":\"")?;
        Some(PathBuf::from(rest.split('"').next()?))
    });
    executables
        .next_back()
        .expect("cargo names the executable it built")
}
