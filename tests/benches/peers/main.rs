//! Compares this engine with Shuttle and Loom on the same workloads, on one core, in one run.
//!
//! `cargo bench -p cct-tests --bench peers [-- <workload> …]` prints a table and writes
//! `peers.json` into the target folder. The process only conducts: it pins itself to one core and
//! starts itself again for each *slice*, one engine with one strategy on one workload for a fraction
//! of a second. The slices of the engines take turns, and of each engine's slices the median counts,
//! so that a machine that slows down slows all of them. A slice has a process of its own because this
//! engine restores a process's statics between iterations, the peers' among them.
//!
//! Steps are: for this engine its own count, a scheduling point; for Shuttle a call of
//! `next_task`, counted by a wrapping scheduler; Loom has no such count, so
//! [`Workload::operations`](workloads::Workload::operations) is taken, the operations that the
//! workload's own code spells out. Schedules a second needs no such convention and is what the ratios
//! compare.

mod engines;
mod pin;
mod report;
mod slice;
mod workloads;

use std::process::ExitCode;

use engines::Contender;
use report::Row;
use workloads::Workload;

/// How often each slice is repeated.
const ROUNDS: usize = 5;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    if let Some(request) = slice::Request::parse(&arguments) {
        return slice::serve(&request);
    }
    if arguments
        .iter()
        .any(|word| word == "--list" || word == "--test")
    {
        return ExitCode::SUCCESS;
    }
    pin::to_one_core();
    let rows = compare(&arguments);
    report::print(&rows);
    match report::write(&rows) {
        Ok(path) => println!("\n{}", path.display()),
        Err(error) => {
            eprintln!("cannot write `peers.json`: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Measures all contenders on the workloads with these names, or on all.
fn compare(names: &[String]) -> Vec<Row> {
    let wanted =
        |workload: &&Workload| names.is_empty() || names.iter().any(|name| name == workload.name);
    let mut rows = Vec::new();
    for workload in workloads::ALL.iter().filter(wanted) {
        eprintln!("{} …", workload.name);
        let mut contenders: Vec<_> = Contender::all()
            .map(|contender| (contender, vec![]))
            .collect();
        for _ in 0..ROUNDS {
            contenders.retain_mut(|(contender, samples)| {
                let sample = slice::measure(*contender, workload);
                if let Err(reason) = &sample {
                    eprintln!(
                        "  not {} {}: {reason}",
                        contender.engine, contender.strategy
                    );
                }
                sample.map(|sample| samples.push(sample)).is_ok()
            });
        }
        let row = |(contender, samples)| Row::of_median(contender, workload, samples);
        rows.extend(contenders.into_iter().filter_map(row));
    }
    rows
}
