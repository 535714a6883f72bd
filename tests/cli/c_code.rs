//! C code, and Rust that calls the C library, under control: bugs are found and replayed, and what has
//! none raises no alarm.

use cct_tests::support::{Finished, Workspace};
use serde_json::json;

use crate::explored::text;

#[test]
fn bugs_in_c_are_found_and_replayed() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "c-code");
    let args = ["--test", "bugs", "--iterations", "1000"];
    let events = workspace.explore(&args, 100);
    let verdicts = [
        ("abba", "DEADLOCK"),
        ("lost_update", "FAIL"),
        ("lost_wakeup", "DEADLOCK"),
        ("reader_behind_writer", "DEADLOCK"),
    ];
    assert_eq!(events.ended().len(), verdicts.len());
    for (name, status) in verdicts {
        let ended = events.test(&format!("c-code::bugs {name}"));
        assert_eq!(ended["status"], status, "{ended:#}");
        assert_eq!(ended["diverged"], json!(null), "{ended:#}");
        assert_eq!(ended["failure"]["repeats"]["repeats"], "yes", "{ended:#}");
        let replay = ["replay", text(&ended["failure"]["id"])];
        Finished::of(workspace.cct().args(replay)).expect(100);
    }
    // The workers of the circle, and what each of them has.
    let abba = events.test("c-code::bugs abba");
    let told = abba["failure"].to_string();
    for mutex in ["left", "right"] {
        assert!(told.contains(mutex), "{abba:#}");
    }
}

#[test]
fn sound_c_raises_no_alarm() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "c-code");
    let args = ["--test", "sound", "--iterations", "300"];
    let events = workspace.explore(&args, 0);
    assert!(events.ended().len() >= 7);
    for (name, ended) in events.ended() {
        assert_eq!(ended["status"], "PASS", "{name}: {ended:#}");
        assert_eq!(ended["diverged"], json!(null), "{name}: {ended:#}");
    }
}

#[test]
fn locks_made_of_the_c_librarys_are_under_control() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "c-code");
    let args = ["--test", "from_rust", "--iterations", "300", "opposite"];
    let events = workspace.explore(&args, 100);
    let ended = events.test("c-code::from_rust opposite_orders");
    assert_eq!(ended["status"], "DEADLOCK", "{ended:#}");
    // A thread that is not controlled has a lock and a condition in common with a worker. One that shares
    // a lock alone may still be at work when the engine gives a schedule up that it disturbed.
    let args = [
        "--test",
        "from_rust",
        "--iterations",
        "50",
        "a_condition_shared",
    ];
    let events = workspace.explore(&args, 0);
    assert_eq!(events.ended().len(), 1);
}
