//! `cargo cct`: runs the tests of a workspace under many interleavings, and replays what fails.
//!
//! One executable with four roles, told apart by the name it is started as.
//!
//! ```text
//! cargo-cct test …                       the subcommand (`command`)
//! ├─ cargo build, rustc                  once per toolchain: the sysroot (`build::sysroot`); these and
//! │                                      the next two have wardens as well (`run::helper`)
//! ├─ cargo test --no-run …               RUSTC_WRAPPER and CCT_SYSROOT set (`build::cargo`)
//! │  └─ cct-rustc rustc …                a copy of this executable: adds the facades (`build::wrapper`)
//! ├─ <test executable> --list            natively (`run::plan`)
//! ├─ cct-warden                          this executable: ends what the test leaves (`run::warden`)
//! │  └─ <test executable> --exact <name> one process a test; CCT_MODE, CCT_EVENTS_FD, CCT_BOARD,
//! │                                      CCT_OVERRIDES, CCT_DEFAULTS set (`run::process`)
//! └─ cargo test --doc …                  natively; RUSTDOC set
//!    └─ cct-rustdoc …                    a copy of this executable
//! ```

#![deny(unsafe_code)]

mod archive;
mod build;
mod cli;
mod column;
mod command;
mod config;
mod exit;
mod failure;
mod forgotten;
#[cfg(test)]
mod fuzz;
mod interference;
mod maker;
mod plain_file;
mod report;
mod results;
mod rewrite;
mod room;
mod run;
#[cfg(test)]
mod sample;
mod tsvd;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = run::warden::run_if_this_is_one() {
        return code;
    }
    match build::wrapper::Role::of_this_process() {
        Some(role) => build::wrapper::run(role),
        None => command::run().into(),
    }
}
