//! Schedules a second under test: actors and threads under this engine, threads under Shuttle.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use serde_json::Value;
use shuttle::scheduler::{RandomScheduler, Schedule, Scheduler, Task, TaskId};

use crate::statistics::Spread;

mod with_shuttle {
    schedules::replicated_by!(shuttle);
}

/// So many schedules in each round.
const SCHEDULES: usize = 20_000;

/// The figures of a round.
struct Sample {
    schedules_per_second: f64,
    steps: f64,
}

/// Prints the table.
pub(crate) fn print(rounds: usize) -> Result<(), String> {
    // The first builds the tests.
    under_cct("actors", 0)?;
    let contenders = ["actors", "threads", "threads under Shuttle"];
    let mut samples = contenders.map(|_| Vec::new());
    for round in 0..rounds {
        for (contender, samples) in contenders.into_iter().zip(&mut samples) {
            samples.push(match contender {
                "actors" | "threads" => under_cct(contender, round)?,
                _ => under_shuttle(round as u64),
            });
        }
    }
    println!("| | schedules/s | steps in each |");
    println!("|---|---|---|");
    for (contender, samples) in contenders.into_iter().zip(samples) {
        let steps = samples[0].steps;
        let samples = samples.iter().map(|it| it.schedules_per_second).collect();
        println!("| {contender} | {} | {steps:.0} |", Spread::of(samples));
    }
    Ok(())
}

fn under_cct(test: &str, seed: usize) -> Result<Sample, String> {
    let mut command = Command::new("cargo");
    command
        .args(["cct", "test", "--json", "--release", "-j", "1"])
        .args(["--strategy", "random", "--iterations"])
        .arg(SCHEDULES.to_string())
        .args(["--seed", &seed.to_string(), "--manifest-path"])
        .arg(package().join("Cargo.toml"))
        .args(["-p", "schedules", "--test", "replication"])
        .args(["--", "--exact", test])
        .current_dir(package().join("../../.."))
        .stderr(Stdio::inherit());
    let output = command.output().map_err(|error| error.to_string())?;
    let told = String::from_utf8_lossy(&output.stdout);
    let events = told
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let ended = events.filter(|it| it["event"] == "test_ended").last();
    let ended = ended.ok_or(format!("`cargo cct test` says nothing of {test}:\n{told}"))?;
    let number = |value: &Value| value.as_f64();
    let counters = &ended["counters"];
    let sample = (|| {
        let schedules = number(&counters["schedules"])?;
        Some(Sample {
            schedules_per_second: schedules / number(&ended["seconds"])?,
            steps: number(&counters["steps"])? / schedules,
        })
    })();
    sample.ok_or(format!("no figures of {test}: {ended}"))
}

fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn under_shuttle(seed: u64) -> Sample {
    let mut config = shuttle::Config::new();
    config.failure_persistence = shuttle::FailurePersistence::None;
    config.silence_warnings = true;
    let steps = Arc::new(AtomicU64::new(0));
    let counting = Counting {
        strategy: RandomScheduler::new_from_seed(seed, SCHEDULES),
        steps: Arc::clone(&steps),
    };
    let began = Instant::now();
    let schedules = shuttle::Runner::new(counting, config).run(with_shuttle::replicate);
    Sample {
        schedules_per_second: schedules as f64 / began.elapsed().as_secs_f64(),
        steps: steps.load(Ordering::Relaxed) as f64 / schedules as f64,
    }
}

/// Counts the calls of `next_task`.
struct Counting {
    strategy: RandomScheduler,
    steps: Arc<AtomicU64>,
}

impl Scheduler for Counting {
    fn new_execution(&mut self) -> Option<Schedule> {
        self.strategy.new_execution()
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        self.steps.fetch_add(1, Ordering::Relaxed);
        self.strategy.next_task(runnable, current, is_yielding)
    }

    fn next_u64(&mut self) -> u64 {
        self.strategy.next_u64()
    }
}
