//! Tests of the documentation: run by rustdoc, natively, against the crates that were built.

use std::env;
use std::ffi::OsString;
use std::process::{ExitStatus, Stdio};

use super::cargo::{BuildError, Cargo};
use super::wrapper;
use crate::cli::CargoArgs;

impl Cargo<'_> {
    /// Runs `cargo test --doc`; what it prints goes to standard error, where progress goes.
    pub(crate) fn run_doctests(
        &self,
        args: &CargoArgs,
        harness_words: &[String],
    ) -> Result<ExitStatus, BuildError> {
        let rustdoc = env::var_os("RUSTDOC").filter(|rustdoc: &OsString| !rustdoc.is_empty());
        let rustdoc =
            rustdoc.unwrap_or_else(|| self.toolchain.sysroot.join("bin").join("rustdoc").into());
        self.command()
            .arg("--doc")
            .args(args.packages_and_build())
            .args(args.manner())
            .arg("--")
            .args(harness_words)
            .env("RUSTDOC", &self.sysroot.wrappers.rustdoc)
            .env(wrapper::ENV_RUSTDOC, rustdoc)
            .stdout(Stdio::from(std::io::stderr()))
            .status()
            .map_err(|error| BuildError::Run(self.toolchain.cargo.clone(), error))
    }
}
