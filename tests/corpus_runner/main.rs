//! The corpus: each program's folder states its verdict; a failure replays to the same one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::thread;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

/// The kinds of bugs that each folder stands for; none for programs without a bug.
const FOLDERS: [(&str, &[&str]); 8] = [
    ("assertion", &["panic"]),
    ("clean", &[]),
    ("deadlock", &["deadlock", "lock_cycle"]),
    ("livelock", &["livelock"]),
    ("liveness", &["liveness"]),
    ("panic", &["panic"]),
    ("safety", &["safety"]),
    (UNFINISHED, &[]),
];

/// The folder of programs that neither pass nor fail.
const UNFINISHED: &str = "unfinished";

/// Twice the default, with one seed: enough for every program with some to spare.
const BUDGET: [&str; 2] = ["--iterations", "2000"];

#[test]
fn each_program_ends_as_its_folder_says_and_replays() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let workspace = Workspace::kept(env!("CARGO_TARGET_TMPDIR"), &corpus);
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cct-runtime");
    let library = library.to_str().expect("the checkout's path is text");
    workspace.replace("Cargo.toml", "../../cct-runtime", library);
    let clean = ["clean", "--failures", "--quiet"];
    Finished::of(workspace.cct().args(clean)).expect(0);
    let events = workspace.explore(&BUDGET, 100);

    let mut deviations = missing(&corpus, &events);
    let ended = events.ended();
    let expected: BTreeMap<&str, &[&str]> = FOLDERS.into();
    for (name, event) in &ended {
        let folder = folder_of(name);
        if folder == UNFINISHED {
            if event["outcome"] != UNFINISHED {
                deviations.push(format!("{name}: {event:#}"));
            }
            continue;
        }
        let kinds = expected.get(folder).copied().unwrap_or_default();
        deviations.extend(deviation(event, kinds).map(|what| format!("{name}: {what}")));
    }
    let failures: Vec<&Value> = ended.values().map(|event| &event["failure"]).collect();
    deviations.extend(replay_all(&workspace, &failures));
    assert!(deviations.is_empty(), "\n{}", deviations.join("\n"));
}

/// The folder is the test target.
fn folder_of(name: &str) -> &str {
    let target = name.strip_prefix("corpus::").unwrap_or(name);
    target.split(' ').next().unwrap_or_default()
}

/// Programs of which no test ran.
fn missing(corpus: &Path, events: &Events) -> Vec<String> {
    let module = |name: &String| {
        let (folder, test) = (folder_of(name), name.split(' ').nth(1)?);
        Some(format!("{folder}/{}.rs", test.split("::").next()?))
    };
    let ran: BTreeSet<String> = events.ended().keys().filter_map(module).collect();
    let programs = FOLDERS.iter().flat_map(|(folder, _)| {
        let files = fs::read_dir(corpus.join(folder)).expect("the corpus has this folder");
        let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
        names.map(move |file| format!("{folder}/{file}"))
    });
    programs
        .filter(|program| !program.ends_with("/main.rs") && !ran.contains(program))
        .map(|program| format!("{program}: no test of it ran"))
        .collect()
}

/// The deviation of a program's end from the expected one.
fn deviation(event: &Value, kinds: &[&str]) -> Option<String> {
    let failure = &event["failure"];
    let kind = failure["bug"]["kind"].as_str();
    if event["controlled"] != true || !event["diverged"].is_null() {
        return Some(format!("is not under control: {event:#}"));
    }
    match kind {
        None if kinds.is_empty() && event["counters"]["cut_offs"] == 0 => None,
        None if kinds.is_empty() => Some(format!("was cut off: {}", event["counters"])),
        None => Some(format!("nothing was found: {}", event["counters"])),
        Some(kind) if !kinds.contains(&kind) => {
            Some(format!("failed with {kind}: {}", failure["bug"]["message"]))
        }
        Some(_) if failure["repeats"]["repeats"] != "yes" => {
            Some(format!("did not repeat: {}", failure["repeats"]))
        }
        Some(_) => None,
    }
}

/// Replays each failure, some at a time; returns those that did not end alike.
fn replay_all(workspace: &Workspace, failures: &[&Value]) -> Vec<String> {
    let failures: Vec<_> = failures
        .iter()
        .filter(|failure| !failure.is_null())
        .collect();
    let share = failures.len().div_ceil(2).max(1);
    thread::scope(|scope| {
        let workers: Vec<_> = failures
            .chunks(share)
            .map(|share| {
                scope.spawn(move || {
                    let wrong = share
                        .iter()
                        .filter_map(|failure| replay(workspace, failure));
                    wrong.collect::<Vec<_>>()
                })
            })
            .collect();
        let wrong = workers.into_iter().map(thread::ScopedJoinHandle::join);
        wrong
            .flat_map(|wrong| wrong.expect("a replay is judged"))
            .collect()
    })
}

fn replay(workspace: &Workspace, failure: &Value) -> Option<String> {
    let id = failure["id"].as_str()?;
    let replayed = Finished::of(workspace.cct().args(["replay", id, "--json"]));
    let events = Events::of(&replayed);
    let same = replayed.code == Some(100)
        && events.of_kind("replayed").any(|event| {
            event["outcome"] == "reproduced" && event["failure"]["bug"] == failure["bug"]
        });
    (!same).then(|| {
        let test = cct_tests::support::name(failure);
        format!("{test}: the replay of {id} is not the same: {replayed:#?}")
    })
}
