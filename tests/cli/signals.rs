//! Signals and processes: not under control, and explored all the same; and children, which are as natively.

use cct_tests::support::{Finished, Workspace};

#[test]
fn tests_that_wait_for_signals_and_processes_are_explored() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "signals");
    // Too few for an early end.
    let events = workspace.explore(&["--test=tokio", "--iterations", "170"], 0);
    let ended = events.ended();
    assert_eq!(ended.len(), 7);
    for (test, ended) in ended {
        assert_eq!(ended["status"], "PASS", "{test}: {ended:#}");
        assert_eq!(ended["controlled"], true, "{test}: {ended:#}");
        assert_eq!(ended["counters"]["schedules"], 170, "{test}: {ended:#}");
        let sources = ended["counters"]["outside"].to_string();
        let is_told = sources.contains("signal");
        assert_eq!(is_told, test.contains("of_another_process"), "{ended:#}");
    }
}

/// A program that a test starts has no signal blocked, ignored or handled for being under control.
#[test]
fn children_have_the_signals_that_they_would_have_natively() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "signals");
    // `system` has the whole process ignore signals.
    let alone = ["test", "--test=children", "--", "--test-threads=1"];
    Finished::of(workspace.cargo().args(alone)).expect(0);
    let events = workspace.explore(&["--test=children", "--iterations", "20"], 0);
    let ended = events.ended();
    assert_eq!(ended.len(), 5);
    for (test, ended) in ended {
        assert_eq!(ended["status"], "PASS", "{test}: {ended:#}");
        assert_eq!(ended["controlled"], true, "{test}: {ended:#}");
    }
}

/// Natively a process has other threads; tests that send it nothing pass there as well.
#[test]
fn each_thread_has_its_own_mask_and_what_is_blocked_waits() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "signals");
    let alone = [
        "test",
        "--test=masks",
        "--",
        "--test-threads=1",
        "--skip=of_a_process",
        "--skip=a_signalfd",
        // It waits for an hour.
        "--skip=has_an_end",
    ];
    Finished::of(workspace.cargo().args(alone)).expect(0);
    for options in [
        &["--iterations=300"][..],
        &["--iterations=300", "--strategy=dpor"],
        &["--iterations=20", "--isolation=process"],
    ] {
        let events = workspace.explore(&[&["--test=masks"], options].concat(), 0);
        let ended = events.ended();
        assert_eq!(ended.len(), 17);
        for (test, ended) in ended {
            assert_eq!(ended["status"], "PASS", "{test}: {ended:#}");
            assert_eq!(ended["controlled"], true, "{test}: {ended:#}");
        }
    }
    let ignored = ["--test=masks", "--iterations=300", "--", "--ignored"];
    let events = workspace.explore(&ignored, 100);
    let status = events.statuses();
    assert_eq!(
        status["signals::masks one_thread_has_forgotten_to_block_it"],
        "CRASH"
    );
    assert_eq!(
        status["signals::masks a_signal_that_nobody_sends"],
        "DEADLOCK"
    );
}

/// Natively a process has other threads; what is said of each call holds there as well.
#[test]
fn handlers_run_on_the_thread_that_a_signal_is_for_and_end_its_calls() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "signals");
    let alone = ["test", "--test=interrupts", "--", "--test-threads=1"];
    Finished::of(workspace.cargo().args(alone)).expect(0);
    for options in [
        &["--iterations=300"][..],
        &["--iterations=300", "--strategy=dpor"],
        &["--iterations=20", "--isolation=process"],
    ] {
        let events = workspace.explore(&[&["--test=interrupts"], options].concat(), 0);
        let ended = events.ended();
        assert_eq!(ended.len(), 17);
        for (test, ended) in ended {
            assert_eq!(ended["status"], "PASS", "{test}: {ended:#}");
            assert_eq!(ended["controlled"], true, "{test}: {ended:#}");
        }
    }
    let soon = "--uncontrolled-timeout=200ms";
    let ignored = [
        "--test=interrupts",
        "--iterations=300",
        soon,
        "--",
        "--ignored",
    ];
    let events = workspace.explore(&ignored, 100);
    let status = events.statuses();
    let of = |test: &str| status[&format!("signals::interrupts {test}")].clone();
    assert_eq!(of("a_handler_that_is_never_called"), "DEADLOCK");
    assert_eq!(of("a_child_that_sends_nothing"), "DEADLOCK");
    assert_eq!(of("a_handler_comes_in_between"), "FAIL");
    for (_, failed) in events.ended() {
        assert_eq!(failed["failure"]["repeats"]["repeats"], "yes", "{failed:#}");
    }
}

/// A child that has sent a signal may end at any moment, between two looks of the engine too.
#[test]
fn the_last_signal_of_a_child_comes() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "signals");
    let options = ["--test=interrupts", "--iterations=900", "the_last_signal"];
    let events = workspace.explore(&options, 0);
    let ended = events.only("test_ended");
    assert_eq!(ended["status"], "PASS", "{ended:#}");
    assert_eq!(ended["counters"]["schedules"], 900, "{ended:#}");
}

/// Handlers are no steps, and neither is what sets them: no search may say that it has tried all of that.
#[test]
fn a_claim_names_signals() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "signals");
    for strategy in ["dpor", "dfs"] {
        let options = [
            "--test=masks",
            "--strategy",
            strategy,
            "set_too_late",
            "--",
            "--ignored",
        ];
        let events = workspace.explore(&options, 0);
        let ended = events.test("signals::masks a_handler_that_is_set_too_late");
        let but_for = ended["claim"]["but_for"].to_string();
        assert!(but_for.contains("signals"), "{ended:#}");
    }
}
