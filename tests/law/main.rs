//! Whether rewriting removes outcomes: asynchronous programs on real runtimes, as they are written and
//! rewritten.
//!
//!     cargo run -p cct-tests --bin law                       all programs of tests/registry/law
//!     cargo run -p cct-tests --bin law -- --write            and the table in docs/source-layer.md
//!     cargo run -p cct-tests --bin law -- of_futures         only those whose names contain this
//!
//! As they are written, `dfs` and chance look for outcomes; rewritten ones are searched until all of these
//! have come, or the rounds are over.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use cct_tests::law::{Budget, Compared, compare};
use cct_tests::support::cargo_cct;
use clap::Parser as _;

/// Compares the outcomes of asynchronous programs as they are written with those of rewritten ones
#[derive(clap::Parser, Debug)]
#[command(name = "law")]
struct Arguments {
    /// Only the programs whose names contain this
    name: Option<String>,
    /// Schedules of dfs, and by chance, for each program as it is written
    #[arg(long, default_value_t = 2000)]
    written: u32,
    /// Schedules of dfs for each rewritten program, and by chance in each round
    #[arg(long, default_value_t = 2000)]
    rewritten: u32,
    /// How many more rounds there are for what is missing
    #[arg(long, default_value_t = 8)]
    rounds: u32,
    /// Writes the table in docs/source-layer.md
    #[arg(long)]
    write: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = tests.join("registry/law");
    let target = tests.join("../target/law");
    let budget = Budget {
        written: [arguments.written; 2],
        rewritten: [arguments.rewritten; 2],
        rounds: arguments.rounds,
    };
    let command = || {
        let mut command = cargo_cct();
        command
            .current_dir(&workspace)
            .env("CARGO_TARGET_DIR", &target);
        command
    };
    let args: Vec<&str> = arguments.name.iter().map(String::as_str).collect();
    let all = compare(command, &target.join("outcomes"), &args, budget);
    let table = render(&all);
    print(&table);
    let mut is_kept = true;
    for (test, compared) in &all {
        let (missing, added) = (compared.missing(), compared.added_failures());
        if !missing.is_empty() || !added.is_empty() {
            is_kept = false;
            print(&format!(
                "{test}: misses {missing:?}, fails as it did not: {added:?}\n"
            ));
        }
    }
    if arguments.write {
        write(&tests.join("../docs/source-layer.md"), &table);
    }
    ExitCode::from(u8::from(!is_kept))
}

#[expect(clippy::print_stdout, reason = "a program says what it found")]
fn print(text: &str) {
    print!("{text}");
}

/// The table, with a line for all.
fn render(all: &BTreeMap<String, Compared>) -> String {
    let mut table =
        "| program | schedules | outcomes | rewritten: schedules | outcomes | missing |\n\
                     |---|---:|---:|---:|---:|---:|\n"
            .to_owned();
    let mut sums = [0; 5];
    for (test, compared) in all {
        let (written, rewritten) = (&compared.written, &compared.rewritten);
        let outcomes = |told: usize, failed: usize| told.max(failed) as u64;
        let cells = [
            written.schedules,
            outcomes(written.told.len(), written.failed.len()),
            rewritten.schedules,
            outcomes(rewritten.told.len(), rewritten.failed.len()),
            compared.missing().len() as u64,
        ];
        for (sum, cell) in sums.iter_mut().zip(cells) {
            *sum += cell;
        }
        let name = test.strip_prefix("law ").unwrap_or(test);
        row(&mut table, &format!("`{name}`"), cells);
    }
    row(&mut table, &format!("all {}", all.len()), sums);
    table
}

fn row(table: &mut String, name: &str, cells: [u64; 5]) {
    let cells = cells.map(|cell| cell.to_string()).join(" | ");
    writeln!(table, "| {name} | {cells} |").expect("a string takes it");
}

fn write(path: &Path, table: &str) {
    let text = fs::read_to_string(path).expect("the page is there");
    let (before, rest) = text
        .split_once("<!-- table: law -->\n")
        .expect("the page has the table");
    let (_, after) = rest.split_once("<!-- end -->").expect("it has an end");
    let text = format!("{before}<!-- table: law -->\n{table}<!-- end -->{after}");
    fs::write(path, text).expect("the page can be written");
}
