//! A claim about all schedules names what it leaves out: all of it, and nothing else.

use cct_tests::support::{Events, Workspace};
use serde_json::Value;

use crate::explored::text;

/// The workspace is one folder below, so that its dependency is from outside.
const APP: [&str; 2] = ["--manifest-path", "app/Cargo.toml"];

/// Explores a test target of the fixture.
fn explored(workspace: &Workspace, target: &str, args: &[&str], code: i32) -> Events {
    let args = [&APP, &["--test", target, "--atomic", "counter"][..], args].concat();
    workspace.explore(&args, code)
}

/// What the claim about a test leaves out; that its words and its value agree.
#[track_caller]
fn but_for(events: &Events, test: &str) -> (String, Vec<String>) {
    let ended = events.test(test);
    let claim = &ended["claim"];
    assert!(claim.is_object(), "no claim: {ended:#}");
    let names = claim["but_for"].as_array().expect("a list").iter();
    let names: Vec<_> = names.map(|name| text(name).to_owned()).collect();
    let told = text(&claim["text"]);
    assert_eq!(told.contains("but for"), !names.is_empty(), "{told}");
    for name in &names {
        assert!(told.contains(name.as_str()), "`{name}`: {told}");
    }
    (text(&claim["scope"]).to_owned(), names)
}

/// Each test of `single.rs`, and what is left out of it.
const SINGLE: [(&str, &[&str]); 17] = [
    ("nothing", &[]),
    ("time_out", &["time-outs"]),
    ("sleep", &["sleeps"]),
    ("clock", &["clocks"]),
    ("weak_store", &["weak orderings"]),
    ("weak_failure", &["weak orderings"]),
    ("weak_fence", &["weak orderings"]),
    ("weak_exchange", &["spurious failures"]),
    ("update", &["spurious failures"]),
    ("wait", &["spurious wake-ups"]),
    ("park", &["spurious wake-ups"]),
    ("dependency", &["atomic dependencies"]),
    ("small_dependency", &[]),
    ("hash", &["random numbers"]),
    ("done_before_there_was_another", &[]),
    ("slept_when_the_others_had_ended", &[]),
    ("spinning", &["spinning"]),
];

#[test]
fn each_thing_is_named_where_it_happened() {
    let workspace = Workspace::of_fixture("claims");
    for (strategy, scope) in [("dfs", "all"), ("dpor", "proved")] {
        let args = ["--strategy", strategy, "--iterations", "20000"];
        let args = [&args[..], &["--", "--skip", "alone", "--skip", "cut_off"]].concat();
        let events = explored(&workspace, "single", &args, 0);
        for (name, expected) in SINGLE {
            let (found, names) = but_for(&events, &format!("claims::single {name}"));
            assert_eq!(
                (&*found, &*names),
                (scope, strings(expected).as_slice()),
                "{name}"
            );
        }
    }
}

/// Of a schedule that did not come to its end nothing is claimed, nor of any with it.
#[test]
fn nothing_is_claimed_of_what_was_cut_off() {
    let workspace = Workspace::of_fixture("claims");
    let args = ["--strategy", "dfs", "--max-steps", "100"];
    // Two of them are unfinished.
    let events = explored(&workspace, "single", &args, 100);
    for name in ["alone_without_end", "cut_off", "detached"] {
        let ended = events.test(&format!("claims::single {name}"));
        assert_eq!(ended["claim"], Value::Null, "{ended:#}");
    }
    let (scope, names) = but_for(&events, "claims::single alone");
    assert_eq!((&*scope, names), ("sequential", Vec::new()));
    let (scope, names) = but_for(&events, "claims::single alone_with_inputs");
    let inputs = strings(&["clocks", "random numbers"]);
    assert_eq!((&*scope, names), ("sequential", inputs));
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}
