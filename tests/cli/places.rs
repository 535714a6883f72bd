//! Each failure is told by a message and a line that the user wrote, wherever it comes up.

use std::sync::LazyLock;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

use crate::explored::text;

/// `fixtures/places`, explored once.
static PLACES: LazyLock<(Workspace, Events)> = LazyLock::new(|| {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "places");
    let events = workspace.explore(&["--hang-timeout", "1s"], 100);
    (workspace, events)
});

fn ended(events: &Events, binary: &str) -> Vec<(String, Value)> {
    let prefix = format!("places::{binary} ");
    let of_binary = events.ended().into_iter().filter_map(|(name, ended)| {
        let test = name.strip_prefix(&prefix)?.to_owned();
        Some((test, ended.clone()))
    });
    of_binary.collect()
}

fn report(test: &str) -> String {
    let failure = &PLACES.1.test(&format!("places::{test}"))["failure"];
    let shown = Finished::of(PLACES.0.cct().args(["show", text(&failure["id"])]));
    shown.expect(0);
    shown.stdout
}

/// The source line of a site; empty if that is not in the fixture.
fn line_at(site: &Value) -> String {
    let file = text(&site["file"]);
    let is_own = file.starts_with("src/") || file.starts_with("tests/");
    let source = std::fs::read_to_string(PLACES.0.path(file)).unwrap_or_default();
    let line = site["line"].as_u64().filter(|_| is_own).unwrap_or_default();
    let index = usize::try_from(line).unwrap_or_default().wrapping_sub(1);
    source.lines().nth(index).unwrap_or_default().to_owned()
}

#[test]
fn a_failure_is_told_by_the_first_panic_of_a_chain() {
    let ended = ended(&PLACES.1, "origins");
    assert_eq!(ended.len(), 16);
    for (test, ended) in ended {
        let bug = &ended["failure"]["bug"];
        assert_eq!(ended["status"], "FAIL", "{test}: {ended:#}");
        assert_eq!(ended["failure"]["repeats"]["repeats"], "yes", "{test}");
        assert!(text(&bug["message"]).contains("first: "), "{test}: {bug:#}");
        assert!(line_at(&bug["site"]).contains("first: "), "{test}: {bug:#}");
        let is_own = test.starts_with("of_its_own");
        assert_eq!(bug["worker"] == 0, is_own, "{test}: {bug:#}");
        // Who resumes a panic has none of its own.
        let leads_on = !is_own && test != "resumed";
        assert_eq!(bug["led_to"]["worker"] == 0, leads_on, "{test}: {bug:#}");
        assert_eq!(!bug["led_to"].is_null(), leads_on, "{test}: {bug:#}");
        let id = text(&ended["failure"]["id"]);
        Finished::of(PLACES.0.cct().args(["replay", id])).expect(100);
    }
    let report = report("origins in_a_scope");
    let head = "w1 panicked at tests/origins.rs:48:24: first: it gives up\n\
                main panicked in turn at tests/origins.rs:47:5: a scoped thread panicked\n";
    assert!(report.contains(head), "{report}");
    assert_eq!(report.matches("✗ panics").count(), 2, "{report}");
}

#[test]
fn a_spawn_says_which_task_it_makes() {
    let report = report("dependencies an_update_is_lost_by_tasks");
    for column in ["w4 task spawned", "w5 task spawned"] {
        assert!(report.contains(column), "{report}");
    }
    for spawn in ["  spawn w4 ", "  spawn w5 "] {
        assert_eq!(report.matches(spawn).count(), 1, "{report}");
    }
}
