//! Actors and state machines: the rules in `actors/` hold natively, and under control in 200 schedules of
//! each; each mistake in `actors/mistakes/` is told where it is; and production holds under load
//! (`actors/soak/`).

#![allow(missing_docs, reason = "tests are claims and need no more words")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cct_tests::support::{Finished, cargo, cargo_cct};
use serde_json::Value;

#[test]
fn natively_each_rule_holds() {
    test(&mut cargo(), &package(), &[]);
}

/// In debug builds; `SOAK=100 cargo test --release --manifest-path tests/actors/soak/Cargo.toml` takes
/// longer.
#[test]
fn production_holds_under_load() {
    test(&mut cargo(), &package().join("soak"), &[]);
}

#[test]
fn under_control_each_rule_holds() {
    let finished = test(&mut cargo_cct(), &package(), &["--iterations", "200"]);
    let output = finished.stdout + &finished.stderr;
    assert!(!output.contains("not under control"), "{output}");
}

#[test]
fn each_mistake_is_told_where_it_is() {
    let package = package().join("mistakes");
    let mut check = cargo();
    check
        .args(["check", "--bins", "--keep-going", "--message-format=json"])
        .arg("--manifest-path")
        .arg(package.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", target());
    let finished = Finished::of(&mut check);
    finished.expect(101);
    let told: BTreeSet<Complaint> = finished.stdout.lines().filter_map(complaint).collect();
    let mut expected = BTreeSet::new();
    for file in fs::read_dir(package.join("src/bin")).expect("there are mistakes") {
        expected.extend(complaints(&file.expect("it is a file").path()));
    }
    assert_eq!(told, expected);
}

/// A file's name, a line in it, and what is said there.
type Complaint = (String, usize, String);

/// The complaints that a file says are made of it, each at its line.
fn complaints(file: &Path) -> Vec<Complaint> {
    let text = fs::read_to_string(file).expect("it is text");
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let lines = text.lines().zip(1..);
    let told = lines.filter_map(|(text, line)| {
        let (_, complaint) = text.split_once("//~ ")?;
        Some((name.clone().into_owned(), line, complaint.to_owned()))
    });
    told.collect()
}

/// A message of the compiler about some line; warnings of unused code are of no interest.
fn complaint(line: &str) -> Option<Complaint> {
    let message = serde_json::from_str::<Value>(line).ok()?;
    let message = message.get("message")?;
    let text = message["message"].as_str()?;
    let level = message["level"].as_str()?;
    if message["code"]["code"] == "dead_code" {
        return None;
    }
    let spans = message["spans"].as_array()?;
    let span = spans.iter().find(|span| span["is_primary"] == true)?;
    let file = Path::new(span["file_name"].as_str()?).file_name()?;
    let line = usize::try_from(span["line_start"].as_u64()?).ok()?;
    let text = text.strip_prefix("use of deprecated constant `_::UNREACHABLE_STATE`: ");
    let text = text.unwrap_or(message["message"].as_str()?);
    Some((
        file.to_string_lossy().into_owned(),
        line,
        format!("{level}: {text}"),
    ))
}

/// Runs `cargo test` or `cargo cct test` on a package, which stays outside of this workspace.
fn test(command: &mut Command, package: &Path, args: &[&str]) -> Finished {
    command
        .args(["test", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .args(args)
        .env("CARGO_TARGET_DIR", target());
    let finished = Finished::of(command);
    finished.expect(0);
    finished
}

fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("actors")
}

/// The package's own target folder, kept from run to run.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("actors")
}
