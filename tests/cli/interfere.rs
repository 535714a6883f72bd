//! Tests that disturb each other: each pair is found, told and replayed, and what does no harm is not told.

use std::collections::BTreeSet;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

use crate::explored::text;

fn looked_at(workspace: &Workspace, target: &str, code: i32) -> Events {
    let args = ["interfere", "--json", "--seed=1", "--test", target];
    let finished = Finished::of(workspace.cct().args(args));
    finished.expect(code);
    Events::of(&finished)
}

fn shares(event: &Value) -> BTreeSet<(String, String)> {
    let shares = event["shares"].as_array().into_iter().flatten();
    shares
        .map(|share| {
            (
                text(&share["kind"]).to_owned(),
                text(&share["name"]).to_owned(),
            )
        })
        .collect()
}

/// The pairs, each with the test that is disturbed, and what the two share.
const PAIRS: [(&[&str], &str, bool); 5] = [
    (&["count_begins_at_one"], "static", false),
    (
        &["file_is_written", "file_is_written_otherwise"],
        "file",
        true,
    ),
    (&["folder_is_relied_on"], "current directory", false),
    (&["port_is_taken", "port_is_taken_too"], "port", true),
    (
        &["variable_is_not_set", "variable_is_set"],
        "variable",
        false,
    ),
];

#[test]
fn each_pair_is_found_told_and_replayed() {
    let workspace = Workspace::of_fixture("interference");
    let events = looked_at(&workspace, "disturbed", 100);
    let found: Vec<&Value> = events.of_kind("interference").collect();
    assert_eq!(found.len(), PAIRS.len(), "{found:#?}");
    for (disturbed, kind, is_of_machine) in PAIRS {
        let is_it = |event: &&&Value| shares(event).iter().any(|(other, _)| other == kind);
        let event = found.iter().find(is_it).expect(kind);
        assert!(disturbed.contains(&text(&event["disturbed"])), "{event:#}");
        assert_eq!(event["is_of_machine"], is_of_machine, "{event:#}");
        let id = text(&event["id"]);
        Finished::of(workspace.cct().args(["replay", id])).expect(100);
        let shown = Finished::of(workspace.cct().args(["show", id]));
        shown.expect(0);
        for line in ["running 2 tests", "spawned together.rs", "FAILED"] {
            assert!(!shown.stdout.contains(line), "{}", shown.stdout);
        }
    }
    let ended = events
        .of_kind("interference_ended")
        .next()
        .expect("it ends");
    assert_eq!(ended["disturbed"], PAIRS.len());
    // What is found of two tests is no failure of one.
    let args = ["test", "--test", "disturbed"];
    Finished::of(workspace.cct().args(args)).expect(0);
}

#[test]
fn what_is_kept_apart_is_not_told() {
    let workspace = Workspace::of_fixture("interference");
    let events = looked_at(&workspace, "sound", 0);
    let told: Vec<_> = events.of_kind("pair_passed").map(shares).collect();
    let of = |kind: &str, name: &str| {
        let share = (kind.to_owned(), name.to_owned());
        told.iter().filter(|shares| shares.contains(&share)).count()
    };
    assert_eq!(of("static", "interference::TURN"), 1, "{told:#?}");
    assert_eq!(of("static", "interference::COUNT"), 1, "{told:#?}");
    assert_eq!(of("variable", "MODE"), 1, "{told:#?}");
    // What is made when it is first used, and what one test alone changes, is no reason.
    assert_eq!(told.len(), 2, "{told:#?}");
}

/// A test that fails by itself is told, and no pair with it is.
#[test]
fn tests_that_fail_alone_are_left_out() {
    let workspace = Workspace::of_fixture("interference");
    let path = workspace.path("tests/failing.rs");
    let program = "
        use std::env;
        #[test] fn fails() { env::set_var(\"A\", \"1\"); panic!(\"alone\"); }
        #[test] fn ends_the_process() { env::set_var(\"A\", \"1\"); unsafe { libc::abort() } }
        #[test] fn reads() { let _ = env::var(\"A\"); }
        #[test] fn writes() { env::set_var(\"A\", \"2\"); }
    ";
    std::fs::write(path, program).expect("the folder is ours");
    let events = looked_at(&workspace, "failing", 0);
    let profiled = events.of_kind("profiled").next().expect("it is profiled");
    let failing: BTreeSet<&str> = profiled["failing"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|failing| text(&failing["test"]))
        .collect();
    assert_eq!(failing, BTreeSet::from(["ends_the_process", "fails"]));
    assert_eq!(
        (&profiled["tests"], &profiled["pairs"]),
        (&2.into(), &1.into())
    );
    assert_eq!(events.of_kind("pair_passed").count(), 1);
}
