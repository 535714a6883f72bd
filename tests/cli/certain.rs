//! From which step on a failure was certain: in reports, in JSON, on record, and after an edit.

use std::fs;
use std::sync::LazyLock;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

use crate::explored::text;

const DEADLOCK: &str = "two_locks_in_two_orders";
const TORN: &str = "two_preemptions_are_needed";
const FAIR: &str = "no_preemption_is_needed";
const ABORT: &str = "it_aborts";
const LIVELOCK: &str = "it_goes_on_for_ever";
const OTHERWISE: &str = "it_fails_in_other_words";

/// The failures of the fixture, with time enough for all of it on a slow machine.
static FOUND: LazyLock<(Workspace, Events)> = LazyLock::new(|| found("60s"));

fn found(time: &str) -> (Workspace, Events) {
    let workspace = Workspace::of_fixture("shrinking");
    let args = ["--strategy", "random", "--shrink", time, "--", "--exact"];
    let tests = [DEADLOCK, TORN, FAIR, ABORT, LIVELOCK, OTHERWISE];
    let events = workspace.explore(&[&args[..], &tests].concat(), 100);
    (workspace, events)
}

fn failure<'a>(events: &'a Events, test: &str) -> &'a Value {
    &events.test(&format!("shrinking::long {test}"))["failure"]
}

fn told(workspace: &Workspace, args: &[&str], code: i32) -> String {
    let told = Finished::of(workspace.cct().args(args));
    told.expect(code);
    told.stdout
}

/// The line of a report about it.
fn line(report: &str) -> &str {
    let mut lines = report.lines().map(str::trim_start);
    lines
        .find(|line| line.contains("certain from"))
        .unwrap_or_default()
}

#[test]
fn the_step_is_told_and_marked() {
    let (workspace, events) = &*FOUND;
    for test in [DEADLOCK, TORN, FAIR, ABORT] {
        let failure = failure(events, test);
        let certain = &failure["certain"];
        let step = certain["step"].as_u64().expect("it is known");
        assert!(
            step > 0 && certain["is_earliest"] == true,
            "{test}: {certain:#}"
        );
        assert_eq!(certain["before"]["made"], 32, "{test}");
        let report = told(workspace, &["show", text(&failure["id"])], 0);
        let words = format!("◆ certain from step {step}: ");
        assert!(line(&report).starts_with(&words), "{test}: {report}");
        let mark = format!("◆ {step}  ");
        let rows = report
            .lines()
            .filter(|row| row.trim_start().starts_with(&mark));
        assert_eq!(rows.count(), 1, "{test}: {report}");
        let again = told(workspace, &["replay", text(&failure["id"])], 100);
        assert_eq!(line(&again), line(&report), "{test}");
    }
}

/// The test fails in any case, each time by another panic.
#[test]
fn a_failure_in_other_words_is_one() {
    let failure = failure(&FOUND.1, OTHERWISE);
    let certain = &failure["certain"];
    assert_eq!(certain["step"], 0, "{certain:#}");
    let report = told(&FOUND.0, &["show", text(&failure["id"])], 0);
    assert!(line(&report).contains("certain from the start"), "{report}");
}

/// When the second worker has taken its first lock, neither gets the other's.
#[test]
fn the_step_is_the_one_that_decides() {
    let failure = failure(&FOUND.1, DEADLOCK);
    let certain = &failure["certain"];
    let expected = serde_json::json!({ "continuations": 1, "are_all": true });
    for key in ["continuations", "are_all"] {
        assert_eq!(certain[key], expected[key], "{certain:#}");
    }
    let steps = failure["steps"].as_array().expect("steps");
    let mut picked = steps.iter().filter(|step| step["note"] == false);
    let decides = picked.find(|step| step["step"] == certain["step"]);
    let decides = decides.expect("it is a step");
    assert_eq!(decides["operation"], "lock", "{decides:#}");
    assert_eq!(decides["outcome"], "done", "{decides:#}");
    let later = picked.filter(|step| step["operation"] == "lock" && step["outcome"] == "done");
    assert_eq!(later.count(), 0, "it is the last lock that anybody gets");
}

#[test]
fn a_livelock_says_which_steps_repeat() {
    let (workspace, events) = &*FOUND;
    let failure = failure(events, LIVELOCK);
    let certain = &failure["certain"];
    assert_eq!(
        (&certain["step"], &certain["before"]),
        (&0.into(), &Value::Null)
    );
    let cycle = &failure["repeating"][0];
    let (first, last) = (cycle["first"].as_u64(), cycle["last"].as_u64());
    assert!(
        first < last && cycle["times"].as_u64() > Some(100),
        "{cycle:#}"
    );
    let report = told(workspace, &["show", text(&failure["id"])], 0);
    assert!(
        line(&report).starts_with("certain from the start: "),
        "{report}"
    );
    assert!(report.contains("repeats its steps "), "{report}");
    assert!(self::failure(events, DEADLOCK)["repeating"].is_null());
}

/// Without shrinking nothing is tried, and `cargo cct shrink` makes up for it. A program that has changed is
/// not judged by the one before.
#[test]
fn it_is_of_one_schedule_of_one_program() {
    let (workspace, events) = found("off");
    let failure = failure(&events, DEADLOCK);
    assert!(failure["certain"].is_null(), "{failure:#}");
    let id = text(&failure["id"]);
    let show = || told(&workspace, &["show", id], 0);
    assert_eq!(line(&show()), "");
    told(&workspace, &["shrink", id, "--time", "60s"], 0);
    assert!(
        line(&show()).contains("the only continuation fails"),
        "{}",
        show()
    );
    // A record from before there was such a thing.
    let record = workspace.path(&format!("target/cct/failures/{id}/trace.json"));
    let written = fs::read_to_string(&record).expect("it is on record");
    let mut older: Value = serde_json::from_str(&written).expect("it is JSON");
    let older_parts = older.as_object_mut().expect("an object");
    older_parts.remove("certain").expect("it is known");
    fs::write(&record, older.to_string()).expect("it can be written");
    assert_eq!(line(&show()), "");
    fs::write(&record, written).expect("it can be written");
    let source = workspace.path("tests/long.rs");
    let before = fs::read_to_string(&source).expect("a test");
    fs::write(&source, format!("// Longer by a line.\n{before}")).expect("it can be written");
    let edited = told(&workspace, &["replay", id], 100);
    assert!(edited.contains("Reproduced"), "{edited}");
    assert_eq!(line(&edited), "");
}
