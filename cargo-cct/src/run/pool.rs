//! Runs a plan's jobs over the cores.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::thread;

use cct::wire::Counters;

use super::explore::{Explorer, Finding, Outcome, TestRun};
use super::name::TestName;
use super::native::run_native;
use super::plan::{Job, Plan, Task};
use crate::build::cargo::Executable;

/// What happens while a plan runs.
#[derive(Debug)]
pub(crate) enum Notice {
    /// A job has begun.
    Begun(TestName),
    /// How far a test is.
    Progress(TestName, Counters),
    /// A bug was found, or found to repeat.
    Found {
        /// The test.
        name: TestName,
        /// The index of its executable.
        executable: usize,
        /// The bug.
        finding: Box<Finding>,
    },
    /// A job has ended.
    Ended {
        /// Why it ran natively, if it did on purpose.
        native: Option<&'static str>,
        /// What came of it.
        run: Box<TestRun>,
    },
}

/// Runs all jobs, `width` at a time; notices arrive on the calling thread.
///
/// With `fail_fast`, jobs that have not begun when one fails do not begin.
pub(crate) fn run_all(
    plan: &Plan,
    executables: &[Executable],
    explorer: &Explorer<'_>,
    words: &[String],
    width: usize,
    fail_fast: bool,
    mut on_notice: impl FnMut(Notice) -> io::Result<()>,
) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let (sender, notices) = channel();
    thread::scope(|scope| {
        for _ in 0..width.clamp(1, plan.jobs.len().max(1)) {
            let sender = sender.clone();
            let next = &next;
            scope.spawn(move || {
                while !explorer.stop.is_set()
                    && let Some(job) = plan.jobs.get(next.fetch_add(1, Relaxed))
                {
                    let executable = &executables[job.executable];
                    let ended = run_job(job, executable, explorer, words, |notice| {
                        // Nobody listens any more: the run is being given up.
                        let _ = sender.send(Ok(notice));
                    });
                    if let Ok(Notice::Ended { run, .. }) = &ended
                        && fail_fast
                        && !matches!(run.outcome, Outcome::Passed)
                    {
                        next.store(plan.jobs.len(), Relaxed);
                    }
                    if sender.send(ended).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let result = notices.iter().try_for_each(|notice| on_notice(notice?));
        if result.is_err() {
            explorer.stop.set();
        }
        result
    })
}

fn run_job(
    job: &Job,
    executable: &Executable,
    explorer: &Explorer<'_>,
    words: &[String],
    notify: impl Fn(Notice),
) -> io::Result<Notice> {
    match &job.task {
        Task::Native(reason) => {
            notify(Notice::Begun(TestName {
                binary: executable.label.clone(),
                test: String::new(),
            }));
            let run = run_native(executable, words, &explorer.stop)?;
            Ok(Notice::Ended {
                native: Some(reason),
                run: Box::new(run),
            })
        }
        Task::Explore(test) => {
            let name = TestName {
                binary: executable.label.clone(),
                test: test.clone(),
            };
            notify(Notice::Begun(name.clone()));
            let run = explorer.explore(
                executable,
                test,
                |counters| notify(Notice::Progress(name.clone(), counters.clone())),
                |finding| {
                    notify(Notice::Found {
                        name: name.clone(),
                        executable: job.executable,
                        finding: Box::new(finding.clone()),
                    });
                },
            )?;
            Ok(Notice::Ended {
                native: None,
                run: Box::new(run),
            })
        }
    }
}
