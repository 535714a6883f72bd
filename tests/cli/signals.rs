//! Signals and processes under tokio: not under control, and explored all the same.

use cct_tests::support::Workspace;

#[test]
fn tests_that_wait_for_signals_and_processes_are_explored() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "signals");
    // Too few for an early end.
    let events = workspace.explore(&["--iterations", "170"], 0);
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
