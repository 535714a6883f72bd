//! Polling for what is no step: it comes to an end, or it is said that nobody knows.

use cct_tests::support::Workspace;

use crate::explored::text;

#[test]
fn what_is_polled_for_comes_and_silence_is_no_bug() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "polls");
    let args = "--hang-timeout 4s --iterations 50 -j2 --counts none --races=false";
    let args: Vec<&str> = args.split(' ').collect();
    let events = workspace.explore(&args, 100);
    let ended = events.ended();
    assert_eq!(ended.len(), 11);
    for (test, ended) in ended {
        let status = text(&ended["status"]);
        if test.contains("ends::") {
            assert_eq!(status, "PASS", "{ended:#}");
            assert_eq!(ended["counters"]["cut_offs"], 0, "{ended:#}");
            continue;
        }
        assert_eq!(status, "UNFINISHED", "{ended:#}");
        assert!(ended["failure"].is_null(), "{ended:#}");
        let reason = text(&ended["reason"]);
        let says = |words: &str| assert!(reason.contains(words), "{reason}");
        says("raise `--hang-timeout`");
        says("runs on without a step, while worker 1");
        says("plain memory and files are no steps");
        says("src/lib.rs:");
    }
}

/// Tasks count somewhere; an executor's own memory is not looked at.
#[test]
fn tasks_that_poll_for_ever_are_told_from_those_that_count() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "task-polls");
    let events = workspace.explore(&["--iterations", "4"], 100);
    let ended = events.ended();
    assert_eq!(ended.len(), 12);
    for (test, ended) in ended {
        let expected = if test.contains("for_ever::") {
            "LIVELOCK"
        } else {
            "UNFINISHED"
        };
        assert_eq!(text(&ended["status"]), expected, "{ended:#}");
    }
}

/// A strategy that enumerates does not make it not finished for ever.
#[test]
fn a_thread_that_is_over_is_finished_at_last() {
    let workspace = Workspace::of_fixture("polls");
    for strategy in ["dfs", "dpor"] {
        let args = ["--strategy", strategy, "ends::when_a_thread_is_finished"];
        let events = workspace.explore(&args, 0);
        let ended = events.test("polls ends::when_a_thread_is_finished");
        assert_eq!(text(&ended["status"]), "PASS", "{ended:#}");
        assert!(!ended["claim"].is_null(), "{ended:#}");
    }
}
