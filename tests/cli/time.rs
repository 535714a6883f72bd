//! Clocks, deadlines and time-outs.

use cct_tests::support::{Events, Finished, Workspace};

#[test]
fn clocks_never_run_backwards() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "time");
    for seed in ["1", "2", "3"] {
        let test = ["test", "--json", "--test", "clocks", "--seed", seed];
        let most = ["--iterations", "60", "--max-steps", "60000"];
        let finished = Finished::of(workspace.cct().args(test).args(most));
        finished.expect(0);
        let events = Events::of(&finished);
        for (name, ended) in events.ended() {
            assert_eq!(ended["status"], "PASS", "{name}: {ended:#}");
            assert_eq!(ended["counters"]["cut_offs"], 0, "{name}: {ended:#}");
            assert!(ended["diverged"].is_null(), "{name}: {ended:#}");
        }
    }
}

#[test]
fn files_are_as_old_as_the_clock_says() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "time");
    let events = workspace.explore(&["--test=files", "--iterations=50"], 0);
    assert_eq!(events.ended().len(), 6);
}

/// The bugs of `early.rs`, whose time-outs are 10 to 50 milliseconds away.
const BUGS: usize = 7;

fn found(events: &Events) -> Vec<String> {
    let ended = events.ended();
    let bugs = ended
        .iter()
        .filter(|(_, ended)| ended["outcome"] == "failed");
    bugs.map(|(name, _)| name.clone()).collect()
}

fn explored(workspace: &Workspace, target: &str, args: &[&str]) -> Events {
    let test = ["test", "--json", "--no-fail-fast", "--test", target];
    Events::of(&Finished::of(workspace.cct().args(test).args(args)))
}

#[test]
fn time_outs_race_by_default() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "time");
    for seed in ["1", "2", "3"] {
        let events = explored(&workspace, "early", &["--seed", seed]);
        assert_eq!(found(&events).len(), BUGS, "{:?}", found(&events));
        for (name, ended) in events.ended() {
            let failure = &ended["failure"];
            assert_eq!(failure["repeats"]["repeats"], "yes", "{name}: {failure:#}");
            let steps = failure["steps"].as_array().expect("it was recorded");
            let is_early = |step: &&serde_json::Value| {
                step["ahead_of"]
                    .as_array()
                    .is_some_and(|others| !others.is_empty())
            };
            assert!(
                steps.iter().any(|step| is_early(&step)),
                "{name}: {failure:#}"
            );
            // Another process comes to the same, step by step.
            let id = failure["id"].as_str().expect("it is kept");
            Finished::of(workspace.cct().args(["replay", id])).expect(100);
        }
        let sound = explored(&workspace, "sound", &["--seed", seed]);
        assert_eq!(found(&sound), Vec::<String>::new());
    }
}

#[test]
fn late_time_outs_find_none_of_it() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "time");
    let events = explored(&workspace, "early", &["--timeouts", "late", "--seed", "1"]);
    assert_eq!(found(&events), Vec::<String>::new());
}

/// True if all has been explored, but for time-outs.
fn leaves_out_time_outs(ended: &serde_json::Value) -> bool {
    let names = ended["claim"]["but_for"].as_array();
    let names = names.unwrap_or_else(|| panic!("nothing is claimed: {ended:#}"));
    names.iter().any(|name| name == "time-outs")
}

/// Without tokio, which has more schedules than anybody can enumerate.
#[test]
fn who_enumerates_finds_it_when_asked_to() {
    let workspace = Workspace::kept_of_fixture(env!("CARGO_TARGET_TMPDIR"), "time");
    let skipped = ["--", "--skip", "cancelled", "--skip", "deadlines"];
    for strategy in ["dfs", "dpor"] {
        let asked = |which| {
            let args = [
                "--timeouts",
                which,
                "--strategy",
                strategy,
                "--iterations",
                "20000",
            ];
            [&args, &skipped[..]].concat()
        };
        let events = explored(&workspace, "early", &asked("race"));
        assert_eq!(
            found(&events).len(),
            BUGS - 2,
            "{strategy}: {:?}",
            found(&events)
        );
        for which in ["auto", "late"] {
            let events = explored(&workspace, "early", &asked(which));
            assert_eq!(found(&events), Vec::<String>::new(), "{strategy}, {which}");
            for (name, ended) in events.ended() {
                assert!(leaves_out_time_outs(ended), "{strategy}, {name}: {ended:#}");
            }
        }
        let one = [
            &asked("race")[..2],
            &["it_looks_again", "--strategy", strategy],
        ]
        .concat();
        let events = explored(&workspace, "sound", &one);
        let ended = events.test("time::sound it_looks_again_when_the_time_is_over");
        assert!(!leaves_out_time_outs(ended), "{strategy}: {ended:#}");
    }
}
