//! Exit codes of runs that keep results, and of what is merged from them.

use cct_tests::support::{Events, Finished, Workspace};

use crate::explored::text;

/// The threads count by turns, and never stop.
const ENDLESS: &str = "
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

#[test]
fn has_no_end() {
    let number = Arc::new(AtomicU32::new(0));
    let play = |own: u32| {
        let number = number.clone();
        thread::spawn(move || {
            loop {
                let last = number.load(SeqCst);
                if last % 2 == own {
                    number.store(last.wrapping_add(1), SeqCst);
                }
            }
        })
    };
    let both = [play(0), play(1)];
    for one in both {
        one.join().unwrap();
    }
}
";

/// The first test fails, and the other one passes.
const FAILING: &str = "
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

#[test]
fn loses() {
    let sum = AtomicU32::new(0);
    let add = || sum.store(sum.load(SeqCst) + 1, SeqCst);
    thread::scope(|scope| {
        scope.spawn(add);
        add();
    });
    assert_eq!(sum.into_inner(), 2);
}

#[test]
fn passes() {}
";

fn workspace(source: &str) -> Workspace {
    let workspace = Workspace::of_fixture("with spaces");
    workspace.write("src/lib.rs", source);
    workspace
}

/// Merges what is in a folder; and standard error.
#[track_caller]
fn merge(workspace: &Workspace, folder: &str, code: i32) -> (Events, String) {
    let merged = Finished::of(workspace.cct().args(["merge", "--json", folder]));
    merged.expect(code);
    (Events::of(&merged), merged.stderr)
}

#[test]
fn no_test_matches() {
    let workspace = workspace(FAILING);
    for kept in [
        &["--results", "r"][..],
        &["--campaign", "c", "--time", "2s"],
    ] {
        let ended = workspace.test(&[kept, &["no_such_test"]].concat(), 4);
        assert!(ended.stderr.contains("no test matches"), "{ended:#?}");
    }
}

#[test]
fn no_schedule_of_a_campaign_comes_to_an_end() {
    let workspace = workspace(ENDLESS);
    let args = [
        "--lib",
        "--campaign",
        "c",
        "--time",
        "2s",
        "--max-steps",
        "200",
    ];
    let ended = workspace.explore(&args, 100);
    assert_eq!(ended.test("spaced has_no_end")["status"], "UNFINISHED");
    assert_eq!(ended.only("run_ended")["unfinished"], 1);
    let (merged, _) = merge(&workspace, "c", 100);
    let test = &merged.only("merged")["tests"][0];
    assert_eq!(text(&test["status"]), "UNFINISHED", "{test:#}");
    assert_eq!(test["counters"]["schedules"], test["counters"]["cut_offs"]);
}

#[test]
fn a_shard_that_ends_at_the_first_failure_is_not_finished() {
    let workspace = workspace(FAILING);
    for (fail_fast, unfinished) in [(&["--fail-fast"][..], &["1/2"][..]), (&[], &[])] {
        let folder = if unfinished.is_empty() {
            "whole"
        } else {
            "part"
        };
        let args = ["--lib", "-j1", "--shard", "1/2", "--results", folder];
        let ended = workspace.explore(&[&args, fail_fast].concat(), 100);
        assert_eq!(ended.only("run_ended")["not_run"], unfinished.len());
        let (merged, said) = merge(&workspace, folder, 100);
        let merged = merged.only("merged");
        assert_eq!(
            merged["unfinished"],
            serde_json::json!(unfinished),
            "{merged:#}"
        );
        assert_eq!(merged["missing"], serde_json::json!(["2/2"]), "{merged:#}");
        assert_eq!(
            said.contains("shard 1/2 is not finished"),
            !unfinished.is_empty(),
            "{said}"
        );
    }
}
