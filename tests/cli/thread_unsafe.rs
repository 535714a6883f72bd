//! Functions that are not thread-safe: delay injection finds two calls at a time, by two threads or, where
//! each call is fine by itself, by two tests; and nothing else.
//!
//! Threads are held here, so time goes by; what is found does not depend on how fast it does.

use std::collections::BTreeSet;

use cct_tests::support::{Events, Finished, Workspace};

use crate::explored::text;

/// The violations of a test target, each by its group and one of the tests.
fn violations(target: &str, severity: &str, code: i32) -> BTreeSet<(String, String)> {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "thread_unsafe");
    // Threads are not held for violations that earlier runs have found.
    let _ = std::fs::remove_dir_all(workspace.path("target/cct"));
    // A busy machine has threads pause, too, and no such pause orders any of these.
    let args = [
        "tsvd",
        "--json",
        "--inference=false",
        "--delay=100ms",
        "--test",
        target,
    ];
    let finished = Finished::of(workspace.cct().args(args));
    finished.expect(code);
    let mut found = BTreeSet::new();
    for violation in Events::of(&finished).of_kind("violation") {
        assert_eq!(violation["severity"], severity, "{violation:#}");
        for test in violation["tests"].as_array().into_iter().flatten() {
            found.insert((text(&violation["group"]).to_owned(), text(test).to_owned()));
        }
    }
    found
}

/// Under control two calls need not be at a time: nothing orders them, in the schedule that is made.
#[test]
fn control_finds_them_and_repeats_them() {
    let workspace = Workspace::of_fixture("thread_unsafe");
    let bugs = [
        ("undefined", "dirstream", "dirstream"),
        ("undefined", "strtok", "strtok"),
        ("undefined", "tmbuf", "tmbuf"),
        ("environment", "localtime_r_reads", "env"),
        ("environment", "getenv_reads", "env"),
    ];
    let args = ["--test", "undefined", "--test", "environment"];
    let events = workspace.explore(&args, 100);
    for (target, name, group) in bugs {
        let ended = events.test(&format!("thread_unsafe::{target} {name}"));
        let failure = &ended["failure"];
        assert_eq!(ended["status"], "VIOLATION", "{name}: {ended:#}");
        assert_eq!(failure["repeats"]["repeats"], "yes", "{failure:#}");
        assert_eq!(failure["bug"]["race"]["group"], group, "{failure:#}");
        let id = text(&failure["id"]);
        let shown = Finished::of(workspace.cct().args(["show", id]));
        assert!(
            shown.stdout.contains(&format!("`{group}`")),
            "{}",
            shown.stdout
        );
        Finished::of(workspace.cct().args(["replay", id])).expect(100);
    }
}

/// Nor what std's own functions do under its lock, nor what is ordered otherwise.
#[test]
fn control_finds_nothing_else() {
    let workspace = Workspace::of_fixture("thread_unsafe");
    let args = ["--test", "locked", "--test", "sound", "--iterations", "200"];
    workspace.explore(&args, 0);
}

fn pairs(expected: &[(&str, &str)]) -> BTreeSet<(String, String)> {
    let owned = |&(group, test): &(&str, &str)| (group.to_owned(), test.to_owned());
    expected.iter().map(owned).collect()
}

#[test]
fn functions_of_c_that_share_a_buffer_are_found() {
    let found = violations("undefined", "undefined-behaviour", 100);
    let expected = [
        ("dirstream", "dirstream"),
        ("strtok", "strtok"),
        ("tmbuf", "tmbuf"),
    ];
    assert_eq!(found, pairs(&expected));
}

#[test]
fn c_reads_the_environment_while_std_writes_it() {
    let found = violations("environment", "undefined-behaviour", 100);
    let expected = [("env", "getenv_reads"), ("env", "localtime_r_reads")];
    assert_eq!(found, pairs(&expected));
}

#[test]
fn tests_that_change_the_state_of_the_process_are_found() {
    let found = violations("logical", "interference", 100);
    let groups = [
        "current directory",
        "panic hook",
        "signal action",
        "variable",
    ];
    let of_both = groups.map(|group| [(group, "one"), (group, "other")]);
    assert_eq!(found, pairs(of_both.as_flattened()));
}

#[test]
fn what_is_allowed_is_no_violation() {
    for target in ["locked", "sound"] {
        assert_eq!(violations(target, "", 0), BTreeSet::new(), "{target}");
    }
}

/// Races are looked for all the same.
#[test]
fn calls_are_not_looked_at_without_tsv() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    let passed = workspace.explore(&["--test", "groups", "--tsv=false"], 0);
    assert!(passed.of_kind("test_ended").count() > 1);
    let events = workspace.explore(
        &["--test", "harm", "--tsv=false", "an_addition_is_lost"],
        100,
    );
    assert_eq!(
        events.test("races::harm an_addition_is_lost")["status"],
        "RACE"
    );
}

/// Functions that the program says are not thread-safe.
#[test]
fn groups_of_the_programs_own() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    let events = workspace.explore(&["--test", "groups"], 100);
    for ended in events.of_kind("test_ended") {
        let name = text(&ended["test"]);
        let expected = if name.starts_with("bad") {
            "VIOLATION"
        } else {
            "PASS"
        };
        assert_eq!(ended["status"], expected, "{name}: {ended:#}");
    }
    let race = |name: &str| {
        let ended = events.test(&format!("races::groups {name}"));
        let failure = &ended["failure"];
        // A call that is a point is no access to memory, of which harm could come.
        assert!(failure["leads_to"]["failure"].is_null(), "{failure:#}");
        let race = &failure["bug"]["race"];
        BTreeSet::from(["earlier", "later"].map(|side| text(&race[side]["function"]).to_owned()))
    };
    assert_eq!(
        race("bad_one_state"),
        ["begin", "version"].map(str::to_owned).into()
    );
    assert_eq!(
        race("bad_same_handle"),
        ["get", "put"].map(str::to_owned).into()
    );
}
