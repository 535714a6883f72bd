//! The cost of a step under each strategy, on one core, in one run.
//!
//! `cargo bench -p cct-tests --bench strategies [-- <strategy> …]` prints a table and writes
//! `strategies.json` into the target folder. The workload is the one in which strategies weigh most:
//! workers that do nothing but add to one atomic, so that each step is a scheduling point and all of
//! them conflict. Strategies that are given by name are measured with their parameters, else there is
//! one row for each kind that the runtime knows.
//!
//! As in the comparison with peers, the process only conducts: it pins itself to one core and starts
//! itself again for each *slice*, a strategy with a number of workers for a fraction of a second. Slices
//! take turns, and the median counts, so that a machine that slows down slows all of them.

#[path = "../peers/pin.rs"]
mod pin;
mod report;
mod slice;

use std::process::ExitCode;

use cct::strategy::{Kind, Spec};
use report::Row;

/// How often each slice is repeated.
const ROUNDS: usize = 5;
/// The numbers of workers.
const WORKERS: [usize; 3] = [4, 8, 100];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    if let Some(slice) = slice::Slice::parse(&arguments) {
        return slice.serve();
    }
    let is_option = |word: &String| word == "--list" || word == "--test";
    if arguments.iter().any(is_option) {
        return ExitCode::SUCCESS;
    }
    if let Some(wrong) = arguments.iter().find(|name| Spec::parse(name).is_err()) {
        eprintln!("`{wrong}` is not a strategy: {}", Spec::GRAMMAR);
        return ExitCode::FAILURE;
    }
    pin::to_one_core();
    let rows = measure(if arguments.is_empty() {
        Kind::ALL
            .iter()
            .map(|kind| kind.name().to_owned())
            .collect()
    } else {
        arguments
    });
    report::print(&rows);
    match report::write(&rows) {
        Ok(path) => println!("\n{}", path.display()),
        Err(error) => {
            eprintln!("cannot write `strategies.json`: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Measures these strategies, in turn.
fn measure(strategies: Vec<String>) -> Vec<Row> {
    let mut rows: Vec<Row> = strategies.into_iter().map(Row::new).collect();
    for round in 1..=ROUNDS {
        eprintln!("round {round} of {ROUNDS} …");
        for row in &mut rows {
            row.measure();
        }
    }
    rows
}
