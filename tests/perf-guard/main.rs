//! The cost of a schedule in instructions, for each workload and each strategy, compared with a committed
//! table.
//!
//!     cargo test -p cct-perf-guard [-- [--write] strategy …]
//!
//! Instructions do not depend on the machine's load, so a change of 5 % is one of the code: the guard fails,
//! and `--write` makes the table anew for whoever means it. There is a table for each profile. The suite
//! compares that of `dev`, in which the engine and the shims are optimised; `cargo test --profile bench -p
//! cct-perf-guard` does the same with everything optimised, as users have it, and is what a change to the
//! engine is judged by.
//!
//! The program starts itself again for each strategy, below valgrind. Without valgrind nothing is measured,
//! and the program says so.

mod counter;
mod measure;
mod programs;
mod table;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cct::strategy::Kind;
use table::{Row, Table};

/// Beyond such a change the table is no longer true.
const TOLERANCE: f64 = 0.05;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [role, strategy] = words.as_slice()
        && role == "count"
    {
        return measure::serve(strategy);
    }
    let has = |option: &str| words.iter().any(|word| word == option);
    if has("--list") {
        println!("perf-guard: test");
        return ExitCode::SUCCESS;
    }
    if !cfg!(target_arch = "x86_64") {
        println!("perf-guard: NOTHING WAS MEASURED: the tables are of x86-64");
        return ExitCode::SUCCESS;
    }
    if let Some(reason) = counter::reason_not_to() {
        println!("perf-guard: NOTHING WAS MEASURED: {reason}");
        return ExitCode::SUCCESS;
    }
    let wanted: Vec<&String> = words
        .iter()
        .filter(|word| !word.starts_with("--"))
        .collect();
    let is_wanted =
        |name: &&str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    let kinds = Kind::ALL.iter().map(|kind| kind.name());
    let names: Vec<&str> = kinds.filter(is_wanted).collect();
    let result = measure_all(&names).and_then(|rows| {
        if has("--write") {
            write(&rows)
        } else {
            compare(&names, &rows)
        }
    });
    match result {
        Ok(said) => {
            println!("perf-guard: {said}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            println!("perf-guard: FAILED: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Measures strategies, as many at a time as there are cores.
fn measure_all(names: &[&str]) -> Result<Vec<Row>, String> {
    let next = AtomicUsize::new(0);
    let rows = Mutex::new(Ok(Vec::new()));
    let work = || {
        while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
            let measured = measure::measure(name);
            let mut rows = rows.lock().expect("nobody panics");
            match (&mut *rows, measured) {
                (Ok(rows), Ok(measured)) => rows.extend(measured),
                (rows, Err(problem)) => *rows = Err(problem),
                (Err(_), Ok(_)) => {}
            }
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    rows.into_inner().expect("nobody panics")
}

fn write(rows: &[Row]) -> Result<String, String> {
    let read = Table::read().map_err(|error| error.to_string())?;
    let mut table = Table {
        origin: table::origin(),
        ..read
    };
    table.renew(rows);
    let path = table.write().map_err(|error| error.to_string())?;
    Ok(format!("{} figures are in {}", rows.len(), path.display()))
}

/// Tells each difference; they are a failure if the table was made with this compiler.
fn compare(names: &[&str], rows: &[Row]) -> Result<String, String> {
    let table = Table::read().map_err(|error| error.to_string())?;
    let mut changes = 0;
    for row in rows {
        let before = table.rows.iter().find(|known| known.is_like(row));
        let change = before.map(|before| row.change_from(before));
        if change.is_some_and(|change| change.abs() <= TOLERANCE) {
            continue;
        }
        changes += 1;
        let (workload, strategy) = (&row.workload, &row.strategy);
        let now = format!(
            "{} instructions in {:.1} steps",
            row.instructions, row.steps
        );
        match before.zip(change) {
            None => println!("{workload} {strategy}: {now}, and the table has no such row"),
            Some((before, change)) => println!(
                "{workload} {strategy}: {:+.1} %: {now}, were {} in {:.1}",
                change * 100.0,
                before.instructions,
                before.steps
            ),
        }
    }
    let is_asked = |row: &&Row| names.contains(&row.strategy.as_str());
    for gone in table.rows.iter().filter(is_asked) {
        if !rows.iter().any(|row| row.is_like(gone)) {
            changes += 1;
            println!("{} {}: not measured any more", gone.workload, gone.strategy);
        }
    }
    let compared = format!(
        "{} figures compared, {changes} differ by more than 5 %",
        rows.len()
    );
    let compiler = table::origin();
    if table.origin != compiler {
        return Ok(format!(
            "{compared}, WHICH IS NOT JUDGED: the table is of {}, this is {compiler}",
            table.origin
        ));
    }
    if changes == 0 {
        return Ok(compared);
    }
    Err(format!(
        "{compared}; if that is meant, run this again with `--write` and commit the table"
    ))
}
