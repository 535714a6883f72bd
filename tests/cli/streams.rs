//! Standard output and error exclude workers, and what prints is not harder to explore.

use std::collections::BTreeMap;

use cct_tests::support::{Events, Finished, Workspace};

const SOUND: [&str; 9] = [
    "a_lock_is_taken_again",
    "a_print_comes_before_or_after",
    "all_ways_to_print",
    "everybody_prints",
    "threads_have_addresses",
    "threads_have_identities",
    "what_is_printed_is_alone",
    "who_has_locked_the_errors_is_alone",
    "who_has_locked_the_output_is_alone",
];

const BUGS: [&str; 4] = [
    "a_print_between",
    "a_print_that_locks",
    "the_output_and_a_mutex",
    "the_output_and_the_errors",
];

fn assert_sound(events: &Events) {
    for name in SOUND {
        let ended = events.test(&format!("streams::sound {name}"));
        assert_eq!(ended["status"], "PASS", "{ended:#}");
        assert_eq!(ended["controlled"], true, "{ended:#}");
        assert!(ended["diverged"].is_null(), "{ended:#}");
    }
}

fn assert_found(events: &Events, names: &[&str]) {
    for name in names {
        let ended = events.test(&format!("streams::bugs {name}"));
        let status = ended["status"].as_str();
        assert!(matches!(status, Some("DEADLOCK" | "CYCLE")), "{ended:#}");
        assert_eq!(ended["failure"]["repeats"]["repeats"], "yes", "{ended:#}");
    }
}

#[test]
fn the_locks_of_streams_exclude_workers() {
    let workspace = Workspace::of_fixture("streams");
    let events = workspace.explore(&[], 100);
    assert_sound(&events);
    assert_found(&events, &BUGS);
    let deadlock = events.test("streams::bugs the_output_and_a_mutex");
    let waits = deadlock["failure"].to_string().to_lowercase();
    assert!(waits.contains("stdout"), "{waits}");

    for strategy in ["dfs", "dpor"] {
        let events = workspace.explore(&["--strategy", strategy], 100);
        assert_sound(&events);
        let [between, others @ ..] = BUGS;
        assert_found(&events, &others);
        // A print that is no step comes at once after what is before it; the claim says so.
        let passed = events.test(&format!("streams::bugs {between}"));
        assert_eq!(passed["status"], "PASS", "{passed:#}");
        let claim = &passed["claim"]["but_for"];
        // The package depends on libc, which has `unsafe` code.
        let left_out = serde_json::json!(["plain memory", "prints"]);
        assert_eq!(*claim, left_out, "{passed:#}");
        // Nobody keeps a stream here, and two counters are all that is left to order.
        let chatty = events.test("streams::sound everybody_prints");
        assert_eq!(
            chatty["claim"]["but_for"],
            serde_json::json!(["plain memory"]),
            "{chatty:#}"
        );
        let schedules = chatty["claim"]["schedules"].as_u64().expect("a number");
        assert!(schedules < 100, "{chatty:#}");
    }
}

#[test]
fn each_line_that_is_printed_has_its_place_among_the_steps() {
    let workspace = Workspace::of_fixture("streams");
    let events = workspace.explore(&["--test", "told", "--strategy", "dfs"], 100);
    let failure = &events.test("streams::told an_update_is_lost")["failure"];
    let steps = failure["steps"].as_array().expect("they are told");
    let prints = failure["prints"].as_array().expect("they are told");
    let lines = failure["printed"].as_str().expect("it is told").lines();
    let mut lines: Vec<&str> = lines
        .map(|line| line.rsplit(" ... ").next().unwrap_or_default())
        .collect();
    assert_eq!(prints.len(), 8, "{prints:#?}");
    // Parts of a line between which there were steps are apart.
    let mut begun = BTreeMap::<Option<&str>, String>::new();
    for print in prints {
        let (part, worker) = (print["text"].as_str().unwrap_or_default(), &print["worker"]);
        let mut text = begun.remove(&worker.as_str()).unwrap_or_default();
        text.push_str(part);
        if print["ends_line"] == false {
            begun.insert(worker.as_str(), text);
            continue;
        }
        let place = lines.iter().position(|line| *line == text);
        lines.remove(place.unwrap_or_else(|| panic!("`{text}` is no line of {lines:?}")));
        // Each says who it is, but for one that `dbg!` made.
        if !text.starts_with('[') {
            assert_eq!(text.split(' ').next(), worker.as_str(), "{print}");
        }
        let is_error = text.ends_with("done") || text.starts_with('[');
        let stream = if is_error { "stderr" } else { "stdout" };
        assert_eq!(print["stream"], stream, "{print}");
        // It is told during the step that read the number in it, or began with the step before.
        if let Some(number) = text.strip_prefix("main read ") {
            let step = steps.iter().find(|step| step["step"] == print["step"]);
            assert_eq!(
                step.map(|step| &step["read"]),
                Some(&number.into()),
                "{print}"
            );
        }
    }
    let id = failure["id"].as_str().expect("it has an id");
    let shown = Finished::of(workspace.cct().args(["show", id]));
    shown.expect(0);
    insta::assert_snapshot!(shown.stdout.replace(id, "xxxx-xx"));
}
