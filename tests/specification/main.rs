//! Specifications and instrumented runtimes, in this process: each program ends as it says, and its
//! replay ends alike.

mod instrumented;
mod programs;

use cct::config::Settings;
use cct::harness::Explorer;
use cct::strategy::Spec;
use cct::verdict::{BugKind, Verdict};

/// Strategies for every program.
const WALKS: [&str; 4] = ["random", "sticky:20", "sticky:200", "pct:3"];
/// Strategies that may take steps for independent, and one that does not.
const SEARCHES: [&str; 2] = ["dpor", "dfs"];

/// A program and what comes of it.
pub(crate) struct Program {
    name: &'static str,
    body: fn(),
    /// The kind of the bug and a part of its message; none for a program without a bug.
    bug: Option<(BugKind, &'static str)>,
}

/// One test, since there is one explorer in a process.
#[test]
fn each_program_ends_as_it_says_and_replays() {
    let settings = |strategy: &str| Settings {
        iterations: Some(300),
        max_steps: Some(8000),
        strategy: Some(Spec::parse(strategy).expect("a strategy")),
        seed: Some(5),
        ..Settings::default()
    };
    let mut explorer = Explorer::new(&Settings::default());
    let mut deviations = Vec::new();
    let all = programs::ALL.iter().chain(instrumented::ALL);
    let all = all.map(|program| (program, WALKS.as_slice()));
    let ordered = programs::ORDERED.iter();
    let ordered = ordered.map(|program| (program, SEARCHES.as_slice()));
    for (program, strategies) in all.chain(ordered) {
        for &strategy in strategies {
            let mut deviation = |what: String| {
                deviations.push(format!("{}, {strategy}: {what}", program.name));
            };
            let exploration = explorer.explore(&settings(strategy), program.body);
            let found = match (exploration.found, program.bug) {
                (None, None) if exploration.counters.cut_offs == 0 => continue,
                (None, _) => {
                    deviation(format!("nothing was found: {:?}", exploration.counters));
                    continue;
                }
                (Some(found), None) => {
                    deviation(format!("found {:?}", found.bug));
                    continue;
                }
                (Some(found), Some((kind, message))) => {
                    if found.bug.kind != kind || !found.bug.message.contains(message) {
                        deviation(format!("found {:?}", found.bug));
                    }
                    found
                }
            };
            let replayed = explorer.replay(&found.schedule, program.body);
            let mut bug = found.bug.clone();
            if let Verdict::Failed(again) = &replayed.verdict {
                // Objects have numbers only where everything is recorded.
                bug.waits.clone_from(&again.waits);
            }
            if replayed.verdict != Verdict::failed(bug) {
                deviation(format!("{:?}, then {:?}", found.bug, replayed));
            }
        }
    }
    assert!(deviations.is_empty(), "\n{}", deviations.join("\n"));
}
