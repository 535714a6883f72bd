//! Tests of strategies by counting: numbers of schedules, and how often each is made.
//!
//!     cargo test --test statistics [-- part of a claim's name]
//!
//! A list of claims instead of libtest's, since there is one explorer for each process: claims take it in
//! turn, in as many processes as there are processors. A file of claims has a `CLAIMS` of its own, which is
//! named below.

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
use std::process::{Command, ExitCode};
use std::{env, thread};

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
    let words: Vec<String> = env::args().skip(1).collect();
    let is_option = |word: &&String| word.starts_with("--");
    if words.iter().any(|word| word == "--list") {
        for (name, _) in CLAIMS.concat() {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    let wanted: Vec<&String> = words.iter().filter(|word| !is_option(word)).collect();
    let share = words.iter().find_map(|word| word.strip_prefix(SHARE));
    if wanted.is_empty() && share.is_none() {
        return share_out();
    }
    let (number, of) = share.map_or((0, 1), numbers);
    let mut explorer = Explorer::new(&Settings::default());
    let mut failed = 0;
    for (name, shown) in CLAIMS.concat().into_iter().skip(number).step_by(of) {
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

/// The option of a process that tests every n-th claim: `--share=<first>/<n>`.
const SHARE: &str = "--share=";

fn numbers(share: &str) -> (usize, usize) {
    let (number, of) = share.split_once('/').expect("two numbers");
    let parse = |text: &str| text.parse().expect("a number");
    (parse(number), parse(of))
}

/// Tests all claims, in several processes.
fn share_out() -> ExitCode {
    let count = thread::available_parallelism().map_or(1, usize::from);
    let program = env::current_exe().expect("it runs");
    let start = |number| {
        let share = format!("{SHARE}{number}/{count}");
        Command::new(&program).arg(share).spawn()
    };
    let started: Vec<_> = (0..count).map(start).collect();
    let ends = started.into_iter().map(|child| child?.wait());
    let all_hold = ends.map(|end| end.is_ok_and(|status| status.success()));
    // Each is waited for, whatever another one says.
    let all_hold = all_hold.fold(true, |all, one| all & one);
    ExitCode::from(u8::from(!all_hold))
}
