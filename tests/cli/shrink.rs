//! `cargo cct shrink`: the same failure by fewer preemptions, and the one before is kept.

use std::fs;
use std::sync::LazyLock;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

use crate::explored::text;

/// The failures of the fixture, as random schedules found them. Each test changes its own.
static FOUND: LazyLock<(Workspace, Events)> = LazyLock::new(|| {
    let workspace = Workspace::of_fixture("shrinking");
    let args = ["--strategy", "random", "--iterations", "2000"];
    let events = workspace.explore(&args, 100);
    (workspace, events)
});

fn id_of(test: &str) -> &'static str {
    text(&FOUND.1.test(&format!("shrinking::long {test}"))["failure"]["id"])
}

fn cct(args: &[&str]) -> Finished {
    Finished::of(FOUND.0.cct().args(args))
}

/// Shrinks a test's failure; returns the message.
fn shrunk(test: &str) -> Value {
    let told = cct(&["shrink", id_of(test), "--json", "--time", "60s"]);
    told.expect(0);
    serde_json::from_str(&told.stdout).expect("a line of JSON")
}

/// The failure replays as it is on record, under this name.
fn replays(name: &str) -> String {
    let told = cct(&["replay", name]);
    told.expect(100);
    assert!(told.stdout.contains("Reproduced"), "{told:#?}");
    told.stdout
}

fn count(of: &Value, what: &str) -> u64 {
    of[what].as_u64().expect("a number")
}

#[test]
fn the_fewest_preemptions_are_left() {
    let fewest = [
        ("a_lost_update_in_a_pool", 1),
        ("two_locks_in_two_orders", 1),
        ("two_preemptions_are_needed", 2),
        ("a_ring_of_locks", 1),
        ("no_preemption_is_needed", 0),
    ];
    for (test, fewest) in fewest {
        let told = shrunk(test);
        let (from, to) = (&told["from"], &told["to"]);
        assert_eq!(count(to, "preemptions"), fewest, "{test}: {told:#}");
        assert!(count(from, "preemptions") >= fewest, "{test}: {told:#}");
        let report = replays(id_of(test));
        assert!(report.contains("shrunk from"), "{test}: {report}");
    }
}

#[test]
fn a_failure_as_it_was_found_is_kept_beside() {
    let workspace = Workspace::of_fixture("shrinking");
    let test = "a_lost_update_in_a_pool";
    let args = ["--strategy", "random", test];
    let found = workspace.explore(&args, 100);
    let id = text(&found.test(&format!("shrinking::long {test}"))["failure"]["id"]).to_owned();
    let cct = |args: &[&str]| Finished::of(workspace.cct().args(args));
    let folder = workspace.path(&format!("target/cct/failures/{id}"));
    let record = fs::read(folder.join("trace.json")).expect("it was found");
    let first = cct(&["shrink", &id, "--time=60s"]);
    first.expect(0);
    assert!(
        first.stdout.contains(&format!("cargo cct replay {id}")),
        "{first:#?}"
    );
    let aside = folder.join("as-found");
    assert_eq!(
        fs::read(aside.join("trace.json")).expect("it is kept"),
        record
    );
    let replayed = cct(&["replay", aside.to_str().expect("paths are text")]);
    replayed.expect(100);
    assert!(replayed.stdout.contains("Reproduced"), "{replayed:#?}");
    // A second time nothing is left to do, and the first record stays where it is.
    let again = cct(&["shrink", &id]);
    again.expect(0);
    assert!(again.stdout.contains("Shrunk no further"), "{again:#?}");
    assert_eq!(
        fs::read(aside.join("trace.json")).expect("it is kept"),
        record
    );
    // The list has it once.
    let listed = cct(&["list"]);
    assert_eq!(listed.stdout.matches(&*id).count(), 1, "{listed:#?}");
}

/// The name that a failure has beside is no reason to replace it by something longer.
#[test]
fn only_the_failure_on_record_is_replaced() {
    let test = "shrinking::long two_preemptions_are_needed";
    let workspace = Workspace::of_fixture("shrinking");
    let args = ["--strategy", "random", "two_preemptions_are_needed"];
    let found = workspace.explore(&args, 100);
    let id = text(&found.test(test)["failure"]["id"]).to_owned();
    let folder = workspace.path(&format!("target/cct/failures/{id}"));
    let cct = |args: &[&str]| Finished::of(workspace.cct().args(args));
    cct(&["shrink", &id, "--time=60s"]).expect(0);
    let record = fs::read(folder.join("trace.json")).expect("it is on record");
    let aside = folder.join("as-found");
    let refused = cct(&["shrink", aside.to_str().expect("paths are text")]);
    refused.expect(96);
    assert!(refused.stderr.contains("name it by its id"), "{refused:#?}");
    // Nor is one of another program.
    let source = workspace.path("tests/long.rs");
    let before = fs::read_to_string(&source).expect("a test");
    fs::write(&source, format!("// Longer by a line.\n{before}")).expect("it can be written");
    let refused = cct(&["shrink", &id]);
    refused.expect(96);
    assert!(refused.stderr.contains("has changed since"), "{refused:#?}");
    assert_eq!(
        fs::read(folder.join("trace.json")).expect("it is there"),
        record
    );
}

/// By default a failure is shrunk before it is shown, and is kept as it was found.
#[test]
fn failures_are_shrunk_before_they_are_shown() {
    let workspace = Workspace::of_fixture("shrinking");
    let args = ["--strategy", "random", "--shrink", "1m", "a_lost_update"];
    let events = workspace.explore(&args, 100);
    let failure = &events.test("shrinking::long a_lost_update_in_a_pool")["failure"];
    assert_eq!(count(failure, "preemptions"), 1, "{failure:#}");
    let from = &failure["shrunk"]["from"];
    assert!(count(from, "preemptions") > 1, "{failure:#}");
    let told = Finished::of(workspace.cct().args(["replay", "latest"]));
    told.expect(100);
    assert!(told.stdout.contains("Reproduced"), "{told:#?}");
    assert!(told.stdout.contains("shrunk from"), "{told:#?}");
    let folder = format!("target/cct/failures/{}", text(&failure["id"]));
    let aside = workspace.path(&format!("{folder}/as-found"));
    let told = Finished::of(workspace.cct().args(["replay", &aside.to_string_lossy()]));
    told.expect(100);
    assert!(told.stdout.contains("Reproduced"), "{told:#?}");
    assert!(!told.stdout.contains("shrunk from"), "{told:#?}");
}

/// A schedule fails again when it is followed worker by worker, whatever its workers are.
#[test]
fn failures_of_tasks_are_shrunk() {
    for fixture in ["streams", "executors", "tasks"] {
        let workspace = Workspace::of_fixture(fixture);
        let args = ["--strategy", "random", "--shrink", "10s"];
        let events = workspace.explore(&args, 100);
        let mut shrunk = 0;
        for (test, ended) in events.ended() {
            let failure = &ended["failure"];
            let is_kept = matches!(text(&ended["status"]), "FAIL" | "DEADLOCK");
            if is_kept && !failure["steps"].is_null() {
                assert!(!failure["shrunk"].is_null(), "{test}: {ended:#}");
                shrunk += 1;
            }
        }
        assert!(shrunk > 0, "{fixture} has failures");
    }
}

/// Where an attempt never comes back, each of the others has a process of its own.
#[test]
fn an_attempt_that_never_comes_back_does_not_end_the_search() {
    let id = id_of("it_hangs_if_nothing_is_lost");
    let args = [
        "shrink",
        id,
        "--json",
        "--hang-timeout",
        "1s",
        "--time",
        "20s",
    ];
    let told = cct(&args);
    told.expect(0);
    let told: Value = serde_json::from_str(&told.stdout).expect("a line of JSON");
    assert!(told["ended_by"].is_null(), "{told:#}");
    assert_eq!(count(&told["to"], "preemptions"), 1, "{told:#}");
    replays(id);
}

/// Failures that end their process, and those in which nobody gets on, are shrunk as well.
#[test]
fn all_kinds_of_failures_are_shrunk() {
    let fewest = [
        ("it_goes_on_for_ever", 0),
        ("it_aborts", 1),
        ("it_is_ended_by_a_signal", 1),
        // Others could go on where one ends the process.
        ("a_worker_aborts", 1),
        ("a_worker_exits", 1),
        ("a_worker_panics_while_it_panics", 1),
        ("a_worker_panics_in_c", 1),
        ("a_worker_has_no_memory", 1),
        ("a_worker_overflows_its_stack", 1),
        ("a_worker_reads_nowhere", 1),
        ("a_worker_is_killed_by_itself", 1),
        ("a_worker_divides_by_zero", 1),
    ];
    for (test, fewest) in fewest {
        let told = shrunk(test);
        assert_eq!(
            count(&told["to"], "preemptions"),
            fewest,
            "{test}: {told:#}"
        );
        assert!(told["is_complete"] == true, "{test}: {told:#}");
        replays(id_of(test));
    }
}

#[test]
fn failures_that_do_not_exist_are_not_shrunk() {
    let told = cct(&["shrink", "0000-00"]);
    told.expect(96);
    assert!(told.stderr.contains("no failure `0000-00`"), "{told:#?}");
}
