//! Same seed, same schedules: two processes that explore the same programs make the same ones, byte by
//! byte, under every strategy, and their executions are equal step by step.
//!
//!     cargo test --test determinism [-- part of a strategy's name]
//!
//! The process starts itself again, three times for each strategy: twice with one seed and once with
//! another. Such a process prints its exploration in full. Addresses are left to the system, which lays
//! out each process differently: nothing may follow from them.

mod programs;

use std::fmt::Write as _;
use std::process::{Command, ExitCode};

use cct::config::Settings;
use cct::harness::Explorer;
use cct::strategy::{Kind, Spec};
use cct::trace::Schedule;
use cct::wire::Replayed;

/// Specifications of strategies that follow each other, or take turns, beside the kinds alone.
const COMBINATIONS: [&str; 4] = [
    "portfolio",
    "pct:2@10+random",
    "sticky:5@20+rff@40+q-learning",
    "rff,pos,q-learning",
];
const SEEDS: [u64; 3] = [3, 3, 4];
/// Schedules for each program; one of them in sixteen is repeated with its trace recorded.
const SCHEDULES: u64 = 64;
const TRACE_EVERY: usize = 16;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [role, strategy, seed] = words.as_slice()
        && role == "explore"
    {
        let spec = Spec::parse(strategy).expect("the conductor knows strategies");
        print!("{}", explore(&spec, seed.parse().expect("a number")));
        return ExitCode::SUCCESS;
    }
    let kinds = Kind::ALL.iter().map(|kind| kind.name());
    let names = kinds.chain(COMBINATIONS);
    let is_option = |word: &&String| word.starts_with("--");
    if words.iter().any(|word| word == "--list") {
        names.for_each(|name| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let wanted: Vec<&String> = words.iter().filter(|word| !is_option(word)).collect();
    let mut failed = 0;
    for name in names.filter(|name| is_wanted(name, &wanted)) {
        let result = check(name);
        match &result {
            Ok(()) => println!("{name} ... ok"),
            Err(problem) => println!("{name} ... FAILED: {problem}"),
        }
        failed += u32::from(result.is_err());
    }
    ExitCode::from(u8::from(failed > 0))
}

fn is_wanted(name: &str, wanted: &[&String]) -> bool {
    wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()))
}

/// Compares what three processes make.
fn check(name: &str) -> Result<(), String> {
    let outputs = SEEDS.map(|seed| explore_apart(name, seed));
    let [first, second, other] = outputs;
    let (first, second, other) = (first?, second?, other?);
    if let Some(line) = first.lines().zip(second.lines()).position(|(a, b)| a != b) {
        let of = |text: &str| text.lines().nth(line).unwrap_or_default().to_owned();
        return Err(format!("line {line}:\n{}\n{}", of(&first), of(&second)));
    }
    if first != second {
        return Err("one process makes more than the other".to_owned());
    }
    // One that goes through schedules in an order of its own draws nothing.
    let mut kinds = Kind::ALL.iter();
    let draws = kinds.all(|kind| kind.name() != name || !kind.enumerates());
    if draws && first == other {
        return Err("another seed makes no difference".to_owned());
    }
    Ok(())
}

/// Has a process of its own explore; returns what it prints.
fn explore_apart(name: &str, seed: u64) -> Result<String, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program)
        .args(["explore", name, &seed.to_string()])
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{}: {said}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// Explores each program, and tells all schedules and some traces.
fn explore(spec: &Spec, seed: u64) -> String {
    let settings = Settings {
        iterations: Some(SCHEDULES),
        max_steps: Some(2000),
        seed: Some(seed),
        ..Settings::default()
    };
    let mut explorer = Explorer::new(&settings);
    let mut told = String::new();
    for (name, body) in programs::ALL {
        let mut schedules = Vec::new();
        let strategies = spec.build();
        let exploration = explorer.explore_each(
            settings.clone().resolve(),
            strategies,
            body,
            &mut |schedule| {
                schedules.push(schedule);
            },
        );
        assert_eq!(exploration.found, None, "{name} has no bug");
        assert!(schedules.len() > 1, "{name} has more than one schedule");
        for schedule in &schedules {
            tell(&mut told, name, schedule);
        }
        for schedule in schedules.iter().step_by(TRACE_EVERY) {
            tell_trace(&mut told, schedule, &explorer.replay(schedule, body));
        }
    }
    told
}

/// Writes down what a schedule decides; its seed it has from the command line.
fn tell(told: &mut String, name: &str, schedule: &Schedule) {
    let Schedule { runs, choices, .. } = schedule;
    let runs: Vec<_> = runs.iter().map(|run| (run.worker, run.steps)).collect();
    writeln!(told, "{name} {runs:?} {choices:?}").expect("memory takes it");
}

/// Writes down all that a replay recorded, which leaves the schedule nowhere. A schedule that `dpor` gave
/// up ends before the program does, and whoever ran last may wait there.
fn tell_trace(told: &mut String, schedule: &Schedule, replayed: &Replayed) {
    let steps = schedule.runs.iter().map(|run| run.steps).sum::<u32>();
    let left = replayed.divergence.as_ref();
    assert_eq!(left.filter(|left| left.step < steps), None);
    let trace = &replayed.trace;
    for step in &trace.steps {
        writeln!(told, "{step:?}").expect("memory takes it");
    }
    writeln!(told, "{:?} {:?}", trace.workers, trace.sites).expect("memory takes it");
}
