//! How many executions it takes to see everything: `dpor` and `dfs` of this engine, and Loom.
//!
//!     cargo bench -p cct-tests --bench dpor_counts [-- --write]
//!
//! Each explores each program until nothing is left, or its time is up. With `--write` the table in
//! docs/dpor.md is replaced.

#![allow(clippy::print_stdout, reason = "a benchmark prints its results")]

mod programs;

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use cct::config::Settings;
use cct::harness::Explorer;
use cct::strategy::{Limits, Spec};

use programs::{ALL, Program};

/// How long each may take for a program.
const LONGEST: Duration = Duration::from_secs(12);

/// The page with the table, and where in it the table is.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/dpor.md");
const BEGIN: &str = "<!-- table -->\n";
const END: &str = "<!-- end of table -->\n";

/// The effort of an engine.
struct Effort {
    executions: u64,
    /// How many of them were given up.
    blocked: u64,
    /// Whether nothing was left.
    done: bool,
    time: Duration,
}

fn main() {
    let mut explorer = Explorer::new(&Settings::default());
    let mut table = String::from(
        "| program | behaviours | `dpor` | given up | time | `dfs` | time | Loom 0.7.2 | time |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for program in ALL {
        let efforts = [
            ours(&mut explorer, "dpor", program),
            ours(&mut explorer, "dfs", program),
            loom(program),
        ];
        let line = line(program.name, &efforts);
        print!("{line}");
        table += &line;
    }
    if std::env::args().any(|word| word == "--write") {
        let page = std::fs::read_to_string(PAGE).expect("the page is there");
        let (head, rest) = page.split_once(BEGIN).expect("it has a table");
        let (_, tail) = rest.split_once(END).expect("the table has an end");
        let page = format!("{head}{BEGIN}{table}{END}{tail}");
        std::fs::write(PAGE, page).expect("the page can be written");
    }
}

fn ours(explorer: &mut Explorer, strategy: &str, program: &Program) -> Effort {
    let settings = Settings {
        iterations: Some(u64::MAX),
        time: Some(LONGEST),
        strategy: Some(Spec::parse(strategy).expect("a strategy of ours")),
        seed: Some(1),
        watch: Some(u32::MAX),
        ..Settings::default()
    };
    let exploration = explorer.explore(&settings, program.cct);
    assert_eq!(exploration.found, None, "{} fails", program.name);
    let counters = exploration.counters;
    assert_eq!(counters.limits, Limits::default(), "{}", program.name);
    Effort {
        executions: counters.schedules,
        blocked: counters.sleep_set_blocked,
        done: counters.exhausted,
        time: Duration::from_nanos(counters.nanos),
    }
}

/// Loom without a bound on preemptions, as far as it gets.
fn loom(program: &Program) -> Effort {
    let executions = Arc::new(AtomicU64::new(0));
    let mut builder = loom::model::Builder::new();
    builder.max_branches = 100_000;
    builder.preemption_bound = None;
    builder.max_duration = Some(LONGEST);
    builder.checkpoint_interval = 100;
    let (body, count) = (program.loom, Arc::clone(&executions));
    let began = Instant::now();
    builder.check(move || {
        count.fetch_add(1, Relaxed);
        body();
    });
    let time = began.elapsed();
    Effort {
        executions: executions.load(Relaxed),
        blocked: 0,
        done: time < LONGEST,
        time,
    }
}

fn line(name: &str, [dpor, dfs, loom]: &[Effort; 3]) -> String {
    let complete = dpor.executions - dpor.blocked;
    let mut line = format!("| {name} | {} | ", count(complete, dpor.done));
    let blocked = count(dpor.blocked, true);
    let _ = write!(
        line,
        "{} | {blocked} | {} | ",
        count(dpor.executions, dpor.done),
        time(dpor)
    );
    for other in [dfs, loom] {
        let _ = write!(
            line,
            "{} | {} | ",
            count(other.executions, other.done),
            time(other)
        );
    }
    line.truncate(line.trim_end().len());
    line + "\n"
}

/// A number with its thousands apart.
fn count(number: u64, done: bool) -> String {
    let digits = number.to_string();
    let mut text = String::from(if done { "" } else { "> " });
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn time(effort: &Effort) -> String {
    let seconds = effort.time.as_secs_f64();
    match seconds {
        _ if !effort.done => format!("> {seconds:.0} s"),
        0.0..0.001 => format!("{:.0} µs", seconds * 1e6),
        0.001..1.0 => format!("{:.1} ms", seconds * 1e3),
        _ => format!("{seconds:.1} s"),
    }
}
