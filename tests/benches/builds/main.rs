//! A user's waits beside the schedules: a cold build, a warm start, and rewriting a large crate.
//!
//! `cargo bench -p cct-tests --bench builds` prints a table of seconds, each the median of rounds in which
//! plain cargo and the tool take turns: of processor time, that of all processes together, and by the clock.
//! The workspace is `tests/fixtures/tokio-full`, whose packages are fetched before. The sysroot that the
//! tool builds once for a toolchain is there before as well; its own build is a row.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use cct_tests::support::{Finished, Workspace, build_with, cargo, cleaned};

/// How often each contender has its turn.
const ROUNDS: usize = 5;

/// The seconds of a command: of all processors together, and by the clock.
#[derive(Clone, Copy, Debug)]
struct Cost {
    processor: f64,
    clock: f64,
}

/// The costs of each row, one for each round.
type Samples = BTreeMap<&'static str, Vec<Cost>>;

/// Where the commands run.
struct Place {
    workspace: Workspace,
    tool: PathBuf,
    cache: PathBuf,
}

fn main() {
    if std::env::args().any(|word| word == "--list" || word == "--test") {
        return;
    }
    let tool = build_with("cargo-cct", &["--release"]).program("cargo-cct");
    let workspace = Workspace::of_fixture("tokio-full");
    let cache = workspace.path("cache");
    let place = Place {
        workspace,
        tool,
        cache,
    };
    place.cost(cargo().arg("fetch"));
    let mut samples = Samples::new();
    let mut add = |row, cost| samples.entry(row).or_default().push(cost);
    add(
        "h. sysroot and cold build, the first time",
        place.cost(place.tool(&["test", "--no-run"])),
    );
    for round in 1..=ROUNDS {
        eprintln!("round {round} of {ROUNDS} …");
        place.clean();
        add(
            "a. cold build, plain",
            place.cost(cargo().args(["test", "--no-run"])),
        );
        place.clean();
        add(
            "b. cold build",
            place.cost(place.tool(&["test", "--no-run"])),
        );
        place.clean();
        let interleaved = ["test", "--no-run", "--interleave", "tokio"];
        add(
            "c. cold build, tokio rewritten",
            place.cost(place.tool(&interleaved)),
        );
        place.cost(cargo().args(["test", "--no-run"]));
        place.cost(place.tool(&["test", "--no-run"]));
        add(
            "d. warm start, plain",
            place.cost(cargo().args(["test", "--lib"])),
        );
        let once = ["test", "--lib", "--iterations", "1"];
        add("e. warm start, one schedule", place.cost(place.tool(&once)));
        add(
            "f. cargo metadata",
            place.cost(cargo().args(["metadata", "--format-version", "1"])),
        );
        let rewriting = ["expand", "tokio", "--json"];
        add(
            "g. cargo metadata, and rewriting tokio",
            place.cost(place.tool(&rewriting)),
        );
    }
    println!("|   | processor s | by the clock s |\n|---|---:|---:|");
    for (row, costs) in samples {
        let median = |of: fn(&Cost) -> f64| {
            let mut seconds: Vec<f64> = costs.iter().map(of).collect();
            seconds.sort_by(f64::total_cmp);
            seconds[seconds.len() / 2]
        };
        let (processor, clock) = (median(|cost| cost.processor), median(|cost| cost.clock));
        println!("| {row} | {processor:.2} | {clock:.2} |");
    }
}

impl Place {
    fn tool(&self, args: &[&str]) -> Command {
        let mut command = cleaned(&self.tool);
        command.arg("cct").args(args);
        command
    }

    /// Removes all that was built but the sysroot.
    fn clean(&self) {
        fs::remove_dir_all(self.workspace.path("target")).expect("something was built");
    }

    /// Runs a command to its end, which has to be a good one.
    fn cost(&self, mut command: impl std::borrow::BorrowMut<Command>) -> Cost {
        let command = command.borrow_mut();
        command
            .current_dir(self.workspace.path(""))
            .env("CCT_CACHE_DIR", Path::new(&self.cache));
        let (before, began) = (seconds_of_children(), Instant::now());
        Finished::of(command).expect(0);
        Cost {
            processor: seconds_of_children() - before,
            clock: began.elapsed().as_secs_f64(),
        }
    }
}

/// The processor time of all processes that have ended below this one.
fn seconds_of_children() -> f64 {
    // SAFETY: plain numbers, for which zero is valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the record is ours.
    let result = unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    assert_eq!(result, 0, "a process knows of its children");
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
