//! Each static of a test executable is put back before an iteration, or it is ours and stays.
//!
//! The rule goes by names of crates and modules. So all statics of executables are listed here, as their
//! symbols have them, and none may be on the wrong side.

use std::path::PathBuf;

use cct::memory::{Static, statics_of};
use cct_tests::support::{Events, Finished, Workspace};

/// The crates that cargo-cct links into each test executable.
const OURS: [&str; 2] = ["cct", "cct_shims"];

/// The statics of a fixture's test executable.
fn statics(fixture: &str, target: &str) -> Vec<Static> {
    let workspace = Workspace::of_fixture(fixture);
    let args = ["test", "--no-run", "--json", "--test", target];
    let built = Finished::of(workspace.cct().args(args));
    built.expect(0);
    let events = Events::of(&built);
    let path = events.only("executable")["path"].as_str();
    let path = PathBuf::from(path.expect("an executable has a path"));
    statics_of(&path).expect("an executable with symbols")
}

fn is_ours(found: &Static) -> bool {
    let name = found.krate.as_deref();
    name.is_some_and(|name| OURS.contains(&name))
}

fn paths<'a>(statics: impl Iterator<Item = &'a Static>) -> Vec<&'a str> {
    let mut paths: Vec<&str> = statics.map(|found| found.path.as_str()).collect();
    paths.sort_unstable();
    paths
}

/// Asserts that the executable has these statics of ours among others, by crate and name, and that only the
/// locks of the standard streams are put back, which are meant to be.
fn assert_ours_stay(statics: &[Static], known: &[&str]) {
    let ours = statics.iter().filter(|found| is_ours(found));
    let put_back = paths(ours.clone().filter(|found| found.is_put_back));
    let streams = ["cct_shims::streams::STDERR", "cct_shims::streams::STDOUT"];
    let is_unexpected = |path: &&str| !streams.contains(path);
    let unexpected: Vec<&str> = put_back.into_iter().filter(is_unexpected).collect();
    assert_eq!(unexpected, [""; 0]);
    let ours = paths(ours);
    assert!(ours.len() > 80, "{ours:?}");
    for known in known {
        let (krate, name) = known.split_once(' ').expect("a crate and a name");
        let is_it = |path: &&str| {
            let mut parts = path.split("::");
            parts.next() == Some(krate) && parts.any(|part| part == name)
        };
        assert!(ours.iter().any(is_it), "no {known} in {ours:?}");
    }
}

#[test]
fn no_static_of_ours_is_put_back() {
    let known = [
        "cct ENGINE",
        "cct ROLE",
        "cct NEWS",
        "cct CHANNEL",
        "cct ARENA",
        "cct_shims TABLE",
        "cct_shims CARRIER",
    ];
    assert_ours_stay(&statics("names", "test"), &known);
    let with_allocator = [&known[..], &["cct LOCK"]].concat();
    assert_ours_stay(&statics("allocator", "mutex"), &with_allocator);
    let with_streams = [&known[..], &["cct_shims STDOUT"]].concat();
    assert_ours_stay(&statics("streams", "sound"), &with_streams);
}

#[test]
fn statics_of_programs_are_put_back_whatever_their_crate_is_called() {
    for name in ["cct", "cct_shims", "test"] {
        let statics = statics("names", name);
        let own = [format!("{name}::COUNT"), format!("{name}::module::COUNT")];
        let put_back = statics.iter().filter(|found| found.is_put_back);
        let of_crate = put_back.filter(|found| found.krate.as_deref() == Some(name));
        assert_eq!(paths(of_crate), own);
    }
}

/// Where std's own are is known, and that iterations begin with them as in a fresh process.
#[test]
fn statics_of_std_are_put_back() {
    let statics = statics("names", "test");
    let of_std = statics
        .iter()
        .filter(|found| found.krate.as_deref() == Some("std"));
    let (put_back, kept): (Vec<_>, Vec<_>) = of_std.partition(|found| found.is_put_back);
    assert_eq!(paths(kept.into_iter()), [""; 0]);
    let is_known = |path: &str| put_back.iter().any(|found| found.path.contains(path));
    assert!(
        is_known("RandomState") && is_known("STDOUT"),
        "{put_back:?}"
    );
}
