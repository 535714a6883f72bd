//! Rewriting may add outcomes, and removes none: how programs come out without it and with it.
//!
//! A program is a test of a workspace that adds a line to a file each time it runs: how it came out. The file
//! has the test's name, with blanks for `::`, and is in the folder that [`OUTCOMES`] names. A schedule that
//! fails comes out as its status, and is the last one of its search.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Events, Finished};

/// Names the folder that programs tell their outcomes in.
pub const OUTCOMES: &str = "LAW_OUTCOMES";

/// How a program came out, in all schedules together.
#[derive(Clone, Default, Debug)]
pub struct Seen {
    /// The outcomes of its schedules that passed.
    pub told: BTreeSet<String>,
    /// How those ended that failed.
    pub failed: BTreeSet<String>,
    /// How many there were.
    pub schedules: u64,
    /// Some search was through with all schedules that there are.
    pub is_all: bool,
}

/// A program as it is written, and rewritten.
#[derive(Clone, Default, Debug)]
pub struct Compared {
    /// With `--rewrite=false`.
    pub written: Seen,
    /// As by default.
    pub rewritten: Seen,
}

impl Compared {
    /// The outcomes that are missing, with rewriting. The outcomes of a search that found a bug are not
    /// compared.
    pub fn missing(&self) -> Vec<String> {
        let (written, rewritten) = (&self.written, &self.rewritten);
        let mut missing: Vec<_> = written.failed.difference(&rewritten.failed).collect();
        if rewritten.failed.is_empty() {
            missing.extend(written.told.difference(&rewritten.told));
        }
        missing.into_iter().cloned().collect()
    }

    /// The failures that rewriting adds.
    pub fn added_failures(&self) -> Vec<String> {
        let added = self.rewritten.failed.difference(&self.written.failed);
        added.cloned().collect()
    }
}

/// How long to search.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Schedules of `dfs`, and of chance, as the programs are written.
    pub written: [u32; 2],
    /// The same for each search of rewritten ones.
    pub rewritten: [u32; 2],
    /// How many more searches by chance there are for outcomes that are missing.
    pub rounds: u32,
}

/// Compares the tests of a workspace. `command` makes one that runs the tool there; `args` say which tests.
pub fn compare(
    command: impl Fn() -> Command,
    folder: &Path,
    args: &[&str],
    budget: Budget,
) -> BTreeMap<String, Compared> {
    let mut all = BTreeMap::new();
    let search = |options: &[&str], strategy: &str, seed: u32, iterations: u32| {
        fs::remove_dir_all(folder).ok();
        fs::create_dir_all(folder).expect("the folder can be made");
        let (seed, iterations) = (seed.to_string(), iterations.to_string());
        let mut command = command();
        command
            .args(["test", "--json", "--seed", &seed, "--strategy", strategy])
            .args(["--iterations", &iterations])
            .args(options)
            .args(args)
            .env(OUTCOMES, folder);
        seen(&Finished::of(&mut command), folder)
    };
    let as_written = ["--rewrite=false"];
    let [most, tries] = budget.written;
    add(&mut all, search(&as_written, "dfs", 1, most), |compared| {
        &mut compared.written
    });
    add(
        &mut all,
        search(&as_written, CHANCE, 1, tries),
        |compared| &mut compared.written,
    );
    let [most, tries] = budget.rewritten;
    add(&mut all, search(&[], "dfs", 1, most), |compared| {
        &mut compared.rewritten
    });
    for seed in 1..=budget.rounds + 1 {
        add(&mut all, search(&[], CHANCE, seed, tries), |compared| {
            &mut compared.rewritten
        });
        if all.values().all(|compared| compared.missing().is_empty()) {
            break;
        }
    }
    all
}

/// Strategies that see many corners.
const CHANCE: &str = "random,sticky:20,pct:3";

fn add(
    all: &mut BTreeMap<String, Compared>,
    found: BTreeMap<String, Seen>,
    part: fn(&mut Compared) -> &mut Seen,
) {
    for (test, seen) in found {
        let sum = part(all.entry(test).or_default());
        sum.told.extend(seen.told);
        sum.failed.extend(seen.failed);
        sum.schedules += seen.schedules;
        sum.is_all |= seen.is_all;
    }
}

/// The observations of each test in a run of the tool.
fn seen(finished: &Finished, folder: &Path) -> BTreeMap<String, Seen> {
    let events = Events::of(finished);
    let ended = events.ended().into_iter();
    let seen: BTreeMap<_, _> = ended
        .map(|(name, event)| {
            let test = event["test"].as_str().unwrap_or_default();
            let told = fs::read_to_string(folder.join(test.replace("::", " ")));
            let told = told.unwrap_or_default();
            let status = event["status"].as_str().unwrap_or_default();
            let is_failure = event["outcome"] != "passed";
            let seen = Seen {
                told: told.lines().map(str::to_owned).collect(),
                failed: is_failure.then(|| status.to_owned()).into_iter().collect(),
                schedules: event["counters"]["schedules"].as_u64().unwrap_or_default(),
                is_all: event["counters"]["exhausted"] == true,
            };
            (name, seen)
        })
        .collect();
    assert!(!seen.is_empty(), "no test ended: {}", finished.stderr);
    seen
}
