//! `--compare-strategies`: each test under each strategy.

use std::collections::BTreeSet;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

use crate::explored::text;

const COMPARE: [&str; 6] = [
    "--lib",
    "--compare-strategies",
    "--strategy",
    "random,pct:2,sticky:5",
    "--iterations",
    "200",
];

#[test]
fn a_test_is_told_strategy_by_strategy() {
    let workspace = Workspace::of_fixture("with spaces");
    let args = [&COMPARE[..], &["a_store_is_lost", "-j1"]].concat();
    let told = workspace.test(&args, 100).stdout;
    let (table, reports) = told.split_once("\n\n───").expect("a table, then a report");
    assert_eq!(reports.matches("\nFailing schedule:").count(), 1, "{told}");
    for line in table.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    insta::assert_snapshot!(redacted(table));
}

/// Times become `#`, ids `xxxx-xx`, and lines, which are as long as times are, one stroke.
fn redacted(table: &str) -> String {
    let lines = table.lines().map(|line| {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if words.len() == 10 && words[0] != "strategy" {
            words[5] = "#";
            words[9] = "xxxx-xx";
        }
        if line.trim().chars().all(|stroke| stroke == '─') {
            words.fill("─");
        }
        words.join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn programs_are_told_the_same() {
    let workspace = Workspace::of_fixture("with spaces");
    let compared = workspace.explore(&COMPARE, 100);
    let begun = compared.only("comparison_started");
    assert_eq!(begun["strategies"].as_array().map(Vec::len), Some(3));
    let test = |name: &str| {
        let mut tests = compared.of_kind("comparison");
        let found = tests.find(|event| event["test"] == name);
        found.expect("each test is told").clone()
    };
    let lost = test("tests::a_store_is_lost");
    let rows = lost["strategies"].as_array().expect("rows");
    let names: Vec<_> = rows.iter().map(|row| text(&row["strategy"])).collect();
    assert_eq!(names, ["random", "pct:2", "sticky:5"]);
    for row in rows {
        // The schedules that it took are those that were run: the first bug ends an exploration.
        assert_eq!(row["first_bug"], row["counters"]["schedules"], "{row:#}");
        let id = text(&row["failure"]);
        Finished::of(workspace.cct().args(["replay", id])).expect(100);
    }
    // Three strategies have found one bug.
    assert_eq!(lost["failures"].as_array().map(Vec::len), Some(1));

    let clean = test("tests::a_file_is_found");
    for row in clean["strategies"].as_array().expect("rows") {
        assert_eq!(row["first_bug"], Value::Null);
        assert_eq!(row["failure"], Value::Null);
    }
}

/// A strategy finds the same in a comparison as alone, from the same seed.
#[test]
fn each_strategy_is_compared_as_it_is_alone() {
    let workspace = Workspace::of_fixture("with spaces");
    let compared = workspace.explore(&COMPARE, 100);
    let rows: Vec<Value> = compared
        .of_kind("comparison")
        .flat_map(|event| event["strategies"].as_array().cloned().unwrap_or_default())
        .filter(|row| !row["failure"].is_null())
        .collect();
    assert_eq!(rows.len(), 3);
    for row in rows {
        let strategy = text(&row["strategy"]);
        let args = ["--lib", "--iterations", "200", "--strategy", strategy];
        let alone = workspace.explore(&args, 100);
        let ended = alone.test("spaced tests::a_store_is_lost");
        assert_eq!(ended["failure"]["id"], row["failure"], "{strategy}");
        assert_eq!(ended["first_bug"], row["first_bug"], "{strategy}");
    }
}

#[test]
fn without_a_choice_all_are_compared() {
    let workspace = Workspace::of_fixture("configured");
    let args = ["test", "--json", "--compare-strategies", "--iterations=5"];
    let finished = Finished::of(workspace.cct().args(args));
    finished.expect(0);
    let events = Events::of(&finished);
    let begun = events.only("comparison_started")["strategies"].clone();
    let names: BTreeSet<&str> = begun.as_array().into_iter().flatten().map(text).collect();
    for name in ["random", "sticky:20", "pct:3", "portfolio"] {
        assert!(names.contains(name), "{names:?}");
    }
    let none = ["test", "--compare-strategies", "nothing_like_it"];
    Finished::of(workspace.cct().args(none)).expect(4);
}
