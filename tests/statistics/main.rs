//! Tests of strategies by counting: numbers of schedules, and how often each is made.
//!
//!     cargo test --test statistics [-- part of a claim's name]
//!
//! A list of claims instead of libtest's, since there is one explorer for each process: claims take it in
//! turn. A file of claims has a `CLAIMS` of its own, which is named below.

mod behaviours;
mod chains;
mod depth;
mod distributions;
mod dpor;
mod fairness;
mod model;
mod program;
mod programs;
mod proofs;
mod spy;
mod systematic;
mod tally;
mod task_programs;
mod tasks;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use cct::config::Settings;
use cct::harness::Explorer;

/// A sentence that is true, and what shows it.
type Claim = (&'static str, fn(&mut Explorer));

/// All claims, file by file.
const CLAIMS: &[&[Claim]] = &[
    behaviours::CLAIMS,
    dpor::CLAIMS,
    proofs::CLAIMS,
    tasks::CLAIMS,
    systematic::CLAIMS,
    depth::CLAIMS,
    distributions::CLAIMS,
    chains::CLAIMS,
    fairness::CLAIMS,
];

#[expect(clippy::print_stdout, reason = "a test harness says what it did")]
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_option = |word: &&String| word.starts_with("--");
    if words.iter().any(|word| word == "--list") {
        for (name, _) in CLAIMS.concat() {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    let wanted: Vec<&String> = words.iter().filter(|word| !is_option(word)).collect();
    let mut explorer = Explorer::new(&Settings::default());
    let mut failed = 0;
    for (name, shown) in CLAIMS.concat() {
        if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        let result = catch_unwind(AssertUnwindSafe(|| shown(&mut explorer)));
        let word = if result.is_ok() { "ok" } else { "FAILED" };
        println!("{name} ... {word}");
        failed += u32::from(result.is_err());
    }
    ExitCode::from(u8::from(failed > 0))
}
