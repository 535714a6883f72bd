//! The compiler and cargo that the user would get, and what they call this machine.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::run::helper;

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
    /// The compiler is older than the crates that it is to build.
    #[error(
        "{0} is too old: cargo-cct works with Rust {major}.{minor} and newer; another toolchain is chosen by \
         `cargo +{major}.{minor} cct …`, `RUSTUP_TOOLCHAIN`, or `rust-toolchain.toml`",
        major = OLDEST.0,
        minor = OLDEST.1
    )]
    TooOld(String),
}

/// The first release that compiles engine, shims and macros: `rust-version` of their manifests.
const OLDEST: (u32, u32) = (1, 88);

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
        if is_too_old(&version) {
            let release = version.lines().next().unwrap_or_default();
            return Err(ToolchainError::TooOld(release.to_owned()));
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

/// False for a version that cannot be read.
fn is_too_old(version: &str) -> bool {
    let release = version
        .lines()
        .find_map(|line| line.strip_prefix("release: "));
    let mut numbers = release
        .unwrap_or_default()
        .split('.')
        .map_while(|number| number.parse().ok());
    matches!((numbers.next(), numbers.next()), (Some(major), Some(minor)) if (major, minor) < OLDEST)
}

fn ask(command: &mut Command) -> Result<String, ToolchainError> {
    let words = format!("{command:?}").replace('"', "");
    let output =
        helper::output(command).map_err(|error| ToolchainError::Run(words.clone(), error))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_before_the_oldest_is_too_old() {
        let version = |release: &str| format!("rustc {release}\nhost: x\nrelease: {release}\n");
        for release in ["1.87.0", "1.9.0", "0.12.0", "1.87.0-nightly"] {
            assert!(is_too_old(&version(release)), "{release}");
        }
        for release in ["1.88.0", "1.100.0-beta.7", "2.0.0", "unknown"] {
            assert!(!is_too_old(&version(release)), "{release}");
        }
    }

    #[test]
    fn the_oldest_is_that_of_the_manifests() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let line = format!("rust-version = \"{}.{}\"", OLDEST.0, OLDEST.1);
        for package in ["cct-runtime", "cct-shims", "cct-macros"] {
            let manifest = std::fs::read_to_string(format!("{root}/{package}/Cargo.toml"));
            let manifest = manifest.expect("a manifest");
            assert!(manifest.lines().any(|found| found == line), "{package}");
        }
    }
}
