//! The examples: with each of several seeds the bug of each is found within the default budget,
//! nothing else is, and what is found replays.
//!
//! That plain `cargo test` misses these bugs is a matter of chance, which no test can rely on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use cct_tests::support::{Events, Finished, cargo_cct, name};

/// The tests that have to fail; all others of the examples have to pass.
const FAILS: [(&str, &str); 11] = [
    ("bank::bank withdrawals_add_up", "panic"),
    (
        "bounded-buffer::wake_one all_jobs_are_done_when_one_waiter_is_woken",
        "deadlock",
    ),
    ("cache::cache a_value_is_loaded_once", "panic"),
    (
        "connection-pool::pool a_hasty_pool_answers_after_an_abort",
        "deadlock",
    ),
    (
        "custom-runtime::pool all_jobs_are_done_when_a_hasty_pool_is_idle",
        "panic",
    ),
    ("frames::frames hasty_frames_arrive", "panic"),
    ("ledger::ledger hasty_deposits_add_up", "panic"),
    (
        "philosophers::philosophers all_eat_who_take_the_left_fork_first",
        "deadlock",
    ),
    (
        "wakeup::wakeup a_hasty_gate_lets_everybody_pass",
        "deadlock",
    ),
    (
        "readiness::readiness hasty_readiness_is_noticed",
        "deadlock",
    ),
    (
        "web-service::service a_name_is_taken_once_by_hasty_clients",
        "panic",
    ),
];

const SEEDS: [&str; 5] = ["1", "2", "3", "4", "5"];

/// The examples' packages: the folders they are in.
fn examples() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let folders = fs::read_dir(folder).expect("there are examples");
    folders
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect()
}

/// Runs the tool on this workspace, in a target folder of its own.
fn run(verb: &str, args: &[&str]) -> Finished {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let target = concat!(env!("CARGO_TARGET_TMPDIR"), "/examples");
    let place = [
        "--json",
        "--manifest-path",
        manifest,
        "--target-dir",
        target,
    ];
    Finished::of(cargo_cct().arg(verb).args(place).args(args))
}

#[test]
fn each_bug_is_found_with_each_seed_and_replays() {
    let examples = examples();
    let mut deviations = Vec::new();
    let mut failures = BTreeMap::new();
    for seed in SEEDS {
        let mut args = vec!["--seed", seed, "--tests"];
        args.extend(examples.iter().flat_map(|name| ["-p", name]));
        let finished = run("test", &args);
        finished.expect(100);
        let events = Events::of(&finished);
        let fails: BTreeMap<&str, &str> = FAILS.into();
        for (test, event) in events.ended() {
            let kind = event["failure"]["bug"]["kind"].as_str();
            let expected = fails.get(&*test).copied();
            if kind != expected || !event["diverged"].is_null() {
                deviations.push(format!(
                    "{test}, seed {seed}: {kind:?}, not {expected:?}: {event}"
                ));
            }
            if kind.is_some() {
                let id = event["failure"]["id"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned();
                failures.insert(id, event["failure"].clone());
            }
        }
        let ran = events.ended();
        let missing = FAILS.iter().filter(|(test, _)| !ran.contains_key(*test));
        deviations.extend(missing.map(|(test, _)| format!("{test} did not run")));
    }
    // One of each test: that all replay is checked with the corpus.
    let one_of_each: BTreeMap<_, _> = failures.values().map(|one| (name(one), one)).collect();
    for (test, failure) in one_of_each {
        // The id leads to the shortest of the schedules that the seeds have found.
        let id = failure["id"].as_str().unwrap_or_default();
        let shown = Events::of(&run("show", &[id])).only("report").clone();
        let replayed = run("replay", &[id]);
        let same = replayed.code == Some(100)
            && Events::of(&replayed).only("replayed")["failure"]["bug"] == shown["bug"];
        if !same {
            deviations.push(format!("{test}: the replay is not the same: {replayed:#?}"));
        }
    }
    assert!(deviations.is_empty(), "\n{}", deviations.join("\n"));
}
