//! Weak memory: what loads may read.

use cct_tests::support::{Finished, Workspace};

use crate::explored::text;

#[test]
fn orderings_that_are_too_weak_fail_and_others_do_not() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "weak");
    for strategy in ["random", "dfs"] {
        let args = ["--memory", "weak", "--strategy", strategy];
        let events = workspace.explore(&args, 100);
        assert_eq!(events.ended().len(), 13);
        for (test, ended) in events.ended() {
            let fails = test.contains("too_weak::");
            let expected = if fails { "FAIL" } else { "PASS" };
            assert_eq!(text(&ended["status"]), expected, "{strategy}: {ended:#}");
            if fails {
                let id = text(&ended["failure"]["id"]);
                let replayed = Finished::of(workspace.cct().args(["replay", id]));
                replayed.expect(100);
                assert!(
                    replayed.stdout.contains("as on record"),
                    "{}",
                    replayed.stdout
                );
            }
        }
    }
}

#[test]
fn a_report_names_the_older_store() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "weak");
    let report = |test: &str| {
        let mut tool = workspace.cct();
        let found = Finished::of(tool.args(["test", "--memory", "weak", "--seed", "1", test]));
        found.expect(100);
        found.stdout.replace('\n', " ")
    };
    let message = report("too_weak::message");
    for words in [
        "read the older `data` = 0 instead of 7",
        "data.load → 0, older than 7",
        "is Relaxed: it publishes nothing",
    ] {
        assert!(message.contains(words), "{message}");
    }
    let refusal = report("too_weak::refusal");
    let found = "found the older `data` = 0 instead of 7";
    assert!(refusal.contains(found), "{refusal}");
}

/// By default a load reads the latest store.
#[test]
fn memory_is_sequentially_consistent_unless_asked() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "weak");
    for (_, ended) in workspace.explore(&[], 0).ended() {
        assert_eq!(text(&ended["status"]), "PASS", "{ended:#}");
    }
}
