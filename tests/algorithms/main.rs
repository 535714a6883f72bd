//! Well-known algorithms: each that is correct passes, and each with an ordering that is too weak, or a step
//! that is missing, is found by the means that `programs` has for it.
//!
//! `CCT_SEEDS=20 cargo test -p cct-tests --test algorithms -- --nocapture` prints the table of
//! docs/weak-memory.md anew.

mod late;
mod programs;
mod table;

use std::collections::BTreeMap;

use cct_tests::support::{Events, Finished, Workspace};
use programs::{Found, PROGRAMS};
use serde_json::Value;

/// Words for an atomic that is too weak.
const WEAK: [&str; 4] = [
    "it publishes nothing",
    "it takes nothing over",
    "a load may miss it",
    "it may miss that store",
];

/// Modules whose programs have so few executions that all are made.
const SMALL: [&str; 12] = [
    "bakery",
    "barrier",
    "double_checked",
    "peterson",
    "peterson_exchange",
    "rcu",
    "reference_count",
    "rwlock",
    "rwlock_relaxed",
    "seqlock",
    "spsc",
    "ticket",
];

fn workspace() -> Workspace {
    Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "algorithms")
}

/// The end of each program that was run, by its name.
fn ended(events: &Events) -> BTreeMap<&str, &Value> {
    let ended = events.of_kind("test_ended");
    ended.map(|event| (text(&event["test"]), event)).collect()
}

/// The same of all programs.
fn all_ended(events: &Events) -> BTreeMap<&str, &Value> {
    let ended = ended(events);
    assert_eq!(ended.len(), PROGRAMS.len());
    ended
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The report's first paragraph.
fn summary(ended: &Value) -> String {
    let sentences = ended["failure"]["summary"].as_array().into_iter().flatten();
    let sentences: Vec<&str> = sentences.map(|sentence| text(&sentence["text"])).collect();
    sentences.join(" ")
}

fn names_an_atomic(ended: &Value) -> bool {
    let summary = summary(ended);
    WEAK.iter().any(|words| summary.contains(words))
}

#[test]
fn each_is_found_where_the_latest_store_is_read_if_that_suffices() {
    let events = workspace().explore(&["--iterations", "1000"], 100);
    for (name, ended) in all_ended(&events) {
        let (status, found) = (text(&ended["status"]), found(name));
        match found {
            Found::Steps => assert_ne!(status, "PASS", "{name}"),
            Found::Race => {
                assert_eq!(status, "RACE", "{name}");
                assert!(names_an_atomic(ended), "{name}: {}", summary(ended));
            }
            Found::Never | Found::Older | Found::Late => assert_eq!(status, "PASS", "{name}"),
        }
    }
}

#[test]
fn each_is_found_where_older_stores_are_read() {
    let workspace = workspace();
    let args = ["--memory", "weak", "--iterations", "5000"];
    let events = workspace.explore(&args, 100);
    for (name, ended) in all_ended(&events) {
        let found = found(name);
        let passes = matches!(found, Found::Never | Found::Late);
        assert_eq!(text(&ended["status"]) == "PASS", passes, "{name}");
        if found == Found::Older {
            let id = text(&ended["failure"]["id"]);
            let replayed = Finished::of(workspace.cct().args(["replay", id]));
            replayed.expect(100);
            assert!(replayed.stdout.contains("as on record"), "{name}");
        }
    }
}

#[test]
fn correct_ones_pass_where_memory_is_weak_by_turns() {
    let args = ["--memory", "mix", "--iterations", "2000", "--", "correct"];
    let events = workspace().explore(&args, 0);
    let correct = PROGRAMS.iter().filter(|(_, found)| *found == Found::Never);
    assert_eq!(events.ended().len(), correct.count());
}

#[test]
fn of_small_ones_all_executions_are_made() {
    let args = "--memory weak --strategy dfs --iterations 60000 --";
    let modules = SMALL.map(|module| format!("{module}::"));
    let args = args.split(' ').chain(modules.iter().map(String::as_str));
    let events = workspace().explore(&args.collect::<Vec<_>>(), 100);
    for (name, ended) in ended(&events) {
        let (status, found) = (text(&ended["status"]), found(name));
        match found {
            Found::Never | Found::Late => {
                assert_eq!(status, "PASS", "{name}");
                assert_eq!(ended["counters"]["exhausted"], true, "{name}: {ended:#}");
            }
            Found::Steps | Found::Race => assert_ne!(status, "PASS", "{name}"),
            Found::Older => {
                assert_ne!(status, "PASS", "{name}");
                assert!(names_an_atomic(ended), "{name}: {}", summary(ended));
            }
        }
    }
}

fn found(name: &str) -> Found {
    let (_, found) = PROGRAMS
        .iter()
        .find(|(other, _)| *other == name)
        .expect("it has a row");
    *found
}
