//! The environment that commands under test see: the user's, without what cargo or this tool set
//! for the test process itself.

use std::env;
use std::ffi::OsStr;
use std::process::Command;

/// Prefixes of variables that would change what a nested cargo or the tool does.
const FOREIGN: [&str; 7] = [
    "CARGO",
    "CCT_",
    "RUSTC",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUST_",
    "LD_LIBRARY_PATH",
];

/// Variables that have such a prefix and still belong to the machine: without them, cargo would
/// not find its registry, and the tool not the sysroot that is there.
const MACHINE: [&str; 3] = ["CARGO_HOME", "CARGO_NET_OFFLINE", "CCT_CACHE_DIR"];

/// Returns a command that runs `program` in a clean environment.
pub fn cleaned(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let foreign = FOREIGN.iter().any(|prefix| text.starts_with(prefix));
        let machine = MACHINE.contains(&&*text) || text.starts_with("CARGO_REGISTR");
        if foreign && !machine {
            command.env_remove(&name);
        }
    }
    command
}

/// Returns plain cargo in a clean environment.
pub fn cargo() -> Command {
    cleaned("cargo")
}
