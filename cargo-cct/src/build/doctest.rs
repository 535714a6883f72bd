//! Tests of the documentation: run by rustdoc, natively, against the crates that were built.

use std::env;
use std::ffi::OsString;
use std::process::{ExitStatus, Stdio};

use super::cargo::{BuildError, Cargo};
use super::wrapper;
use crate::cli::CargoArgs;
use crate::run::helper;

/// The result of the tests of the documentation.
#[derive(Debug)]
pub(crate) struct Doctests {
    /// How rustdoc ended.
    pub status: ExitStatus,
    /// How many tests there were: none where the build failed.
    pub count: Option<u64>,
    /// The output.
    pub printed: String,
}

impl Cargo<'_> {
    /// Runs `cargo test --doc`.
    pub(crate) fn run_doctests(
        &self,
        args: &CargoArgs,
        harness_words: &[String],
    ) -> Result<Doctests, BuildError> {
        let rustdoc = env::var_os("RUSTDOC").filter(|rustdoc: &OsString| !rustdoc.is_empty());
        let rustdoc =
            rustdoc.unwrap_or_else(|| self.toolchain.sysroot.join("bin").join("rustdoc").into());
        let mut command = self.command();
        command
            .arg("--doc")
            .args(args.packages_and_build())
            .args(args.manner())
            .arg("--")
            .args(harness_words)
            .env("RUSTDOC", &self.sysroot.wrappers.rustdoc)
            .env(wrapper::ENV_RUSTDOC, rustdoc)
            // A build that is needed may take long and is watched; the tests are told of at the end.
            .stderr(Stdio::inherit());
        let output = helper::output_but_errors(&mut command)
            .map_err(|error| BuildError::Run(self.toolchain.cargo.clone(), error))?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(Doctests {
            status: output.status,
            count: count(&printed),
            printed,
        })
    }
}

/// Adds up what the harness says before each group: `running 3 tests`. None if it says nothing.
fn count(printed: &str) -> Option<u64> {
    let counts = printed.lines().filter_map(|line| {
        let words = line.strip_prefix("running ")?;
        let number = words
            .strip_suffix(" tests")
            .or_else(|| words.strip_suffix(" test"))?;
        number.parse::<u64>().ok()
    });
    counts.fold(None, |sum, count| Some(sum.unwrap_or(0) + count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_of_all_groups_are_counted() {
        assert_eq!(
            count("\nrunning 2 tests\ntest a ... ok\n\nrunning 1 test\n"),
            Some(3)
        );
        assert_eq!(count("running late\n"), None);
    }
}
