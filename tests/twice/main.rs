//! Whether a schedule is the same wherever it is made: asynchronous tests on real runtimes, each schedule
//! made by two processes, and everything that happened in it compared.
//!
//!     cargo run -p cct-tests --bin twice                     20 tests, 200 seeds, 4 schedules each
//!     cargo run -p cct-tests --bin twice -- --write          and the table in docs/registry.md
//!     cargo run -p cct-tests --bin twice -- --seed 17 --seeds 1 futures
//!
//! The two processes have the same program, seed and settings. They run side by side, with as many other
//! pairs as there are cores, and differ in the number of their process and in the size of their environment.
//! Neither has a random address space, as in `cargo cct test`. Each strategy has its turn, seed by seed.

mod process;
mod tests;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cct::comparison::{Depth, parting};
use cct::config::Settings;
use cct::strategy::{Kind, Spec, derive};
use cct::trace::{Trace, WorkerKind};
use cct::wire::Replayed;
use cct_tests::support::{Events, Finished, cargo_cct};
use clap::Parser as _;

use crate::process::{Process, Program};
use crate::tests::TESTS;

/// Makes each schedule of asynchronous tests in two processes, and compares what happened
#[derive(clap::Parser, Debug)]
#[command(name = "twice")]
struct Arguments {
    /// Only the tests whose names contain this
    #[arg(default_value = "")]
    only: String,
    /// The numbers that the seeds are derived from, one after the other
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many seeds
    #[arg(long, value_name = "N", default_value_t = 200)]
    seeds: u64,
    /// How many schedules for each test and seed
    #[arg(long, value_name = "N", default_value_t = 4)]
    schedules: u64,
    /// How many pairs of processes at a time [default: one for each core]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Put the table into docs/registry.md
    #[arg(long)]
    write: bool,
}

/// The schedules of one test with one seed.
struct Pair<'a> {
    name: &'static str,
    program: &'a Program,
    test: &'static str,
    settings: Settings,
}

/// The comparison of one test.
#[derive(Clone, Copy, Default)]
struct Row {
    schedules: usize,
    steps: usize,
    tasks: usize,
    differences: usize,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let programs = programs();
    let pairs: Vec<Pair<'_>> = pairs(&arguments, &programs).collect();
    let rows = Mutex::new(BTreeMap::<&str, Row>::new());
    let next = AtomicUsize::new(0);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for job in 0..arguments.jobs.unwrap_or(cores).max(1) {
            let process = Process::new(&scratch(), job);
            let (rows, next, pairs) = (&rows, &next, &pairs);
            scope.spawn(move || {
                while let Some(pair) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let row = compare(pair, &process);
                    rows.lock()
                        .expect("no thread panics with it")
                        .entry(pair.name)
                        .or_default()
                        .add(row);
                }
            });
        }
    });
    let rows = rows.into_inner().expect("as above");
    let table = render(&rows);
    print!("{table}");
    if arguments.write {
        write(&table);
    }
    let differ = rows.values().any(|row| row.differences > 0);
    ExitCode::from(u8::from(differ || rows.is_empty()))
}

/// The test executables of the workspace, by label.
fn programs() -> BTreeMap<String, Program> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("registry/async");
    let mut command = cargo_cct();
    command
        .args(["test", "--no-run", "--json", "--tests", "--target-dir"])
        .arg(scratch())
        .current_dir(workspace);
    let built = Finished::of(&mut command);
    built.expect(0);
    let events = Events::of(&built);
    let programs = events.of_kind("executable").map(|event| {
        let text = |key: &str| event[key].as_str().expect("a text").to_owned();
        let program = Program {
            path: text("path").into(),
            folder: text("folder").into(),
        };
        (text("binary"), program)
    });
    programs.collect()
}

/// Where programs are built, and processes leave what they print.
fn scratch() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = std::env::var_os("CARGO_TARGET_DIR");
    target
        .map_or_else(|| root.join("target"), PathBuf::from)
        .join("registry/target")
}

/// All that is asked for, seed by seed.
fn pairs<'a>(
    arguments: &'a Arguments,
    programs: &'a BTreeMap<String, Program>,
) -> impl Iterator<Item = Pair<'a>> {
    let wanted = TESTS.iter().filter(|name| name.contains(&*arguments.only));
    (0..arguments.seeds).flat_map(move |index| {
        let strategy = Kind::ALL[index as usize % Kind::ALL.len()].name();
        let settings = Settings {
            seed: Some(derive(arguments.seed, index)),
            iterations: Some(arguments.schedules),
            strategy: Some(Spec::parse(strategy).expect("its own name")),
            ..Settings::default()
        };
        wanted.clone().map(move |&name| {
            let (binary, test) = name.split_once(' ').expect("a program and a test");
            let program = programs.get(&format!("async::{binary}"));
            Pair {
                name,
                program: program.unwrap_or_else(|| panic!("there is no `{binary}`")),
                test,
                settings: settings.clone(),
            }
        })
    })
}

/// Makes the schedules in two processes, and says where they differ.
fn compare(pair: &Pair<'_>, process: &Process) -> Row {
    let padding = derive(pair.settings.seed.unwrap_or(0), 1) as usize % 10_000;
    let [first, second] = process.run_two(pair.program, pair.test, &pair.settings, [0, padding]);
    let (first, second) = match (first, second) {
        (Ok(first), Ok(second)) => (first, second),
        (first, second) => {
            println!(
                "{} {}: {:?}",
                pair.name,
                pair.settings,
                first.and(second).err()
            );
            return Row {
                differences: 1,
                ..Row::default()
            };
        }
    };
    let traces = first.traces.iter().zip(&second.traces).enumerate();
    let differing = traces.filter(|(_, (one, other))| one != other);
    let mut differences = 0;
    for (index, (one, other)) in differing {
        differences += 1;
        let place = difference(one, other);
        println!(
            "{} {}, schedule {index}:\n{place}",
            pair.name, pair.settings
        );
    }
    if differences == 0 && first != second {
        differences = 1;
        println!("{} {}:\n{first:?}\n{second:?}", pair.name, pair.settings);
    }
    Row {
        schedules: first.traces.len(),
        steps: first.traces.iter().map(|told| told.trace.len()).sum(),
        tasks: first.traces.iter().map(|told| tasks(&told.trace)).sum(),
        differences,
    }
}

impl Row {
    fn add(&mut self, other: Row) {
        self.schedules += other.schedules;
        self.steps += other.steps;
        self.tasks += other.tasks;
        self.differences += other.differences;
    }
}

/// How many workers are tasks.
fn tasks(trace: &Trace) -> usize {
    let workers = trace.workers.iter();
    let is_task = |kind| matches!(kind, WorkerKind::Task | WorkerKind::Root(_));
    workers.filter(|worker| is_task(worker.kind)).count()
}

/// The first step that differs, if it is a step.
fn difference(one: &Replayed, other: &Replayed) -> String {
    let mut text = String::new();
    let parting = parting(&one.trace, &other.trace, Depth::Everything);
    for (index, replayed) in [one, other].into_iter().enumerate() {
        let (trace, verdict) = (&replayed.trace, &replayed.verdict);
        let _ = match parting {
            Some(parting) => {
                let (place, told) = (parting.index, &parting.told()[index]);
                let step = trace.steps.get(place);
                writeln!(text, "  step {place}: {told} {step:?}")
            }
            None => writeln!(
                text,
                "  {verdict:?} {:?} {:?}",
                trace.schedule, trace.objects
            ),
        };
    }
    text
}

fn render(rows: &BTreeMap<&str, Row>) -> String {
    let mut table =
        "| test | schedules | steps | tasks | different |\n|---|---:|---:|---:|---:|\n".to_owned();
    let mut sum = Row::default();
    for (name, row) in rows {
        sum.add(*row);
        table += &row.line(&format!("`{name}`"));
    }
    table + &sum.line("all")
}

impl Row {
    fn line(&self, name: &str) -> String {
        let numbers = [self.schedules, self.steps, self.tasks, self.differences].map(grouped);
        format!("| {name} | {} |\n", numbers.join(" | "))
    }
}

/// A number with commas.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn write(table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/registry.md");
    let text = fs::read_to_string(&path).expect("the page can be read");
    let (head, rest) = text
        .split_once("<!-- table: twice -->\n")
        .expect("a place for it");
    let (_, tail) = rest.split_once("<!-- end -->").expect("the table ends");
    let text = format!("{head}<!-- table: twice -->\n{table}<!-- end -->{tail}");
    fs::write(&path, text).expect("the page can be written");
}
