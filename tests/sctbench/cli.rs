//! The command line: what was typed, and what it means.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use cct::strategy::Spec;

use crate::program::Program;
use crate::programs;
use crate::racy::Granularity;
use crate::run::Run;

/// The strategies of the table.
const STRATEGIES: [&str; 6] = ["random", "pct:3", "pos", "surw", "rff", "portfolio"];
/// Trials of each row.
const SEEDS: u64 = 20;

/// Measures how many schedules each strategy needs until it finds the bug of each program
#[derive(clap::Parser, Debug)]
#[command(name = "sctbench")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Arguments {
    /// Only these programs, by name, suite or suite/name
    #[arg(long, value_name = "P", value_delimiter = ',')]
    only: Vec<String>,
    /// Only these strategies [default: those of the table]
    #[arg(long, value_name = "S", value_delimiter = ',')]
    strategy: Vec<String>,
    /// Which plain accesses are scheduling points: `sync`, `racy` or `all`
    #[arg(long, value_name = "G", value_delimiter = ',', default_value = "racy")]
    granularity: Vec<Granularity>,
    /// The seed of the first trial
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed_base: u64,
    /// How many trials, each with a seed of its own
    #[arg(long, value_name = "N", default_value_t = SEEDS)]
    seeds: u64,
    /// The most schedules of a trial [default: 10000, SafeStack 1000000]
    #[arg(long, value_name = "N")]
    schedules: Option<u64>,
    /// Write the rows into this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// How many processes at a time [default: one for each core]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Put the rows into docs/sctbench.json and make docs/sctbench.md from it
    #[arg(long)]
    write: bool,
    /// Make docs/sctbench.md from docs/sctbench.json, and measure nothing
    #[arg(long)]
    render: bool,
    /// List the programs and stop
    #[arg(long)]
    list: bool,
    /// Measure one row in this process, and print it
    #[arg(long, hide = true)]
    one: bool,
    /// Find the bug of one program, shrink it for so many seconds, and print the lengths
    #[arg(long, value_name = "SECONDS")]
    shrink: Option<u64>,
}

/// The work to be done.
#[derive(Debug)]
pub(crate) enum Task {
    /// List the programs.
    List,
    /// Measure a row in this process.
    One(Job),
    /// Shrink what the first strategy finds in this process.
    Shrink(Job, Duration),
    /// Measure rows, in processes of their own.
    Run(Run),
    /// Make the page from rows that were measured before.
    Render,
}

/// A row to be measured.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) program: &'static Program,
    pub(crate) strategy: Spec,
    pub(crate) granularity: Granularity,
    pub(crate) seed_base: u64,
    pub(crate) seeds: u64,
    /// The most schedules of a trial.
    pub(crate) schedules: u64,
}

impl Arguments {
    /// Finds out what the words mean.
    pub(crate) fn resolve(self) -> Result<Task, String> {
        if self.list {
            return Ok(Task::List);
        }
        if self.render {
            return Ok(Task::Render);
        }
        let mut jobs = self.jobs()?;
        if let Some(seconds) = self.shrink {
            let strategy = self.strategies()?.pop();
            let job = jobs.pop().filter(|_| self.only.len() == 1);
            return match (job, strategy) {
                (Some(job), Some(strategy)) => Ok(Task::Shrink(
                    Job { strategy, ..job },
                    Duration::from_secs(seconds),
                )),
                _ => Err("`--shrink` takes one program".to_owned()),
            };
        }
        if self.one {
            return match (jobs.pop(), jobs.is_empty()) {
                (Some(job), true) => Ok(Task::One(job)),
                _ => Err("`--one` takes one program, strategy and granularity".to_owned()),
            };
        }
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        Ok(Task::Run(Run {
            jobs,
            processes: self.jobs.unwrap_or_else(cores).max(1),
            json: self.json,
            writes_page: self.write,
        }))
    }

    /// The rows asked for, program by program.
    fn jobs(&self) -> Result<Vec<Job>, String> {
        if self.seeds == 0 || self.schedules == Some(0) {
            return Err("there is nothing to measure without seeds and schedules".to_owned());
        }
        let programs = self.programs()?;
        let strategies = self.strategies()?;
        let mut jobs = Vec::new();
        for program in programs {
            for strategy in &strategies {
                for &granularity in &self.granularity {
                    jobs.push(Job {
                        program,
                        strategy: strategy.clone(),
                        granularity,
                        seed_base: self.seed_base,
                        seeds: self.seeds,
                        schedules: self.schedules.unwrap_or(program.schedules),
                    });
                }
            }
        }
        Ok(jobs)
    }

    fn programs(&self) -> Result<Vec<&'static Program>, String> {
        for name in &self.only {
            if !programs::all().any(|program| program.is_named(name)) {
                return Err(format!(
                    "no program is named `{name}`: `--list` has their names"
                ));
            }
        }
        let is_asked = |program: &&Program| {
            self.only.is_empty() || self.only.iter().any(|name| program.is_named(name))
        };
        Ok(programs::all().filter(is_asked).collect())
    }

    fn strategies(&self) -> Result<Vec<Spec>, String> {
        let asked: Vec<&str> = match self.strategy.as_slice() {
            [] => STRATEGIES.to_vec(),
            asked => asked.iter().map(String::as_str).collect(),
        };
        let parse =
            |name: &str| Spec::parse(name).map_err(|problem| format!("`{name}` is {problem}"));
        asked.into_iter().map(parse).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strategies_of_the_table_exist() {
        assert!(STRATEGIES.iter().all(|name| Spec::parse(name).is_ok()));
    }
}
