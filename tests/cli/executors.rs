//! Futures under executors that are reached in many ways: all are tasks, and none that is polled by hand.

use cct_tests::support::{Finished, Workspace};

use crate::explored::text;

#[test]
fn an_update_is_lost_under_every_executor_and_a_sound_one_under_none() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "executors");
    let events = workspace.explore(&[], 100);
    let mut lost = 0;
    for (test, ended) in events.ended() {
        if !test.starts_with("executors lost::") {
            assert_eq!(ended["status"], "PASS", "{test}: {ended:#}");
            continue;
        }
        lost += 1;
        assert_eq!(ended["status"], "FAIL", "{test}: {ended:#}");
        let schedules = ended["counters"]["schedules"].as_u64();
        assert!(schedules.is_some_and(|count| count <= 300), "{ended:#}");
        let id = text(&ended["failure"]["id"]);
        Finished::of(workspace.cct().args(["replay", id])).expect(100);
    }
    assert_eq!(lost, 8);
}
