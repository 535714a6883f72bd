//! `cargo cct test --compare-strategies`: each test under each strategy, side by side.

use std::collections::BTreeMap;
use std::io;

use cct::strategy::{Kind, Spec};

use super::keeper::Keeper;
use crate::build::cargo::Executable;
use crate::cli::TestArgs;
use crate::exit::Exit;
use crate::failure::Record;
use crate::report::{Compared, Comparison, Report};
use crate::run::{Explorer, Job, Notice, Outcome, Plan, Task, TestName, TestRun, run_all};

/// Runs each test of the plan under each strategy, with the same seed and budget.
pub(super) fn run(
    args: &TestArgs,
    plan: Plan,
    executables: &[Executable],
    explorer: &Explorer<'_>,
    keeper: &Keeper<'_>,
    width: usize,
) -> anyhow::Result<Exit> {
    let specs = strategies(explorer.overrides.strategy.as_ref());
    let tests: Vec<Job> = plan
        .jobs
        .into_iter()
        // A test that is not under control has no schedules to compare.
        .filter(|job| matches!(job.task, Task::Explore(_)))
        .collect();
    let jobs = tests.iter().flat_map(|job| {
        specs.iter().map(|spec| Job {
            strategy: Some(spec.clone()),
            ..job.clone()
        })
    });
    let plan = Plan {
        jobs: jobs.collect(),
        ..plan
    };
    let mut session = Session {
        keeper,
        comparison: Comparison::new(args.output.json),
        strategies: specs.len(),
        kept: BTreeMap::new(),
        rows: BTreeMap::new(),
        failed: false,
        refused: false,
    };
    if tests.is_empty() {
        crate::report::remark_line!("{}: no test matches", crate::report::error_word());
        return Ok(Exit::NoTests);
    }
    session
        .comparison
        .begin(tests.len(), &specs, explorer.seed)?;
    run_all(&plan, executables, explorer, &[], width, false, |notice| {
        let notice = notice?;
        session.hear(&plan, notice)
    })?;
    // The tests that were not run to their end under all.
    let rest: Vec<_> = session.rows.keys().cloned().collect();
    for name in rest {
        session.tell(&plan, &name)?;
    }
    Ok(if explorer.stop.is_set() {
        Exit::Interrupted
    } else if session.failed {
        Exit::Failed
    } else if session.refused {
        Exit::Setup
    } else {
        Exit::Success
    })
}

/// Each of those that were asked for, else each there is, with its default, and the portfolio.
fn strategies(asked: Option<&Spec>) -> Vec<Spec> {
    let one = |text: &str| Spec::parse(text).expect("a name is read as it is printed");
    let each = |spec: &Spec| {
        let members = spec.members().iter();
        members.map(|member| one(&member.to_string())).collect()
    };
    if let Some(asked) = asked {
        return each(asked);
    }
    let names: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    let mut specs: Vec<Spec> = each(&one(&names.join(",")));
    specs.push(Spec::default());
    specs
}

/// The results so far.
struct Session<'a> {
    keeper: &'a Keeper<'a>,
    comparison: Comparison,
    strategies: usize,
    /// Failures by job.
    kept: BTreeMap<usize, (Record, Report)>,
    /// The tests that have ended, by test and job.
    rows: BTreeMap<TestName, BTreeMap<usize, TestRun>>,
    failed: bool,
    refused: bool,
}

impl Session<'_> {
    fn hear(&mut self, plan: &Plan, notice: Notice) -> io::Result<()> {
        match notice {
            Notice::Begun(_) | Notice::Progress(..) | Notice::Shrinks(..) => Ok(()),
            Notice::Found { job, name, finding } => {
                let before = self.kept.get(&job).map(|(record, _)| record);
                let executable = plan.jobs[job].executable;
                let kept = self.keeper.keep(name, executable, &finding, before)?;
                self.kept.insert(job, kept);
                Ok(())
            }
            Notice::Ended { job, run, .. } => {
                self.failed |= matches!(
                    run.outcome,
                    Outcome::Failed(_) | Outcome::FailedNatively(_) | Outcome::Unfinished
                );
                self.refused |= matches!(run.outcome, Outcome::Refused(_));
                let name = run.name.clone();
                let rows = self.rows.entry(name.clone()).or_default();
                rows.insert(job, *run);
                if rows.len() < self.strategies {
                    return Ok(());
                }
                self.tell(plan, &name)
            }
        }
    }

    /// Tells what has ended of a test.
    fn tell(&mut self, plan: &Plan, name: &TestName) -> io::Result<()> {
        let rows = self.rows.remove(name).unwrap_or_default();
        let rows = rows.into_iter().map(|(job, run)| Compared {
            strategy: plan.jobs[job].strategy.clone().unwrap_or_default(),
            run,
            failure: self.kept.remove(&job),
        });
        let rows: Vec<_> = rows.collect();
        self.comparison.test(name, &rows)
    }
}
