//! Each way in which a test can end: found, told, kept, and repeated.

use std::collections::BTreeMap;

use cct_tests::support::{Events, Finished};
use serde_json::Value;

use crate::explored::{EXPLORED, HANGS, line_at, text};

/// Test, status, kind of the bug, what its message contains, and text on the line that it is at.
const FAILURES: [(&str, &str, &str, &str, &str); 20] = [
    (
        "abort of_a_double_panic",
        "ABORT",
        "abort",
        "worker 1 aborted",
        "",
    ),
    (
        "abort on_request",
        "ABORT",
        "abort",
        "`process::abort()`",
        "process::abort()",
    ),
    (
        "deadlock at_a_barrier",
        "DEADLOCK",
        "deadlock",
        "every worker waits",
        "",
    ),
    (
        "deadlock of_a_receiver_that_keeps_a_sender",
        "DEADLOCK",
        "deadlock",
        "every worker waits",
        "",
    ),
    (
        "deadlock of_a_worker_with_itself",
        "DEADLOCK",
        "deadlock",
        "every worker waits",
        "",
    ),
    (
        "deadlock of_two_locks",
        "DEADLOCK",
        "deadlock",
        "every worker waits",
        "",
    ),
    (
        "deadlock without_a_signal",
        "DEADLOCK",
        "deadlock",
        "every worker waits",
        "",
    ),
    (
        "error is_no_panic",
        "FAIL",
        "no_panic",
        "did not panic as expected",
        "",
    ),
    (
        "error is_returned",
        "FAIL",
        "error_returned",
        "returned an error",
        "",
    ),
    (
        "exit of_the_process",
        "EXIT",
        "exit",
        "`process::exit(3)`",
        "process::exit(3)",
    ),
    (
        "killed in_the_middle_of_a_schedule",
        "CRASH",
        "signal",
        "SIGKILL",
        "",
    ),
    (
        "lock_cycle while_a_third_worker_runs_on",
        "DEADLOCK",
        "lock_cycle",
        "in a circle, while others go on",
        "",
    ),
    (
        "livelock spins_on_a_flag_that_nobody_sets",
        "LIVELOCK",
        "livelock",
        "no worker will ever change anything",
        "",
    ),
    (
        "livelock waits_while_the_holder_spins",
        "LIVELOCK",
        "livelock",
        "no worker will ever change anything",
        "",
    ),
    (
        "panic in_the_body",
        "FAIL",
        "panic",
        "the other was faster",
        "the other was faster",
    ),
    (
        "panic through_a_poisoned_lock",
        "FAIL",
        "panic",
        "the holder gives up",
        "the holder gives up",
    ),
    (
        "panic through_a_scope",
        "FAIL",
        "panic",
        "the scoped worker gives up",
        "the scoped worker gives up",
    ),
    (
        "panic through_join",
        "FAIL",
        "panic",
        "the worker gives up",
        "the worker gives up",
    ),
    (
        "signal of_a_wild_write",
        "CRASH",
        "signal",
        "SIGSEGV",
        "write_volatile",
    ),
    (
        "stack_overflow of_a_worker",
        "OVERFLOW",
        "stack_overflow",
        "thread 'diver' has overflowed its stack",
        "",
    ),
];

#[test]
fn each_failure_is_what_it_is() {
    assert_each_failure_is_what_it_is(&EXPLORED.events);
}

pub(crate) fn assert_each_failure_is_what_it_is(events: &Events) {
    let mut wrong = Vec::new();
    for (name, status, kind, message, site) in FAILURES {
        let ended = events.test(&format!("verdicts::{name}"));
        let bug = &ended["failure"]["bug"];
        let holds = ended["status"] == status
            && bug["kind"] == kind
            && text(&bug["message"]).contains(message)
            && (site.is_empty() || line_at(&bug["site"]).contains(site))
            && ended["failure"]["repeats"]["repeats"] == "yes";
        if !holds {
            wrong.push(format!("{name}: {} {bug:#}", ended["status"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_looks_wrong_and_is_not_passes() {
    let statuses = EXPLORED.events.statuses();
    let failures = FAILURES.map(|(name, ..)| format!("verdicts::{name}"));
    let others = statuses
        .iter()
        .filter(|(name, _)| !failures.contains(name) && *name != NEVER_ENDS);
    let others: BTreeMap<_, _> = others.collect();
    assert!(others.len() >= 7, "{others:?}");
    assert!(
        others.values().all(|status| *status == "PASS"),
        "{others:?}"
    );
}

/// The test of which no schedule comes to an end.
const NEVER_ENDS: &str = "verdicts::cut_off two_who_count_for_ever";

#[test]
fn what_never_ends_is_unfinished_and_counted() {
    let livelock = EXPLORED.events.test(NEVER_ENDS);
    assert_eq!(livelock["outcome"], "unfinished", "{livelock}");
    assert_eq!(livelock["status"], "UNFINISHED", "{livelock}");
    assert!(
        text(&livelock["reason"]).contains("--max-steps"),
        "{livelock}"
    );
    let counters = &livelock["counters"];
    assert_eq!(counters["cut_offs"], 100, "{livelock}");
    // The bound counts from the second worker.
    assert_eq!(counters["longest"], 20_001, "{livelock}");
    let of_the_run = EXPLORED.events.only("run_ended");
    assert_eq!(of_the_run["counters"]["cut_offs"], 100, "{of_the_run}");
    assert_eq!(of_the_run["unfinished"], 1, "{of_the_run}");
    let mut listed = of_the_run["failures"].as_array().into_iter().flatten();
    assert!(
        listed.any(|failed| failed["status"] == "UNFINISHED"),
        "{of_the_run}"
    );

    let workspace = &EXPLORED.workspace;
    let told = workspace.test(&["--iterations", "3", "--test", "cut_off"], 100);
    let line = told.stdout.lines().find(|line| line.contains("UNFINISHED"));
    let line = line.unwrap_or_else(|| panic!("no such line: {}", told.stdout));
    let says = [
        "none of 3 schedules ended",
        "cut off at 20,001 steps: raise `--max-steps`",
        "`#[cct::test(max_steps = …)]`",
    ];
    for part in says {
        assert!(line.contains(part), "no `{part}`: {line}");
    }
    assert!(
        told.stdout.contains("0 passed, 1 unfinished"),
        "{}",
        told.stdout
    );
    let shorter = [
        "--iterations",
        "3",
        "--max-steps",
        "50",
        "--test",
        "cut_off",
    ];
    let shorter = workspace.explore(&shorter, 100);
    let counters = &shorter.only("run_ended")["counters"];
    assert_eq!(counters["longest"], 51, "{counters}");
}

#[test]
fn a_livelock_names_who_spins() {
    let waits = waits("livelock waits_while_the_holder_spins");
    let spinners: Vec<_> = waits.iter().filter(|wait| wait["spins"] == true).collect();
    assert_eq!(spinners.len(), 1, "{waits:#?}");
    assert_eq!(spinners[0]["worker"], 1);
    let line = line_at(&spinners[0]["site"]);
    assert!(
        line.contains("others_flags[1].load") || line.contains("yield_now"),
        "{line}"
    );
    let waiting = waits.iter().find(|wait| wait["spins"] == false);
    assert_eq!(waiting.expect("the body waits")["holder"], 1);

    let shown = show("livelock waits_while_the_holder_spins");
    assert!(shown.contains("spins"), "{shown}");
}

#[test]
fn a_circle_of_locks_is_told_with_its_holders() {
    for test in [
        "deadlock of_two_locks",
        "lock_cycle while_a_third_worker_runs_on",
    ] {
        let waits = waits(test);
        let circle: Vec<_> = waits
            .iter()
            .filter(|wait| wait["in_cycle"] == true)
            .collect();
        assert_eq!(circle.len(), 2, "{waits:#?}");
        assert_eq!(circle[0]["holder"], circle[1]["worker"]);
        assert_eq!(circle[1]["holder"], circle[0]["worker"]);
        let shown = show(test);
        assert!(shown.contains("held by"), "{shown}");
    }
}

#[test]
fn a_killed_process_leaves_its_schedule_and_the_run_goes_on() {
    let killed = EXPLORED
        .events
        .test("verdicts::killed in_the_middle_of_a_schedule");
    let iteration = killed["failure"]["iteration"].as_u64();
    assert!(iteration > Some(1), "no schedule came before: {killed:#}");
    let id = text(&killed["failure"]["id"]);
    let record = EXPLORED
        .workspace
        .read(&format!("target/cct/failures/{id}/trace.json"));
    let record: Value = record.parse().expect("a record is JSON");
    let runs = record["schedule"]["runs"]
        .as_array()
        .expect("a schedule has runs");
    assert!(runs.len() > 1, "{runs:?}");
    let summary = EXPLORED.events.only("run_ended");
    assert_eq!(summary["not_run"], 0, "{summary}");
}

#[test]
fn a_panic_that_nobody_observes_is_shown_and_fails_on_demand() {
    let workspace = &EXPLORED.workspace;
    let quiet = [
        "--iterations",
        "20",
        "--test",
        "pass",
        "--",
        "an_unobserved_panic",
    ];
    let shown = workspace.test(&quiet, 0);
    assert!(
        shown.stdout.contains("panicked at tests/pass.rs:"),
        "{}",
        shown.stdout
    );
    let warning = " and nobody noticed: nobody looks";
    assert!(shown.stdout.contains(warning), "{}", shown.stdout);

    let mut strict = vec!["--fail-on-unobserved-panic"];
    strict.extend(quiet);
    let failed = workspace.explore(&strict, 100);
    let ended = failed.test("verdicts::pass an_unobserved_panic");
    assert_eq!(ended["status"], "PANIC");
    let bug = &ended["failure"]["bug"];
    assert_eq!(bug["kind"], "unobserved_panic");
    assert!(line_at(&bug["site"]).contains("nobody looks"), "{bug:#}");
}

#[test]
fn code_without_points_hangs_at_a_place() {
    let workspace = &EXPLORED.workspace;
    let short = ["--hang-timeout", "300ms"];
    let hung = workspace.explore(&["--hang-timeout", "300ms", "--test", "hang"], 100);
    let ended = hung.test(&format!("verdicts::hang {HANGS}"));
    assert_eq!(ended["status"], "HANG", "{ended:#}");
    let bug = &ended["failure"]["bug"];
    assert_eq!(bug["kind"], "hang");
    assert_eq!(bug["worker"], 1, "{bug:#}");
    let (file, line) = (text(&bug["site"]["file"]), &bug["site"]["line"]);
    assert_eq!(file.trim_start_matches("./"), "tests/hang.rs", "{bug:#}");
    assert!((7..=11).contains(&line.as_u64().unwrap_or(0)), "{bug:#}");

    let id = text(&ended["failure"]["id"]);
    let replayed = Finished::of(workspace.cct().args(["replay", id, "--json"]).args(short));
    replayed.expect(100);
    assert_eq!(
        Events::of(&replayed).only("replayed")["outcome"],
        "reproduced"
    );
}

/// A loop with steps in it is no hang, however long it takes: whether it comes to an end nobody knows.
#[test]
fn one_thread_may_go_on_for_long() {
    let workspace = &EXPLORED.workspace;
    let args = ["--test", "alone", "--hang-timeout", "500ms"];
    let events = workspace.explore(&args, 100);
    let ended = events.ended();
    let is_hang = |status: &Value| status == "HANG";
    assert!(
        !ended.values().any(|test| is_hang(&test["status"])),
        "{ended:#?}"
    );
    // Which of them it is depends on the machine.
    let passed_late =
        |test: &Value| test["status"] == "PASS" && test["seconds"].as_f64() > Some(0.3);
    assert!(ended.values().any(|test| passed_late(test)), "{ended:#?}");
    let endless = events.test("verdicts::alone alone_without_an_end");
    assert_eq!(endless["status"], "UNFINISHED", "{endless:#}");
    assert_eq!(endless["counters"]["schedules"], 1, "{endless:#}");
    assert!(
        text(&endless["reason"]).contains("raise `--hang-timeout`"),
        "{endless:#}"
    );
}

/// The repetition tells the same: verdict, message, steps.
#[test]
fn each_failure_replays() {
    let mut wrong = Vec::new();
    for (name, ..) in FAILURES {
        let failure = &EXPLORED.events.test(&format!("verdicts::{name}"))["failure"];
        let id = text(&failure["id"]);
        let replay = ["replay", id, "--json"];
        let replayed = Finished::of(EXPLORED.workspace.cct().args(replay));
        let told = Events::of(&replayed);
        let told = told.of_kind("replayed").next();
        let same = told.is_some_and(|told| {
            told["outcome"] == "reproduced" && told["failure"]["bug"] == failure["bug"]
        });
        if replayed.code != Some(100) || !same {
            wrong.push(format!("{name}: {replayed:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn waits(test: &str) -> Vec<Value> {
    let bug = &EXPLORED.events.test(&format!("verdicts::{test}"))["failure"]["bug"];
    bug["waits"].as_array().cloned().unwrap_or_default()
}

fn show(test: &str) -> String {
    let id = text(&EXPLORED.events.test(&format!("verdicts::{test}"))["failure"]["id"]);
    let shown = Finished::of(EXPLORED.workspace.cct().args(["show", id]));
    shown.expect(0);
    shown.stdout
}
