//! The oracle: small programs drawn at random, whose outcomes are enumerated by an interpreter that shares no
//! code with the engine, and compared with those that the engine's strategies see.
//!
//!     cargo run --release -p cct-tests --bin oracle -- --programs 100000 --seed 1

mod block_on;
mod code;
mod compare;
mod enumerate;
mod execute;
mod families;
mod fixed;
mod flow;
mod machine;
mod minimise;
mod outcome;
mod program;
mod shards;
mod state;
mod tasks;

use std::fmt;
use std::process::ExitCode;
use std::time::Instant;

use cct::config::Settings;
use cct::harness::Explorer;
use cct::strategy::{Rng, derive};
use clap::Parser;

use crate::compare::{CHANCE, Compared, DEFAULT, ENUMERATING, compare, minimise};
use crate::enumerate::Timeouts;
use crate::families::{FAMILIES, Family};
use crate::program::Program;

/// Compares what strategies see of small programs with what an interpreter says.
#[derive(Debug, Parser)]
struct Arguments {
    /// How many programs, in turn of all families.
    #[arg(long, default_value_t = 2000)]
    programs: u64,
    /// The families that programs are drawn from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only families whose names contain this.
    #[arg(long)]
    only: Option<String>,
    /// The most schedules that a strategy makes of a program.
    #[arg(long, default_value_t = 3000)]
    schedules: u64,
    /// How many divergences are minimised and shown, of each family.
    #[arg(long, default_value_t = 3)]
    show: usize,
    /// The number of the one program that is looked at.
    #[arg(long)]
    number: Option<u64>,
    /// Compares what shards make of each program with what one search does, instead.
    #[arg(long)]
    shards: bool,
}

/// The results of a family.
#[derive(Default)]
struct Row {
    family: &'static str,
    programs: u64,
    too_large: u64,
    executions: u64,
    outcomes: usize,
    traces: usize,
    divergences: u64,
    ended_early: u64,
    nanos: u128,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let only = arguments.only.as_deref().unwrap_or_default();
    let began = Instant::now();
    let mut oracle = Oracle {
        arguments: &arguments,
        explorer: Explorer::new(&Settings::default()),
        rows: Vec::new(),
    };
    let mut sharded = (0, 0);
    if FIXED.contains(only) && arguments.number.is_none() && !arguments.shards {
        for (number, (name, program, rule)) in fixed::programs().into_iter().enumerate() {
            let strategies = strategies(number as u64);
            oracle.look(FIXED, name, &program, rule, &strategies);
        }
    }
    let families: Vec<&Family> = FAMILIES
        .iter()
        .filter(|family| family.name.contains(only))
        .collect();
    for number in 0..arguments.programs {
        if families.is_empty() || arguments.number.is_some_and(|only| only != number) {
            continue;
        }
        let count = families.len() as u64;
        let family = families[(number % count) as usize];
        let program = family.draw(Rng::new(derive(arguments.seed, number)));
        if arguments.shards {
            let differences =
                shards::differences(&mut oracle.explorer, &program, family.rule, number);
            sharded.0 += 1;
            sharded.1 += differences.len();
            for difference in differences {
                say(&format!("{}, number {number}: {difference}", family.name));
            }
            continue;
        }
        let strategies = strategies(number / count);
        let name = number.to_string();
        oracle.look(family.name, &name, &program, family.rule, &strategies);
    }
    if arguments.shards {
        say(&format!(
            "{} programs, {} differences",
            sharded.0, sharded.1
        ));
        return ExitCode::from(u8::from(sharded.1 > 0));
    }
    let differs = oracle.print();
    say(&format!(
        "seed {}, {:.1} s",
        arguments.seed,
        began.elapsed().as_secs_f64()
    ));
    ExitCode::from(u8::from(differs))
}

/// The family of those that differed once.
const FIXED: &str = "fixed";

/// A worker that compares, and its results so far.
struct Oracle<'a> {
    arguments: &'a Arguments,
    explorer: Explorer,
    rows: Vec<Row>,
}

impl Oracle<'_> {
    /// Compares a program.
    fn look(
        &mut self,
        family: &'static str,
        name: &str,
        program: &Program,
        rule: Timeouts,
        strategies: &[&'static str],
    ) {
        let schedules = self.arguments.schedules;
        let since = Instant::now();
        let explorer = &mut self.explorer;
        let compared = compare(explorer, program, rule, strategies, schedules);
        let place = self.rows.iter().position(|row| row.family == family);
        let place = place.unwrap_or_else(|| {
            self.rows.push(Row {
                family,
                ..Row::default()
            });
            self.rows.len() - 1
        });
        let row = &mut self.rows[place];
        row.nanos += since.elapsed().as_nanos();
        row.count(&compared);
        for divergence in compared.divergences {
            row.divergences += 1;
            if row.divergences <= self.arguments.show as u64 {
                let smallest = minimise(explorer, divergence, rule, schedules);
                say(&format!("{family} {name}:\n{smallest}"));
            }
        }
    }

    /// Prints the table; true if there were divergences.
    fn print(&self) -> bool {
        say(concat!(
            "| family | programs | too large | executions | outcomes | traces | divergences |",
            " ended early | ms |",
        ));
        say("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
        let mut all = Row {
            family: "all",
            ..Row::default()
        };
        for row in &self.rows {
            say(&row.to_string());
            all.add(row);
        }
        say(&all.to_string());
        all.divergences > 0
    }
}

#[expect(clippy::print_stdout, reason = "a program says what it found")]
fn say(text: &str) {
    println!("{text}");
}

/// Which strategies look at the program with this number of its family: always two that claim to see all,
/// what a test has by default, and others in turn.
fn strategies(number: u64) -> Vec<&'static str> {
    let turn = |names: &[&'static str]| names[(number % names.len() as u64) as usize];
    vec![
        "dfs",
        "dpor",
        DEFAULT,
        turn(&ENUMERATING[1..]),
        turn(&CHANCE),
    ]
}

impl Row {
    fn count(&mut self, compared: &Compared) {
        self.programs += 1;
        self.too_large += u64::from(compared.is_too_large);
        self.executions += compared.executions;
        self.outcomes += compared.outcomes;
        self.traces += compared.traces;
        self.ended_early += compared.ended_early;
    }

    fn add(&mut self, other: &Row) {
        self.programs += other.programs;
        self.too_large += other.too_large;
        self.executions += other.executions;
        self.outcomes += other.outcomes;
        self.traces += other.traces;
        self.divergences += other.divergences;
        self.ended_early += other.ended_early;
        self.nanos += other.nanos;
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            self.family,
            self.programs,
            self.too_large,
            self.executions,
            self.outcomes,
            self.traces,
            self.divergences,
            self.ended_early,
            self.nanos / 1_000_000,
        )
    }
}
