//! Plain accesses as scheduling points: those that are named, and those of a race.

use cct_tests::support::{Events, Finished, Workspace};

/// Tests of the fixture, with what their races lead to.
const RACES: [(&str, &str, &str); 5] = [
    ("an_addition_is_lost", "FAIL", "overwrote it with 1"),
    (
        "an_addition_to_a_cell_is_lost",
        "FAIL",
        "panicked at tests/harm.rs:49",
    ),
    ("a_box_is_taken_twice", "BAD FREE", "misuses memory"),
    (
        "another_bug_is_beside_it",
        "FAIL",
        "also without scheduling points there",
    ),
    (
        "no_harm_is_done",
        "no failure in",
        "with scheduling points at lib.rs",
    ),
];

#[test]
fn a_race_is_told_with_what_it_leads_to() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    for profile in ["dev", "release"] {
        let events = workspace.explore(
            &["--test", "harm", "--shrink", "5s", "--profile", profile],
            100,
        );
        for (name, leads_to, words) in RACES {
            let ended = events.test(&format!("races::harm {name}"));
            assert_eq!(ended["status"], "RACE", "{name}: {ended:#}");
            let failure = &ended["failure"];
            let id = failure["id"].as_str().expect("it has an id");
            let shown = text(&Finished::of(workspace.cct().args(["show", id])));
            let label = if words.starts_with("also") {
                "beside it"
            } else {
                "leads to"
            };
            let (_, told) = shown.split_once(label).expect(&shown);
            assert!(
                told.contains(leads_to) && told.contains(words),
                "{name}: {shown}"
            );
            let then = &failure["leads_to"]["failure"];
            if let Some(id) = then["id"].as_str() {
                let replayed = Finished::of(workspace.cct().args(["replay", id]));
                replayed.expect(100);
                assert!(replayed.stdout.contains(leads_to), "{}", replayed.stdout);
            }
        }
        // The known failure is the race, also where another one is on record that it leads to.
        let mut tool = workspace.cct();
        let args = [
            "test",
            "--json",
            "--test",
            "harm",
            "--shrink",
            "5s",
            "--profile",
            profile,
        ];
        let events = Events::of(&Finished::of(tool.args(args).env("CCT_KNOWN", "true")));
        for name in ["an_addition_is_lost", "an_addition_to_a_cell_is_lost"] {
            let ended = events.test(&format!("races::harm {name}"));
            assert_eq!(ended["status"], "RACE", "{name}: {ended:#}");
            assert_eq!(ended["failure"]["leads_to"]["failure"]["status"], "FAIL");
        }
    }
}

#[test]
fn code_is_named_by_lines_and_functions() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    for points in [
        "src/lib.rs:16-30",
        "src/lib.rs",
        "*Unguarded*",
        "races::*",
        "all",
    ] {
        let args = "test --test harm an_addition_is_lost --races=false --seed 1 --points";
        let mut tool = workspace.cct();
        let found = Finished::of(tool.args(args.split(' ')).arg(points));
        found.expect(100);
        let told = text(&found);
        assert!(told.contains("overwrote it with 1"), "{points}: {told}");
        Finished::of(workspace.cct().args(["replay", "latest"])).expect(100);
    }
}

/// The places of a trap file are points, and workers are held there.
#[test]
fn a_trap_file_says_where_to_hold() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    let place = |line: u32| {
        let site = serde_json::json!({ "file": "src/lib.rs", "line": line, "column": 1 });
        serde_json::json!({ "number": "1", "site": site, "function": "" })
    };
    // Lines that are nowhere any more do no harm.
    let pairs = (16..31).map(
        |line| serde_json::json!({ "places": [place(line), place(1000)], "standing": "dangerous" }),
    );
    let binary = serde_json::json!({ "executable": "", "pairs": pairs.collect::<Vec<_>>() });
    let traps = serde_json::json!({ "version": 1, "binaries": { "races": binary } });
    workspace.write("traps.json", &traps.to_string());
    let args = "test --json --test harm an_addition_is_lost --races=false --traps traps.json";
    let found = Finished::of(workspace.cct().args(args.split(' ')));
    found.expect(100);
    let events = Events::of(&found);
    let ended = events.test("races::harm an_addition_is_lost");
    assert_eq!(ended["status"], "FAIL", "{ended:#}");
    assert_eq!(ended["failure"]["strategy"], "trap:2", "{ended:#}");
    Finished::of(workspace.cct().args(["replay", "latest"])).expect(100);
    for (path, says) in [
        ("nowhere.json", "there is no trap file"),
        ("Cargo.toml", "is no trap file"),
    ] {
        let refused = Finished::of(workspace.cct().args(["test", "--traps", path]));
        refused.expect(96);
        assert!(refused.stderr.contains(says), "{}", refused.stderr);
    }
}

/// Without points no schedule shows it, and a claim says what it is without.
#[test]
fn nothing_is_a_point_by_itself() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    let args = "test --test harm an_addition_is_lost --races=false";
    let passed = Finished::of(workspace.cct().args(args.split(' ')));
    passed.expect(0);
    assert!(
        passed.stdout.contains("but for plain memory"),
        "{}",
        passed.stdout
    );
}

#[test]
fn code_that_is_nowhere_is_refused() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    for points in ["src/lib.rs:1000", "src/nothing.rs", "races::nothing::*"] {
        let mut tool = workspace.cct();
        let refused = Finished::of(tool.args(["test", "--points", points]));
        refused.expect(96);
        assert!(refused.stderr.contains(points), "{}", refused.stderr);
    }
    let mut tool = workspace.cct();
    tool.args(["test", "--test", "work", "--iterations", "20"]);
    let warned = Finished::of(tool.args(["--benign-races", "nothing::*"]));
    warned.expect(0);
    assert!(warned.stderr.contains("`nothing::*`"), "{}", warned.stderr);
}

/// The report without its line breaks.
fn text(finished: &Finished) -> String {
    finished
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}
