//! `SCTBench`: how many schedules each strategy needs until it finds a known bug.
//!
//!     cargo run --release -p cct-tests --bin sctbench -- --only reorder_3 --strategy random,pct:3
//!
//! The programs are re-created from descriptions of `SCTBench`'s, and of the suites that later papers added
//! to it. One that is started without `--one` measures nothing itself: it starts itself again for each row
//! of the table, one program under one strategy at one granularity, so that a crash costs one row.

mod cli;
mod heap;
mod measure;
mod program;
mod programs;
mod pthread;
mod published;
mod racy;
mod remarks;
mod row;
mod run;
mod share;
mod shrinking;
mod table;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::{Arguments, Task};

fn main() -> ExitCode {
    let task = match Arguments::parse().resolve() {
        Ok(task) => task,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::from(2);
        }
    };
    let done = match task {
        Task::List => {
            run::list();
            Ok(())
        }
        Task::One(job) => measure::print(&job),
        Task::Shrink(job, time) => shrinking::print(&job, time),
        Task::Run(run) => run.carry_out(),
        Task::Render => run::render(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => {
            eprintln!("{problems}");
            ExitCode::FAILURE
        }
    }
}
