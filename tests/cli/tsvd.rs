//! Delay injection: violations are seen in native runs, and what something orders is none. No run of a thread
//! is timed: the other one of each pair comes by until both have been there.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

use crate::killed::send;

/// Long enough for the other thread to come on any machine: who is held goes on when it does.
const DELAY: &str = "--delay=10s";

/// The events of a run of these tests of the fixture.
fn run(workspace: &Workspace, code: i32, args: &[&str]) -> Events {
    let finished = Finished::of(workspace.cct().args(["tsvd", "--json"]).args(args));
    finished.expect(code);
    Events::of(&finished)
}

fn all<'a>(events: &'a Events, kind: &str) -> Vec<&'a Value> {
    events.of_kind(kind).collect()
}

#[test]
fn accesses_that_nothing_orders_are_violations() {
    let workspace = Workspace::of_fixture("tsvd");
    for (test, operations, functions) in [
        ("write_and_write", ["write", "write"], ["", ""]),
        (
            "read_and_write",
            ["read", "write"],
            ["Vec::len", "Vec::push"],
        ),
        ("write_under_a_read_lock", ["read", "write"], ["", ""]),
    ] {
        let events = run(&workspace, 100, &[DELAY, "--runs=1", test]);
        let found = all(&events, "violation");
        let fits = |violation: &&&Value| {
            let sides = [&violation["held"], &violation["came"]];
            let told = |key: &str| {
                let mut told = sides.map(|side| side[key].as_str().unwrap_or_default());
                told.sort_unstable();
                told
            };
            told("operation") == operations && told("calls_std") == functions
        };
        let violation = found.iter().find(fits);
        let violation = violation.unwrap_or_else(|| panic!("{test}: {found:#?}"));
        assert_eq!(violation["severity"], "undefined-behaviour");
        assert_eq!(
            violation["tests"],
            serde_json::json!([format!("tests::{test}")])
        );
        for side in ["held", "came"] {
            assert_eq!(
                violation[side]["site"]["file"], "src/lib.rs",
                "{violation:#}"
            );
        }
        let id = violation["id"].as_str().expect("it has an id");
        let folder = workspace.path("target/cct/violations").join(id);
        let report = fs::read_to_string(folder.join("report.txt")).expect("it is kept");
        assert!(
            report.contains("came meanwhile") && !report.contains('\u{1b}'),
            "{report}"
        );
    }
}

/// Tables of lines, which are all that some profiles have, name those functions alone that are inlined.
#[test]
fn functions_are_named_without_more_than_lines() {
    let workspace = Workspace::of_fixture("tsvd");
    let mut command = workspace.cct();
    command.env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only");
    command.args(["tsvd", "--json", DELAY, "--runs=1", "read_and_write"]);
    let found = Finished::of(&mut command);
    found.expect(100);
    let events = Events::of(&found);
    let mut called: Vec<_> = all(&events, "violation")
        .iter()
        .flat_map(|violation| [&violation["held"], &violation["came"]])
        .map(|side| side["calls_std"].to_string())
        .collect();
    called.sort_unstable();
    called.dedup();
    assert_eq!(called, ["\"Vec::len\"", "\"Vec::push\""], "{found:#?}");
    assert!(!found.stdout.contains("<unknown>"), "{found:#?}");
}

#[test]
fn what_something_orders_is_no_violation() {
    let workspace = Workspace::of_fixture("tsvd");
    let safe = [
        "read_and_read",
        "neighbours",
        "under_a_mutex",
        "by_an_atomic",
        "before_and_after_a_thread",
        "handed_over",
    ];
    for more in [
        &["--delay=20ms"][..],
        &["--delay=20ms", "--locks=false", "--inference=false"],
        &["--delay=5ms", "--algorithm=tsvd-hb"],
        &["--delay=1ms", "--algorithm=dynamic-random"],
        &["--delay=1ms", "--algorithm=static-random"],
    ] {
        let named = safe.iter().copied().chain(["--exact"]);
        let filter: Vec<String> = named
            .map(|word| match word.strip_prefix("--") {
                Some(_) => word.to_owned(),
                None => format!("tests::{word}"),
            })
            .collect();
        let filter: Vec<&str> = filter.iter().map(String::as_str).collect();
        let args: Vec<&str> = more.iter().copied().chain(["--"]).chain(filter).collect();
        let events = run(&workspace, 0, &args);
        assert!(all(&events, "violation").is_empty(), "{more:?}");
        let ran = all(&events, "tsvd_ran");
        assert_eq!(ran.len(), 2);
        assert!(ran.iter().all(|ran| ran["failed"].is_null()), "{ran:#?}");
    }
}

/// A mutex, making a thread and joining it order accesses at no cost.
#[test]
fn nobody_is_held_where_the_order_is_known() {
    let workspace = Workspace::of_fixture("tsvd");
    for test in [
        "under_a_mutex",
        "before_and_after_a_thread",
        "read_and_read",
    ] {
        let events = run(&workspace, 0, &[DELAY, test]);
        for ran in all(&events, "tsvd_ran") {
            assert_eq!(ran["delays"], 0, "{test}: {ran:#}");
        }
    }
}

/// Both threads of `neighbours` make accesses, and neither is the other's partner. On a busy machine they may
/// take turns so seldom that nothing is near: then there is nobody to spare, and one looks again.
#[test]
fn nobody_is_held_for_longer_than_is_allowed() {
    let workspace = Workspace::of_fixture("tsvd");
    let args = [
        "--delay=1s",
        "--algorithm=dynamic-random",
        "--probability=1",
        "neighbours",
    ];
    for none in ["--delay-per-thread=0s", "--delay-per-test=0s"] {
        let spares = || {
            let events = run(&workspace, 0, &[&args[..], &[none]].concat());
            let ran = all(&events, "tsvd_ran");
            assert!(!ran.is_empty());
            for ran in &ran {
                assert_eq!(ran["delays"], 0, "{none}: {ran:#}");
            }
            let mut spared = ran.iter().map(|ran| ran["spared"].as_u64());
            spared.all(|spared| spared.expect("a number") > 0)
        };
        assert!((0..50).any(|_| spares()), "{none}: nobody in 50 runs");
    }
}

/// An earlier command's violations are looked for again, unless nobody wants that. Which of all accesses are
/// delayed is drawn, and so is whether a run finds one of two accesses.
#[test]
fn what_was_found_is_found_again() {
    let workspace = Workspace::of_fixture("tsvd");
    let found = |more: &[&str], seed: u32| {
        let seed = format!("--seed={seed}");
        let args = [&["tsvd", "--json", DELAY, &seed, "once_each"], more].concat();
        let events = Events::of(&Finished::of(workspace.cct().args(args)));
        let ids = all(&events, "violation").into_iter();
        ids.map(|found| found["id"].to_string()).collect::<Vec<_>>()
    };
    let mut commands = (0..50).map(|seed| found(&[], seed));
    let first = commands.find(|ids| !ids.is_empty());
    let first = first.expect("one of 50 commands finds it");
    let is_again = |seed| {
        let again = found(&["--runs=1"], seed);
        again.iter().any(|id| first.contains(id))
    };
    assert!((0..50).any(is_again), "{first:?}");
    assert_eq!(found(&["--runs=1", "--again=false"], 0), [""; 0]);
}

/// The file begins the next run, is the same for whoever reads it, and is refused when it is something else.
#[test]
fn a_trap_file_goes_from_run_to_run() {
    let workspace = Workspace::of_fixture("tsvd");
    let traps = workspace.path("traps.json");
    let traps = traps.to_str().expect("its path is text");
    run(
        &workspace,
        0,
        &["--delay=1ms", "--runs=1", "--traps", traps, "by_an_atomic"],
    );
    let file: Value = serde_json::from_str(&fs::read_to_string(traps).expect("it is there"))
        .expect("it is whole");
    assert_eq!(file["version"], 1);
    let pairs = file["binaries"]["tsvd"]["pairs"]
        .as_array()
        .expect("a list");
    assert!(!pairs.is_empty());
    let merged = workspace.path("merged.json");
    let merged = merged.to_str().expect("its path is text");
    run(
        &workspace,
        0,
        &[
            "--algorithm=none",
            "--runs=1",
            "--traps",
            merged,
            "--merge",
            traps,
            "read_and_read",
        ],
    );
    let merged: Value = serde_json::from_str(&fs::read_to_string(merged).expect("it is there"))
        .expect("it is whole");
    assert_eq!(
        merged["binaries"]["tsvd"]["pairs"].as_array().map(Vec::len),
        Some(pairs.len())
    );
    fs::write(traps, "{}").expect("it is written");
    let refused = Finished::of(workspace.cct().args(["tsvd", "--traps", traps]));
    refused.expect(96);
    assert!(
        refused.stderr.contains("is no trap file of this version"),
        "{}",
        refused.stderr
    );
}

#[test]
fn parameters_that_make_no_sense_are_refused() {
    let workspace = Workspace::of_fixture("tsvd");
    for (args, words) in [
        (["--decay", "2"], "a number from 0 to 1"),
        (["--delay", "soon"], "a time such as `100ms`"),
        (["--algorithm", "best"], "one of `tsvd`"),
        (["--runs", "0"], "0 is not in"),
    ] {
        let refused = Finished::of(workspace.cct().arg("tsvd").args(args));
        refused.expect(96);
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
    let none = Finished::of(workspace.cct().args(["tsvd", "no_such_test"]));
    none.expect(4);
}

#[test]
fn people_are_told_what_was_about_to_happen() {
    let workspace = Workspace::of_fixture("tsvd");
    let shown = Finished::of(
        workspace
            .cct()
            .args(["tsvd", DELAY, "--runs=1", "write_and_write"]),
    );
    shown.expect(100);
    let told: Vec<&str> = shown.stdout.split_whitespace().collect();
    let told = told.join(" ");
    for words in [
        "VIOLATION tsvd tests::write_and_write",
        "two threads are about to access the same memory at a time, nothing orders them, and both change it",
        "was held here, about to write 8 bytes",
        "came meanwhile, about to write 8 bytes",
        "at src/lib.rs:57:",
        "1 violation",
    ] {
        assert!(told.contains(words), "`{words}` in {}", shown.stdout);
    }
}

/// Looking allocates, so an allocator that is looked at would wait for itself.
#[test]
fn an_allocator_of_the_program_is_left_alone() {
    let workspace = Workspace::of_fixture("tsvd");
    for algorithm in ["tsvd", "tsvd-hb", "dynamic-random"] {
        let algorithm = format!("--algorithm={algorithm}");
        // Each time other threads are elsewhere when the process ends.
        for (tests, runs) in [
            ("--test=allocator", "--runs=10"),
            ("--test=before", "--runs=2"),
        ] {
            let events = run(&workspace, 0, &[&algorithm, runs, tests]);
            assert!(all(&events, "violation").is_empty());
        }
    }
}

/// A test that has ended does nothing, and what a pool does is anybody's.
#[test]
fn a_pool_is_no_test() {
    let workspace = Workspace::of_fixture("tsvd");
    for threads in ["1", "2"] {
        let threads = format!("--test-threads={threads}");
        let args = [
            "--locks=false",
            "--inference=false",
            "--test=pool",
            "--",
            &threads,
        ];
        let events = run(&workspace, 0, &args);
        assert!(all(&events, "violation").is_empty());
    }
}

#[test]
fn a_trap_file_that_is_not_there_is_not_merged() {
    let workspace = Workspace::of_fixture("tsvd");
    let refused = Finished::of(workspace.cct().args(["tsvd", "--merge", "nowhere.json"]));
    refused.expect(96);
    let words = "there is no trap file `nowhere.json`";
    assert!(refused.stderr.contains(words), "{}", refused.stderr);
}

/// Begins a run without an end, and sends it a signal once it has run so often; returns what it told, and its
/// exit code.
fn signalled(workspace: &Workspace, runs: usize, signal: &str) -> (String, Option<i32>) {
    let args = [
        "tsvd",
        "--json",
        "--runs=1000000",
        "--delay=1ms",
        "by_an_atomic",
    ];
    let mut command = workspace.cct();
    command
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().expect("it runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut told = String::new();
    while told.matches("\"event\":\"tsvd_ran\"").count() < runs {
        assert!(lines.read_line(&mut told).expect("text") > 0, "{told}");
    }
    send(signal, child.id());
    while lines.read_line(&mut told).is_ok_and(|read| read > 0) {}
    (told, child.wait().expect("ours").code())
}

fn traps(workspace: &Workspace) -> Value {
    let text = workspace.read("target/cct/traps.json");
    serde_json::from_str(&text).expect("it is whole")
}

/// A run that somebody stops is told as stopped, and its trap file is whole.
#[test]
fn a_run_that_is_stopped_says_so() {
    let workspace = Workspace::of_fixture("tsvd");
    let (told, code) = signalled(&workspace, 1, "-INT");
    assert_eq!(code, Some(130), "{told}");
    let events = Events::read(&told);
    assert_eq!(events.only("tsvd_ended")["stopped"], true);
    assert_eq!(traps(&workspace)["version"], 1);
}

/// Nor is it damaged when the tool is killed, whenever that is: the next run goes on with it.
#[test]
fn a_trap_file_is_whole_whenever_the_tool_is_killed() {
    let workspace = Workspace::of_fixture("tsvd");
    for runs in 1..=12 {
        let (told, code) = signalled(&workspace, runs, "-KILL");
        assert_eq!(code, None, "{told}");
        assert_eq!(traps(&workspace)["version"], 1);
    }
}
