//! One body, two worlds: the tests in `conformance/` state std's documented behaviour. They hold
//! natively, which proves the tests, and under control in every schedule, which proves the shims.

#![allow(missing_docs, reason = "tests are claims and need no more words")]

use std::path::Path;
use std::process::Command;

use cct_tests::support::{Finished, cargo, cargo_cct};

/// Runs `cargo test` or `cargo cct test` on the package, which stays outside of this workspace.
fn run(command: &mut Command, args: &[&str]) -> Finished {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance");
    command
        .args(["test", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .args(args)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance"));
    let finished = Finished::of(command);
    finished.expect(0);
    finished
}

#[test]
fn natively_each_body_holds() {
    run(&mut cargo(), &[]);
}

#[test]
fn under_control_each_body_holds_in_every_schedule() {
    let finished = run(&mut cargo_cct(), &["--iterations", "500"]);
    let output = finished.stdout + &finished.stderr;
    // A schedule that does not repeat, or a failure that does not, is a shim's fault here.
    assert!(!output.contains("not under control"), "{output}");
}
