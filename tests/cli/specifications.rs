//! Specifications and choices: verdicts, reports, replays; and nothing of it under plain cargo.

use cct_tests::support::{Events, Finished, Workspace};

pub(crate) fn fixture() -> Workspace {
    Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "specified")
}

/// Each test, its kind of bug, a part of the message, and a step that its report must have.
const ALL: [(&str, &str, &str, &str); 9] = [
    (
        "a_job_is_done_twice",
        "safety",
        "monitor `EachJobIsDone`: job 7 is done again",
        "notify EachJobIsDone",
    ),
    (
        "a_job_is_left",
        "liveness",
        "monitor `EachJobIsDone` was in its hot state `Waiting` when the test was over",
        "notify EachJobIsDone → Waiting (hot)",
    ),
    (
        "a_number_is_chosen",
        "panic",
        "unlucky",
        "nondet_index → 13",
    ),
    ("all_jobs_are_done", "", "", ""),
    (
        "an_invariant_is_broken",
        "safety",
        "invariant `one seat at most is taken` does not hold after this step",
        "fetch_add 1 → 2",
    ),
    ("an_invariant_holds", "", "", ""),
    ("it_comes_true", "", "", ""),
    (
        "it_does_not_come_true",
        "liveness",
        "`the flag is set` had not happened when the test was over",
        "load → false",
    ),
    (
        "the_disk_is_never_full",
        "panic",
        "disk full",
        "maybe_fail → true",
    ),
];

#[test]
fn what_is_specified_and_chosen_is_found_shown_and_replayed() {
    let workspace = fixture();
    let events = workspace.explore(&["--tests"], 100);
    let ended = events.ended();
    assert_eq!(ended.len(), ALL.len());
    for (test, kind, message, step) in ALL {
        let event = events.test(&format!("specified::specified {test}"));
        assert!(event["diverged"].is_null(), "{event:#}");
        let failure = &event["failure"];
        if kind.is_empty() {
            assert!(failure.is_null(), "{event:#}");
            continue;
        }
        assert_eq!(failure["bug"]["kind"], kind, "{event:#}");
        let found = failure["bug"]["message"].as_str().unwrap_or_default();
        assert!(found.contains(message), "{found}");
        assert_eq!(failure["repeats"]["repeats"], "yes", "{event:#}");
        let id = failure["id"].as_str().unwrap_or_default();
        let shown = Finished::of(workspace.cct().args(["show", id, "--full"])).stdout;
        assert!(shown.contains(step), "{shown}");
        let replayed = Finished::of(workspace.cct().args(["replay", id, "--json"]));
        replayed.expect(100);
        let again = Events::of(&replayed);
        assert_eq!(again.only("replayed")["failure"]["bug"], failure["bug"]);
    }
}

#[test]
fn natively_there_are_no_specifications_and_no_faults() {
    let workspace = fixture();
    let finished = Finished::of(workspace.cargo().args(["test", "--offline"]));
    // The only bug that does not need one is a data race, which is not what is meant here.
    finished.expect(0);
}
