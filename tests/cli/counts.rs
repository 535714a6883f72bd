//! Counts of references as steps: bugs that depend on them, and claims about them. tests/counts has the rest.

use cct_tests::support::{Finished, Workspace};

/// Failures that some order of the operations on a count leads to.
const BUGS: [&str; 5] = [
    "the_last_is_dropped_elsewhere",
    "the_last_is_dropped_here",
    "it_is_unwrapped",
    "it_is_gone",
    "it_has_one_owner",
];

#[test]
fn what_depends_on_a_count_is_found_and_replayed() {
    let workspace = Workspace::of_fixture("counts");
    let args = ["--counts", "auto", "--test", "bugs", "--test", "sound"];
    let events = workspace.explore(&args, 100);
    for name in BUGS {
        let ended = events.test(&format!("counts::bugs {name}"));
        assert_eq!(ended["status"], "FAIL", "{ended:#}");
        let failure = &ended["failure"];
        assert_eq!(failure["repeats"]["repeats"], "yes", "{failure:#}");
        let id = failure["id"].as_str().expect("it has an id");
        let replayed = Finished::of(workspace.cct().args(["replay", id]));
        replayed.expect(100);
    }
    // Clones that are dropped again leave everything as it was.
    let spins = events.test("counts::bugs it_spins_for_ever_and_clones");
    assert_eq!(spins["status"], "LIVELOCK", "{spins:#}");
    for name in ["clones_only", "one_owner"] {
        let ended = events.test(&format!("counts::sound {name}"));
        assert_eq!(ended["status"], "PASS", "{ended:#}");
    }
}

/// The last drop is no step where the dropped reference is the only one, and yet its order matters.
#[test]
fn dpor_tries_who_is_last() {
    let workspace = Workspace::of_fixture("counts");
    let args = ["--test", "bugs", "--strategy", "dpor"];
    let events = workspace.explore(&args, 100);
    for name in BUGS {
        let ended = events.test(&format!("counts::bugs {name}"));
        assert_eq!(ended["status"], "FAIL", "{ended:#}");
    }
}

#[test]
fn claims_leave_counts_out_unless_they_are_steps() {
    let workspace = Workspace::of_fixture("counts");
    let claim = |args: &[&str]| {
        let args = [&["--test", "sound", "--strategy", "dfs"], args].concat();
        let events = workspace.explore(&args, 0);
        events.test("counts::sound clones_only")["claim"].clone()
    };
    let left_out = |args: &[&str]| {
        let claim = claim(args);
        let mut names = claim["but_for"]
            .as_array()
            .expect("all was explored")
            .iter();
        names.any(|name| name == "reference counts")
    };
    assert!(left_out(&["--counts", "none"]));
    assert!(!left_out(&[]));
    assert!(!left_out(&["--counts", "drops"]));
    assert!(!left_out(&["--counts", "all"]));
    // An owner that is the only one makes no steps.
    let events = workspace.explore(&["--test", "sound", "--counts", "all", "one_owner"], 0);
    let alone = events.test("counts::sound one_owner");
    assert_eq!(alone["counters"]["choice_points"], 0, "{alone:#}");
}
