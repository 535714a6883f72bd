//! Which tests there are, and which of them run.

use std::collections::BTreeSet;
use std::io;
use std::process::{Command, Stdio};

use cct::strategy::Spec;

use super::{helper, threads};
use crate::build::cargo::Executable;
use crate::build::marker::Kind;
use crate::cli::HarnessArgs;

/// The tests that are going to run.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// In the order of executables, and in each by name.
    pub jobs: Vec<Job>,
    /// How many tests were left out by filters and `#[ignore]`.
    pub left_out: usize,
}

/// One process to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Job {
    /// The index of the executable.
    pub executable: usize,
    /// The work for it.
    pub task: Task,
    /// The strategy, if not the one that the settings name.
    pub strategy: Option<Spec>,
}

/// The kinds of work for an executable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Task {
    /// Explore this test.
    Explore(String),
    /// Run it as a whole, natively, for this reason.
    Native(&'static str),
}

impl Job {
    /// The test, when it is a single one.
    pub(crate) fn test(&self) -> Option<&str> {
        match &self.task {
            Task::Explore(test) => Some(test),
            Task::Native(_) => None,
        }
    }
}

/// An executable that would not list its tests.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlanError {
    /// It could not be started.
    #[error("cannot run `{0}` to list its tests")]
    Run(String, #[source] io::Error),
    /// It failed.
    #[error("`{0}` failed to list its tests ({1}):\n{2}")]
    List(String, String, String),
}

/// A test as an executable lists it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Listed {
    name: String,
    is_ignored: bool,
}

impl Plan {
    /// Asks each executable for its tests and selects.
    pub(crate) fn make(executables: &[Executable], args: &HarnessArgs) -> Result<Plan, PlanError> {
        let mut plan = Plan::default();
        let lists = std::thread::scope(|scope| {
            let ask = |executable| {
                (
                    executable,
                    threads::start_in(scope, move || list(executable)),
                )
            };
            let asked: Vec<_> = executables.iter().map(ask).collect();
            let told = asked.into_iter().map(|(executable, asked)| match asked {
                Ok(asked) => asked.join().expect("listing does not panic"),
                Err(_) => list(executable),
            });
            told.collect()
        });
        let lists: Vec<Result<Option<Vec<Listed>>, PlanError>> = lists;
        for (index, listed) in lists.into_iter().enumerate() {
            match listed? {
                Some(listed) => plan.add(index, listed, args),
                None => plan.jobs.push(Job {
                    executable: index,
                    task: Task::Native(why_native(&executables[index])),
                    strategy: None,
                }),
            }
        }
        Ok(plan)
    }

    fn add(&mut self, executable: usize, listed: Vec<Listed>, args: &HarnessArgs) {
        for test in listed {
            if args.selects(&test.name, test.is_ignored) {
                self.jobs.push(Job {
                    executable,
                    task: Task::Explore(test.name),
                    strategy: None,
                });
            } else {
                self.left_out += 1;
            }
        }
    }
}

fn why_native(executable: &Executable) -> &'static str {
    match (kind(executable), executable.kind.as_str()) {
        (Some(Kind::Program), _) => "harness = false",
        (_, "proc-macro") => "a procedural macro is part of the compiler",
        _ => "not built for the target",
    }
}

fn kind(executable: &Executable) -> Option<Kind> {
    executable.marker.as_ref().map(|marker| marker.kind)
}

/// The tests of an executable that is under control.
fn list(executable: &Executable) -> Result<Option<Vec<Listed>>, PlanError> {
    if kind(executable) != Some(Kind::Harness) {
        return Ok(None);
    }
    let all = names(executable, &[])?;
    let ignored: BTreeSet<String> = names(executable, &["--ignored"])?.into_iter().collect();
    let listed = all
        .into_iter()
        .map(|name| Listed {
            is_ignored: ignored.contains(&name),
            name,
        })
        .collect();
    Ok(Some(listed))
}

/// The names of the executable's tests, listed with these arguments more.
pub(crate) fn names(executable: &Executable, more: &[&str]) -> Result<Vec<String>, PlanError> {
    let label = || executable.label.clone();
    let mut command = Command::new(&executable.path);
    command
        .args(["--list", "--format", "terse"])
        .args(more)
        .current_dir(&executable.folder)
        .envs(executable.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null());
    let output = helper::output(&mut command).map_err(|error| PlanError::Run(label(), error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr)
            .trim_end()
            .to_owned();
        return Err(PlanError::List(label(), output.status.to_string(), said));
    }
    Ok(tests_in(&String::from_utf8_lossy(&output.stdout)))
}

/// Reads the harness's terse list.
fn tests_in(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.strip_suffix(": test"))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_read_and_benchmarks_left_alone() {
        assert_eq!(
            tests_in("a::b: test\nc: benchmark\nd: test\n"),
            ["a::b", "d"]
        );
    }

    #[test]
    fn what_is_not_selected_is_counted() {
        let mut plan = Plan::default();
        let listed = ["a", "b"].map(|name| Listed {
            name: name.to_owned(),
            is_ignored: name == "b",
        });
        plan.add(3, listed.to_vec(), &HarnessArgs::default());
        assert_eq!(
            plan.jobs,
            [Job {
                executable: 3,
                task: Task::Explore("a".to_owned()),
                strategy: None,
            }]
        );
        assert_eq!(plan.left_out, 1);
    }
}
