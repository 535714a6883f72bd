//! One body, several worlds: the tests in `conformance/` state std's documented behaviour. They hold
//! natively, which proves the tests; with the shims where no engine is, which must not be noticed;
//! and under control in every schedule.

#![allow(missing_docs, reason = "tests are claims and need no more words")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cct_tests::support::{Finished, cargo, cargo_cct, cleaned};

#[test]
fn natively_each_body_holds() {
    test(&mut cargo(), &[]);
}

#[test]
fn with_shims_and_no_engine_each_body_holds() {
    test(&mut cargo_cct(), &["--no-run"]);
    Finished::of(&mut cleaned(controlled_executable())).expect(0);
}

#[test]
fn under_control_each_body_holds_in_every_schedule() {
    let finished = test(&mut cargo_cct(), &["--iterations", "500"]);
    let output = finished.stdout + &finished.stderr;
    // A schedule that does not repeat, or a failure that does not, is a shim's fault here.
    assert!(!output.contains("not under control"), "{output}");
}

/// Runs `cargo test` or `cargo cct test` on the package, which stays outside of this workspace.
fn test(command: &mut Command, args: &[&str]) -> Finished {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance");
    command
        .args(["test", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .args(args)
        .env("CARGO_TARGET_DIR", target());
    let finished = Finished::of(command);
    finished.expect(0);
    finished
}

/// The package's own target folder, kept from run to run.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance")
}

/// The newest test executable that was built with the facades.
fn controlled_executable() -> PathBuf {
    let triples = fs::read_dir(target().join("cct")).expect("the tool made its folder");
    let deps = triples
        .flatten()
        .map(|triple| triple.path().join("debug").join("deps"));
    let files = deps
        .filter_map(|deps| fs::read_dir(deps).ok())
        .flatten()
        .flatten();
    let executables = files.map(|file| file.path()).filter(|path| {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        name.starts_with("std-") && !name.contains('.')
    });
    let built = |path: &PathBuf| fs::metadata(path).and_then(|data| data.modified()).ok();
    executables
        .max_by_key(built)
        .expect("the tool built the tests")
}
