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
    /// How many tests there were.
    pub count: u64,
    /// They have failed, and not only their build.
    pub failed: bool,
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
            failed: have_failed(&printed),
            printed,
        })
    }
}

/// Adds up what the harness says before each group: `running 3 tests`.
fn count(printed: &str) -> u64 {
    let counts = printed.lines().filter_map(|line| {
        let words = line.strip_prefix("running ")?;
        let number = words
            .strip_suffix(" tests")
            .or_else(|| words.strip_suffix(" test"))?;
        number.parse::<u64>().ok()
    });
    counts.sum()
}

/// True if the harness says so of a group, or does not say how one has ended.
fn have_failed(printed: &str) -> bool {
    let count = |beginning| {
        let lines = printed.lines();
        lines.filter(|line| line.starts_with(beginning)).count()
    };
    let ended = count("test result: ");
    count("test result: FAILED") > 0 || count("running ") > ended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_of_all_groups_are_counted() {
        assert_eq!(
            count("\nrunning 2 tests\ntest a ... ok\n\nrunning 1 test\n"),
            3
        );
        assert_eq!(count("running late\n"), 0);
    }

    #[test]
    fn what_cannot_be_built_has_not_failed() {
        let passed = "\nrunning 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed\n";
        let failed = "\nrunning 1 test\ntest b ... FAILED\n\ntest result: FAILED. 0 passed\n";
        let crashed = "\nrunning 1 test\n";
        assert!(!have_failed(""));
        assert!(!have_failed(passed), "the next group was not built");
        assert!(have_failed(&[passed, failed].concat()));
        assert!(have_failed(&[passed, crashed].concat()));
    }
}
