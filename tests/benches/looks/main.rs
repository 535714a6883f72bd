//! The cost of looking at memory and at reference counts: schedules of five programs with both and with
//! neither, and one access in a loop, natively, under control, and with ThreadSanitizer.
//!
//! `cargo bench -p cct-tests --bench looks` prints two tables, of medians of rounds in which the contenders
//! take turns on one core. The programs are `tests/fixtures/looks`.

#[path = "../peers/pin.rs"]
mod pin;

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use cct_tests::support::{Events, Finished, Workspace};

/// How often each contender has its turn.
const ROUNDS: usize = 5;
const SCHEDULES: &str = "2000";
/// The programs, by the names of the fixture's tests.
const PROGRAMS: [&str; 5] = [
    "concurrent_map",
    "std_threads",
    "tokio_channel",
    "tokio_lock",
    "tokio_socket",
];
const PROFILES: [&str; 2] = ["dev", "release"];
/// Each has a target folder of its own, so that nothing is built again.
const NEITHER: [&str; 5] = [
    "--races=false",
    "--counts",
    "none",
    "--target-dir",
    "neither",
];
const BOTH: [&str; 2] = ["--target-dir", "both"];

/// For each row and column, a number for each round.
type Samples = BTreeMap<(&'static str, &'static str, &'static str), Vec<f64>>;

fn main() {
    if std::env::args().any(|word| word == "--list" || word == "--test") {
        return;
    }
    let workspace = Workspace::of_fixture("looks");
    // Built first, on all cores.
    accesses(&workspace, &mut Samples::new());
    schedules(&workspace, &mut Samples::new());
    pin::to_one_core();
    let (mut programs, mut access) = (Samples::new(), Samples::new());
    for round in 1..=ROUNDS {
        eprintln!("round {round} of {ROUNDS} …");
        schedules(&workspace, &mut programs);
        accesses(&workspace, &mut access);
    }
    println!(
        "| program | profile | neither, µs | both, µs | times as long |\n|---|---|---:|---:|---:|"
    );
    for program in PROGRAMS {
        for profile in PROFILES {
            let [neither, both] =
                ["neither", "both"].map(|which| median(&programs[&(program, profile, which)]));
            let times = both / neither;
            println!("| `{program}` | `{profile}` | {neither:.0} | {both:.0} | {times:.2} |");
        }
    }
    let nanoseconds = nanoseconds_of_a_tick();
    println!("\n| a write in a loop | `dev`, ns | `release`, ns |\n|---|---:|---:|");
    for contender in [
        "natively",
        "under control, neither",
        "under control",
        "ThreadSanitizer",
    ] {
        let [dev, release] =
            PROFILES.map(|profile| nanoseconds * median(&access[&("write", profile, contender)]));
        println!("| {contender} | {dev:.1} | {release:.1} |");
    }
}

/// The microseconds of a schedule of each program.
fn schedules(workspace: &Workspace, samples: &mut Samples) {
    for profile in PROFILES {
        for (which, options) in [("neither", &NEITHER[..]), ("both", &BOTH[..])] {
            let mut tool = workspace.cct();
            tool.args([
                "test", "--json", "--test", "programs", "--jobs", "1", "--seed", "1",
            ])
            .args(["--iterations", SCHEDULES, "--time", "1m"])
            .args(options);
            if profile == "release" {
                tool.arg("--release");
            }
            let finished = Finished::of(&mut tool);
            finished.expect(0);
            let events = Events::of(&finished);
            let ended = events.ended();
            for program in PROGRAMS {
                let event = &ended[&format!("looks::programs {program}")];
                let seconds = event["seconds"].as_f64().expect("a number");
                let schedules = event["counters"]["schedules"].as_f64().expect("a number");
                let sample = seconds * 1e6 / schedules;
                samples
                    .entry((program, profile, which))
                    .or_default()
                    .push(sample);
            }
        }
    }
}

/// The ticks of an access.
fn accesses(workspace: &Workspace, samples: &mut Samples) {
    let file = workspace.path("ticks");
    let sanitized = "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer";
    for profile in PROFILES {
        let release: &[&str] = if profile == "release" {
            &["--release"]
        } else {
            &[]
        };
        let mut sample = |contender, command: &mut std::process::Command| {
            command.args(release).env("TICKS", &file);
            Finished::of(command).expect(0);
            let ticks = fs::read_to_string(&file).expect("the test writes it");
            let ticks = ticks.parse().expect("a number");
            samples
                .entry(("write", profile, contender))
                .or_default()
                .push(ticks);
        };
        let native = ["test", "--test", "access"];
        sample("natively", workspace.cargo().args(native));
        let once = ["test", "--test", "access", "--iterations", "1"];
        sample("under control", workspace.cct().args(once).args(BOTH));
        sample(
            "under control, neither",
            workspace.cct().args(once).args(NEITHER),
        );
        sample(
            "ThreadSanitizer",
            workspace
                .cargo()
                .args(native)
                .args([
                    "--target",
                    "x86_64-unknown-linux-gnu",
                    "--target-dir",
                    "sanitized",
                ])
                .env("RUSTC_BOOTSTRAP", "1")
                .env("RUSTFLAGS", sanitized)
                // Of std, which is not built with it.
                .env("TSAN_OPTIONS", "report_bugs=0"),
        );
    }
}

fn median(samples: &[f64]) -> f64 {
    let mut samples = samples.to_vec();
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

fn nanoseconds_of_a_tick() -> f64 {
    // SAFETY: it reads a counter.
    let ticks = || unsafe { std::arch::x86_64::_rdtsc() };
    let (began, before) = (Instant::now(), ticks());
    while began.elapsed() < Duration::from_millis(100) {}
    began.elapsed().as_nanos() as f64 / (ticks() - before) as f64
}
