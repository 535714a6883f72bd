//! Schedules that have a process of their own: chosen where they depend on what earlier ones have left
//! behind, and the same schedules as in one process.

use std::fs;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

use crate::explored::{ALONE, text};

fn run(workspace: &Workspace, args: &[&str], code: i32) {
    Finished::of(workspace.cct().args(args)).expect(code);
}

fn isolation(event: &Value) -> (&str, Option<&str>) {
    let since = event["isolated_since"].as_str();
    (event["isolation"].as_str().expect("it was explored"), since)
}

#[test]
fn a_test_whose_schedules_leave_something_behind_has_a_process_for_each() {
    let workspace = Workspace::of_fixture("leaks");
    let first = workspace.explore(&[], 100);
    let diverges = first.test("leaks::leaks each_has_another_number");
    assert_eq!(diverges["status"], "PASS", "{diverges}");
    assert_eq!(diverges["diverged"], Value::Null, "{diverges}");
    let (isolated, since) = isolation(diverges);
    assert_eq!(isolated, "process");
    let since = since.expect("a reason");
    assert!(
        since.contains("repeated in the same process, differed at step"),
        "{since}"
    );

    let spoiled = first.test("leaks::leaks one_spoils_it_for_the_others");
    assert_eq!(spoiled["status"], "PASS", "{spoiled}");
    let (isolated, since) = isolation(spoiled);
    assert_eq!(isolated, "process");
    let since = since.expect("a reason");
    assert!(since.contains("an earlier schedule was here"), "{since}");

    let wrong = first.test("leaks::leaks all_spoil_it_and_one_is_wrong");
    assert_eq!(wrong["status"], "FAIL", "{wrong}");
    assert_eq!(isolation(wrong).0, "process", "{wrong}");
    assert!(
        text(&wrong["failure"]["bug"]["message"]).contains("twice"),
        "{wrong}"
    );

    let clean = first.test("leaks::leaks nothing_is_left");
    assert_eq!(isolation(clean), ("auto", None));

    // It is remembered, until the folder is removed.
    let second = workspace.explore(&["--", "each_has_another_number"], 0);
    let (isolated, since) = isolation(second.test("leaks::leaks each_has_another_number"));
    assert_eq!(isolated, "process");
    assert!(
        since.is_some_and(|since| since.contains("in a run before")),
        "{since:?}"
    );
    // The failure comes again by itself.
    let id = text(&wrong["failure"]["id"]);
    run(&workspace, &["replay", id], 100);
    run(&workspace, &["clean"], 0);
    let third = workspace.explore(&["--", "each_has_another_number"], 0);
    let (_, since) = isolation(third.test("leaks::leaks each_has_another_number"));
    assert!(
        since.is_some_and(|since| since.contains("differed")),
        "{since:?}"
    );
}

/// State of a library or of the kernel shows in no divergence and no failure.
#[test]
fn a_claim_is_not_made_of_what_others_have_left() {
    let workspace = Workspace::of_fixture("leaks");
    let tests = [
        "a_locale_is_left",
        "a_sign_is_left",
        "a_limit_is_left",
        "a_variable_is_left",
    ];
    let explored = |isolation: &[&str], code| {
        let only = ["--", "_is_left", "--skip", "nothing_is_left"];
        let args = [&["--strategy", "dfs"], isolation, &only].concat();
        workspace.explore(&args, code)
    };
    let together = explored(&["--isolation", "none"], 0);
    let by_itself = explored(&[], 100);
    let apart = explored(&["--isolation", "process"], 100);
    for test in tests {
        let name = format!("leaks::leaks {test}");
        let left_out = &together.test(&name)["claim"]["but_for"];
        let names = left_out.as_array().expect("a list");
        assert!(
            names.contains(&"state left behind".into()),
            "{test}: {left_out}"
        );
        for events in [&by_itself, &apart] {
            let ended = events.test(&name);
            assert_eq!(ended["status"], "FAIL", "{ended}");
            let message = text(&ended["failure"]["bug"]["message"]);
            assert!(message.contains("nobody was here"), "{ended}");
            assert_eq!(isolation(ended).0, "process", "{ended}");
        }
        let (_, since) = isolation(by_itself.test(&name));
        let since = since.expect("a reason");
        assert!(since.contains("change what is not put back"), "{since}");
    }
}

#[test]
fn what_is_put_back_needs_no_process() {
    let workspace = Workspace::of_fixture("leaks");
    let only = ["--", "is_put_back"];
    let events = workspace.explore(&[&["--strategy", "dfs"][..], &only].concat(), 100);
    for test in ["a_rounding_is_put_back", "a_descriptor_is_put_back"] {
        let ended = events.test(&format!("leaks::leaks {test}"));
        assert_eq!(ended["status"], "FAIL", "{ended}");
        assert_eq!(isolation(ended), ("auto", None), "{ended}");
    }
    let events = workspace.explore(&["--", "a_thread_rounds_by_itself"], 0);
    let ended = events.test("leaks::leaks a_thread_rounds_by_itself");
    assert_eq!(isolation(ended), ("auto", None), "{ended}");
}

#[test]
fn one_process_for_all_says_what_differed() {
    let workspace = Workspace::of_fixture("leaks");
    let events = workspace.explore(&["--isolation", "none"], 100);
    let diverges = events.test("leaks::leaks each_has_another_number");
    assert_ne!(diverges["diverged"], Value::Null, "{diverges}");
    assert_eq!(
        events.test("leaks::leaks one_spoils_it_for_the_others")["status"],
        "FLAKY"
    );
    assert!(!workspace.path("target/cct/isolated.json").exists());
    // A damaged memory is none.
    fs::write(workspace.path("target/cct/isolated.json"), "[{\"bin").expect("ours");
    let events = workspace.explore(&["--", "each_has_another_number"], 0);
    assert_eq!(
        isolation(events.test("leaks::leaks each_has_another_number")).0,
        "process"
    );
}

/// Partial-order reduction knows objects by their addresses, and repeats the beginnings of schedules.
#[test]
fn partial_order_reduction_proves_nothing_of_schedules_that_depend_on_each_other() {
    let workspace = Workspace::of_fixture("leaks");
    let by_dpor = |test: &str, isolation: &str, code| {
        let args = ["--strategy", "dpor", "--isolation", isolation, "--", test];
        let events = workspace.explore(&args, code);
        events.test(&format!("leaks::leaks {test}")).clone()
    };
    let shared = by_dpor("a_counter_lies_elsewhere", "none", 0);
    assert_eq!(shared["claim"], Value::Null, "{shared}");
    assert_ne!(shared["diverged"], Value::Null, "{shared}");
    let own = by_dpor("a_counter_lies_elsewhere", "auto", 100);
    assert_eq!(own["status"], "FAIL", "{own}");
    assert_eq!(isolation(&own).0, "process", "{own}");
    // Later schedules end before they have repeated what they begin with.
    let spoiled = by_dpor("all_spoil_it_and_one_is_wrong", "none", 100);
    assert_eq!(spoiled["status"], "FLAKY", "{spoiled}");
}

/// Everything that two runs are to have in common, by test. The last counts of a process that has died are
/// those of some moment before.
fn made(events: &Events) -> Vec<(String, Value)> {
    let made = events.ended().into_iter().map(|(name, event)| {
        let mut counters = event["counters"].clone();
        counters["nanos"] = Value::Null;
        if event["status"] != "PASS" {
            let counted = ["schedules", "distinct", "longest"].map(|key| counters[key].clone());
            counters = Value::from(counted.to_vec());
        }
        let bug = &event["failure"]["bug"];
        let facts = [
            counters,
            event["status"].clone(),
            event["reason"].clone(),
            event["first_bug"].clone(),
            event["claim"].clone(),
            event["failure"]["repeats"].clone(),
            bug["kind"].clone(),
            bug["message"].clone(),
            bug["site"]["file"].clone(),
            // The loop is interrupted anywhere on its line.
            bug["site"]["line"].clone(),
        ];
        (name, Value::from(facts.to_vec()))
    });
    made.collect()
}

/// The law: where nothing leaks, schedules are the same in one process and in many, whatever a strategy
/// learns from them, and however they end.
fn same_in_many(fixture: &str, strategies: &[&str], args: &[&str]) {
    let workspace = Workspace::of_fixture(fixture);
    for strategy in strategies {
        let made_by = |isolation: &str| {
            let settings = ["--strategy", strategy, "--isolation", isolation];
            let settings = [&settings[..], &["--shrink", "off"], args].concat();
            made(&workspace.explore(&settings, 100))
        };
        let (one, many) = (made_by("none"), made_by("process"));
        assert_eq!(one.len(), many.len());
        for (one, many) in one.iter().zip(&many) {
            assert_eq!(one, many, "{strategy}");
        }
    }
}

#[test]
fn each_verdict_is_the_same_in_many_processes() {
    // A first panic in a process is counted as another behaviour than later ones; another process sends a
    // signal when it likes.
    let skip = [
        "--",
        "--skip",
        "an_unobserved_panic",
        "--skip",
        "in_the_middle",
        "--skip",
        ALONE,
    ];
    // `CCT_ISOLATED=200` is the long form.
    let iterations = std::env::var("CCT_ISOLATED").unwrap_or("60".to_owned());
    let args = ["--hang-timeout", "2s", "--iterations", &iterations];
    same_in_many("verdicts", &["portfolio"], &[&args[..], &skip].concat());
    // Each of their schedules is long.
    let alone = [
        "--test",
        ALONE,
        "--hang-timeout",
        "2s",
        "--iterations",
        "10",
    ];
    same_in_many("verdicts", &["portfolio"], &alone);
}

#[test]
fn strategies_learn_the_same_of_many_processes() {
    let strategies = [
        "dfs",
        "dpor",
        "pct:3",
        "task-pct:3",
        "q-learning",
        "rff",
        "surw",
        "trap:2",
        "preemption",
        "portfolio",
    ];
    same_in_many("tasks", &strategies, &["--iterations", "60"]);
}
