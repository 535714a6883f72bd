//! The cost of a schedule of asynchronous tasks: ten tasks that give way fifty times each, on real
//! executors under control, natively, and on Shuttle, whose executor is its own.
//!
//! `cargo bench -p cct-tests --bench tasks` prints a table of microseconds for one execution, the median of
//! rounds in which the contenders take turns on one core. The programs are `tests/fixtures/yields`.

#[path = "../peers/pin.rs"]
mod pin;
#[expect(unreachable_pub, reason = "in its workspace it is a library")]
#[path = "../../fixtures/yields/src/lib.rs"]
mod yields;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cct_tests::support::{Events, Finished, Workspace};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};

/// How often each contender has its turn.
const ROUNDS: usize = 5;
/// How long a native contender has in a round.
const TURN: Duration = Duration::from_millis(300);
const SCHEDULES: usize = 1000;

/// The programs, by the names of the fixture's tests.
const PROGRAMS: [(&str, fn()); 5] = [
    ("local_pool", yields::local_pool),
    ("current_thread", yields::current_thread),
    ("multi_thread", yields::multi_thread),
    ("empty_current_thread", yields::empty_current_thread),
    ("empty_multi_thread", yields::empty_multi_thread),
];
const STRATEGIES: [&str; 2] = ["random", "pct:3"];
const GRANULARITIES: [&str; 2] = ["workspace", "all"];

/// The microseconds of each program with each contender, one for each round.
type Samples = BTreeMap<(&'static str, String), Vec<f64>>;

fn main() {
    if std::env::args().any(|word| word == "--list" || word == "--test") {
        return;
    }
    pin::to_one_core();
    let workspace = Workspace::of_fixture("yields");
    let mut samples = Samples::new();
    for round in 1..=ROUNDS {
        eprintln!("round {round} of {ROUNDS} …");
        for (name, program) in PROGRAMS {
            let sample = natively(program);
            samples
                .entry((name, "natively".to_owned()))
                .or_default()
                .push(sample);
        }
        for strategy in STRATEGIES {
            let sample = on_shuttle(strategy);
            let contender = format!("Shuttle, {strategy}");
            samples
                .entry(("local_pool", contender))
                .or_default()
                .push(sample);
            for granularity in GRANULARITIES {
                let contender = format!("cct, {granularity}, {strategy}");
                for (name, sample) in under_control(&workspace, strategy, granularity) {
                    samples
                        .entry((name, contender.clone()))
                        .or_default()
                        .push(sample);
                }
            }
        }
    }
    println!("| program | contender | µs |\n|---|---|---:|");
    for ((name, contender), mut rounds) in samples {
        rounds.sort_by(f64::total_cmp);
        println!("| {name} | {contender} | {:.0} |", rounds[rounds.len() / 2]);
    }
}

fn natively(program: fn()) -> f64 {
    let began = Instant::now();
    let mut times = 0;
    while began.elapsed() < TURN {
        program();
        times += 1;
    }
    micros(began.elapsed(), times)
}

/// The same program, written against Shuttle.
fn on_shuttle(strategy: &str) -> f64 {
    match strategy {
        "random" => explore(RandomScheduler::new_from_seed(1, SCHEDULES)),
        _ => explore(PctScheduler::new_from_seed(1, 3, SCHEDULES)),
    }
}

fn explore(strategy: impl Scheduler + 'static) -> f64 {
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    config.max_steps = MaxSteps::None;
    config.silence_warnings = true;
    let began = Instant::now();
    let schedules = Runner::new(strategy, config).run(|| {
        for _ in 0..yields::TASKS {
            drop(shuttle::future::spawn(async {
                for _ in 0..yields::YIELDS {
                    shuttle::future::yield_now().await;
                }
            }));
        }
    });
    micros(began.elapsed(), schedules)
}

/// All programs under the tool: the real executors.
fn under_control(
    workspace: &Workspace,
    strategy: &str,
    granularity: &str,
) -> Vec<(&'static str, f64)> {
    let iterations = SCHEDULES.to_string();
    let finished = Finished::of(workspace.cct().args([
        "test",
        "--release",
        "--json",
        "--jobs",
        "1",
        "--seed",
        "1",
        "--max-steps",
        "1000000",
        "--iterations",
        &iterations,
        "--strategy",
        strategy,
        "--granularity",
        granularity,
    ]));
    finished.expect(0);
    let events = Events::of(&finished);
    let ended = events.ended();
    let sample = |(name, _): &(&'static str, fn())| {
        let event = ended[&format!("yields::yields {name}")];
        let seconds = event["seconds"].as_f64().expect("a number");
        let schedules = event["counters"]["schedules"].as_f64().expect("a number");
        (*name, seconds * 1e6 / schedules)
    };
    PROGRAMS.iter().map(sample).collect()
}

fn micros(time: Duration, times: usize) -> f64 {
    time.as_secs_f64() * 1e6 / times as f64
}
