//! A test that cannot be explored runs as it is, once, and the report says so.

use std::path::Path;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

use crate::killed::send;

/// Runs a fixture's tests, for people and for programs.
#[track_caller]
fn run(workspace: &Workspace, args: &[&str], code: i32) -> (String, Events) {
    let told = workspace.test(args, code).stdout;
    (told, workspace.explore(args, code))
}

#[track_caller]
fn assert_ran_natively(event: &Value, status: &str, reason: &str) {
    assert_eq!(event["status"], status, "{event}");
    assert_eq!(event["controlled"], false, "{event}");
    assert_eq!(event["native"], reason, "{event}");
    assert_eq!(event["counters"]["schedules"], 0, "{event}");
}

#[test]
fn tests_of_the_documentation() {
    let workspace = Workspace::of_fixture("doctests");
    let (told, events) = run(&workspace, &[], 0);
    assert!(
        told.contains("ran natively: 1 documentation test"),
        "{told}"
    );
    assert!(told.contains("1 not under control"), "{told}");
    assert_ran_natively(events.test("doc-tests"), "PASS", "1 documentation test");
    assert_eq!(
        events.test("doctests tests::numbers_are_added")["controlled"],
        true
    );
    assert_eq!(events.only("run_ended")["native"], 1);

    // They are not wanted with chosen targets, and can be chosen alone.
    let unit = workspace.explore(&["--lib"], 0);
    assert!(!unit.statuses().contains_key("doc-tests"));
    let alone = workspace.explore(&["--doc"], 0);
    assert_eq!(
        alone.statuses().into_keys().collect::<Vec<_>>(),
        ["doc-tests"]
    );

    workspace.replace("src/lib.rs", "add(1, 2), 3", "add(1, 2), 4");
    let (told, events) = run(&workspace, &[], 100);
    assert_ran_natively(events.test("doc-tests"), "FAIL", "1 documentation test");
    assert!(
        told.contains("left: 3"),
        "the harness's words are missing: {told}"
    );
}

/// No test was run where rustdoc could not build them. A test that has failed counts more.
#[test]
fn tests_of_the_documentation_that_cannot_be_built() {
    let workspace = Workspace::of_fixture("doctests");
    let source = workspace.read("src/lib.rs");
    workspace.write("src/lib.rs", &source.replace("left + right", "left + "));
    let told = workspace.test(&["--doc"], 101);
    assert!(!told.stdout.contains("FAIL"), "{told:#?}");
    assert!(told.stderr.contains("could not compile"), "{told:#?}");
    assert!(workspace.explore(&["--doc"], 101).ended().is_empty());

    let only_there = format!("{source}\n#[cfg(doctest)]\ncompile_error!(\"not here\");\n");
    workspace.write("src/lib.rs", &only_there);
    let events = workspace.explore(&[], 101);
    let statuses: Vec<_> = events.statuses().into_iter().collect();
    let unit = "doctests tests::numbers_are_added".to_owned();
    assert_eq!(statuses, [(unit, "PASS".to_owned())]);

    // Kept results lack them.
    workspace.test(&["--results", "kept"], 101);
    Finished::of(workspace.cct().args(["merge", "kept"])).expect(5);
}

#[test]
fn a_failure_counts_more_than_documentation_that_cannot_be_built() {
    let workspace = Workspace::of_fixture("doctests");
    let source = workspace.read("src/lib.rs");
    let source = source.replace("add(2, 2), 4", "add(2, 2), 5");
    let broken = format!("{source}\n#[cfg(doctest)]\ncompile_error!(\"not here\");\n");
    workspace.write("src/lib.rs", &broken);
    let events = workspace.explore(&[], 100);
    assert_eq!(events.only("run_ended")["failed"], 1);
}

#[test]
fn a_binary_with_a_main_of_its_own() {
    let workspace = Workspace::of_fixture("no-harness");
    let (told, events) = run(&workspace, &[], 0);
    assert!(told.contains("ran natively: harness = false"), "{told}");
    assert_ran_natively(
        events.test("no-harness::own_main"),
        "PASS",
        "harness = false",
    );
    assert_eq!(
        events.test("no-harness tests::an_ordinary_test")["controlled"],
        true
    );

    workspace.replace("tests/own_main.rs", "answer, 42", "answer, 43");
    let (told, events) = run(&workspace, &["--test", "own_main"], 100);
    assert_ran_natively(
        events.test("no-harness::own_main"),
        "FAIL",
        "harness = false",
    );
    assert_eq!(
        events.test("no-harness::own_main")["reason"],
        "exit status: 101"
    );
    assert!(told.contains("right: 43"), "{told}");
    // There is no schedule, hence nothing to replay.
    Finished::of(workspace.cct().arg("replay")).expect(96);
}

/// It has the standard output, as under cargo, and is not waited for.
#[test]
fn what_a_binary_leaves_behind_is_not_waited_for() {
    let workspace = Workspace::of_fixture("no-harness");
    workspace.write(
        "tests/own_main.rs",
        r#"
        fn main() {
            let child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
            std::fs::write("process", child.id().to_string()).unwrap();
            println!("own main ran");
        }
        "#,
    );
    workspace.test(&["--test", "own_main"], 0);
    let process = workspace.read("process");
    assert!(Path::new("/proc").join(&process).exists());
    send("-KILL", process.parse().expect("a number"));
}

#[test]
fn tests_of_a_procedural_macro() {
    let workspace = Workspace::of_fixture("proc-macro");
    let (told, events) = run(&workspace, &["-p", "named"], 0);
    let reason = "a procedural macro is part of the compiler";
    assert!(told.contains(&format!("ran natively: {reason}")), "{told}");
    assert_ran_natively(events.test("named"), "PASS", reason);

    workspace.replace("named/src/lib.rs", "\"impl Ship \"", "\"impl Boat \"");
    let (told, _) = run(&workspace, &["-p", "named"], 100);
    assert!(told.contains("the_name_follows_the_keyword"), "{told}");
}
