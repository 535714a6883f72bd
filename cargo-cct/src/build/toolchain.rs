//! The compiler and cargo that the user would get, and what they call this machine.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// The user's toolchain.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Toolchain {
    /// The cargo to run; the one that runs us, when one does.
    pub cargo: PathBuf,
    /// The compiler itself, not the proxy that picks one by the current folder.
    pub rustc: PathBuf,
    /// The output of `rustc -vV`.
    pub version: String,
    /// The triple of this machine.
    pub host: String,
    /// The compiler's sysroot.
    pub sysroot: PathBuf,
}

/// Why there is no usable toolchain.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolchainError {
    /// rustc could not be asked.
    #[error("cannot run `{0}`")]
    Run(String, #[source] std::io::Error),
    /// rustc had nothing sensible to say.
    #[error("`{0}` failed: {1}")]
    Failed(String, String),
    /// The machine is none of those that were tried.
    #[error(
        "`{0}` is not supported: cargo-cct works on Linux with glibc, on x86-64 and aarch64 \
         (`x86_64-unknown-linux-gnu`, `aarch64-unknown-linux-gnu`)"
    )]
    Platform(String),
}

impl Toolchain {
    /// Asks rustc.
    pub(crate) fn find() -> Result<Toolchain, ToolchainError> {
        let asked = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let version = ask(Command::new(&asked).arg("-vV"))?;
        let sysroot = PathBuf::from(ask(Command::new(&asked).args(["--print", "sysroot"]))?.trim());
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        let host = host.unwrap_or_default().trim().to_owned();
        if !["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"].contains(&host.as_str()) {
            return Err(ToolchainError::Platform(host));
        }
        let inside = sysroot.join("bin").join("rustc");
        let rustc = if inside.exists() {
            inside
        } else {
            asked.into()
        };
        let cargo = env::var_os("CARGO").map_or_else(
            || {
                let inside = sysroot.join("bin").join("cargo");
                if inside.exists() {
                    inside
                } else {
                    "cargo".into()
                }
            },
            PathBuf::from,
        );
        Ok(Toolchain {
            cargo,
            rustc,
            version,
            host,
            sysroot,
        })
    }

    /// The variable that makes a command, and what it starts, stay with this toolchain, unless it is set: a
    /// package in the graph may have a `rust-toolchain` file, which rustup would obey in its folder.
    pub(crate) fn pinned(&self) -> Option<(&'static str, OsString)> {
        let name = self.sysroot.file_name()?.to_owned();
        let variable = "RUSTUP_TOOLCHAIN";
        env::var_os(variable).is_none().then_some((variable, name))
    }

    /// The first line of the version.
    pub(crate) fn release(&self) -> &str {
        self.version.lines().next().unwrap_or_default()
    }
}

fn ask(command: &mut Command) -> Result<String, ToolchainError> {
    let words = format!("{command:?}").replace('"', "");
    let output = command
        .output()
        .map_err(|error| ToolchainError::Run(words.clone(), error))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(ToolchainError::Failed(
            words,
            text(&output.stderr).trim().to_owned(),
        ))
    }
}
