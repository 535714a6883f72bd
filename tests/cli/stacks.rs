//! Programs with stacks of their own, and memory that they map: put back, replayed and told like any other.

use std::process::Command;
use std::sync::LazyLock;

use cct_tests::support::{Events, Finished, Workspace, run_by};
use serde_json::Value;

use crate::explored::text;

/// `fixtures/stacks`, explored once.
static STACKS: LazyLock<(Workspace, Events)> = LazyLock::new(|| {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "stacks");
    // Mappings of 16 MB that stay would exceed the limit.
    let args = ["--iterations", "50", "--max-memory", "300M"];
    let events = workspace.explore(&args, 100);
    (workspace, events)
});

/// This passes, and its first schedule repeats.
fn assert_passes(test: &str) {
    let ended = STACKS.1.test(&format!("stacks::{test}"));
    assert_eq!(ended["status"], "PASS", "{ended:#}");
    assert!(ended["diverged"].is_null(), "{ended:#}");
}

/// This fails like that, and repeats, also in a process of its own; returns its bug and its report.
fn assert_fails(test: &str, status: &str) -> (&'static Value, String) {
    let ended = STACKS.1.test(&format!("stacks::{test}"));
    assert_eq!(ended["status"], status, "{ended:#}");
    assert!(ended["diverged"].is_null(), "{ended:#}");
    assert_eq!(ended["failure"]["repeats"]["repeats"], "yes", "{ended:#}");
    let id = text(&ended["failure"]["id"]);
    Finished::of(STACKS.0.cct().args(["replay", id])).expect(100);
    let shown = Finished::of(STACKS.0.cct().args(["show", id]));
    shown.expect(0);
    (&ended["failure"]["bug"], shown.stdout)
}

/// The source line that a bug is at.
fn line_of(bug: &Value) -> String {
    let source = STACKS.0.read(text(&bug["site"]["file"]));
    let line = bug["site"]["line"].as_u64().expect("a line");
    let line = source.lines().nth(line as usize - 1).expect("it is there");
    line.trim().to_owned()
}

#[test]
fn what_coroutines_do_to_each_other_is_found() {
    for test in ["an_update_is_lost", "an_update_is_lost_on_a_small_stack"] {
        let (bug, _) = assert_fails(&format!("coroutines {test}"), "FAIL");
        assert!(line_of(bug).starts_with("assert_eq!(both("), "{bug:#}");
    }
}

#[test]
fn a_failure_on_a_coroutines_stack_is_at_the_users_line() {
    let (bug, report) = assert_fails("coroutines a_coroutine_finds_it", "FAIL");
    assert!(line_of(bug).contains("somebody was here"), "{bug:#}");
    assert!(report.contains("number.fetch_add"), "{report}");
    let (bug, report) = assert_fails("coroutines a_stack_is_exhausted", "OVERFLOW");
    assert!(text(&bug["message"]).contains("a stack that the program made"));
    assert!(report.contains("tests/coroutines.rs"), "{report}");
}

/// Of a stack the calls are told up to the thread's own, where the crate's tables lead there.
#[test]
fn a_race_for_a_place_on_a_coroutines_stack_is_found() {
    let (_, report) = assert_fails("coroutines a_place_on_a_stack_is_raced_for", "RACE");
    for line in ["write(1)", "write(2)"] {
        let source = STACKS.0.read("tests/coroutines.rs");
        let at = source.lines().position(|it| it.contains(line));
        let at = format!("tests/coroutines.rs:{}", at.expect("it is there") + 1);
        assert!(report.contains(&at), "{at}: {report}");
    }
    assert!(report.contains("in stacks::run"), "{report}");
}

#[test]
fn states_of_workers_on_other_stacks_are_compared() {
    assert_fails("coroutines nobody_opens_the_door", "LIVELOCK");
    assert_passes("coroutines time_passes_for_those_that_spin");
    assert_passes("coroutines a_count_elsewhere_is_no_livelock");
}

#[test]
fn what_is_mapped_is_put_back() {
    assert_passes("coroutines nothing_is_lost");
    assert_passes("coroutines addresses_are_those_of_the_iteration_before");
    for test in [
        "a_count_is_no_livelock",
        "what_is_mapped_is_gone_in_the_next_iteration",
        "what_is_protected_is_not_in_the_next_iteration",
        "what_is_moved_is_there",
        "what_is_placed_is_there",
    ] {
        assert_passes(&format!("mappings {test}"));
    }
    let (bug, _) = assert_fails("mappings what_is_unmapped_faults", "CRASH");
    assert!(text(&bug["message"]).contains("SIGSEGV"), "{bug:#}");
}

#[test]
fn a_correct_program_passes_under_each_strategy() {
    let drawn =
        "portfolio,random,sticky:20,pct:3,task-pct:3,pos,surw,delay:2,rff,period:3,q-learning";
    for strategy in drawn.split(',').chain(["preemption:2", "dpor"]) {
        let args = ["--strategy", strategy, "nothing_is_lost"];
        let events = STACKS.0.explore(&args, 0);
        let ended = events.test("stacks::coroutines nothing_is_lost");
        assert_eq!(ended["status"], "PASS", "{strategy}: {ended:#}");
    }
}

/// Numbers of descriptors are the same in each iteration, whatever the process was given.
#[test]
fn a_descriptor_of_the_parents_stays() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$@\" 9</dev/null", "sh"]);
    let mut command = STACKS.0.cct();
    command.args(["test", "--json", "--test", "descriptors"]);
    let finished = Finished::of(&mut run_by(shell, &command));
    finished.expect(0);
    let events = Events::of(&finished);
    let ended = events.test("stacks::descriptors numbers_are_those_of_the_iteration_before");
    assert_eq!(ended["status"], "PASS", "{ended:#}");
    assert!(ended["diverged"].is_null(), "{ended:#}");
}
