//! Runs a plan's jobs over the cores.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::thread;

use cct::wire::Counters;

use super::explore::Explorer;
use super::finding::Finding;
use super::name::TestName;
use super::native::run_native;
use super::outcome::{Outcome, Progress, TestRun};
use super::plan::{Job, Plan, Task};
use super::threads;
use crate::build::cargo::Executable;

/// The events while a plan runs.
#[derive(Debug)]
pub(crate) enum Notice {
    /// A job has begun.
    Begun(TestName),
    /// How far a test is.
    Progress(TestName, Box<Counters>),
    /// A test's failure is shrunk: there is a shorter schedule after so many executions, or none yet after 0.
    Shrinks(TestName, u64),
    /// A bug was found, or found to repeat.
    Found {
        /// The index of the job.
        job: usize,
        /// The test.
        name: TestName,
        /// The bug.
        finding: Box<Finding>,
    },
    /// A job has ended.
    Ended {
        /// The index of the job.
        job: usize,
        /// Why it ran natively, if it did on purpose.
        native: Option<&'static str>,
        /// Its result.
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
    mut on_notice: impl FnMut(io::Result<Notice>) -> io::Result<()>,
) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let cores = Cores::new(width);
    let (sender, notices) = channel();
    thread::scope(|scope| {
        for number in 0..width.clamp(1, plan.jobs.len().max(1)) {
            let sender = sender.clone();
            let (next, cores) = (&next, &cores);
            let started = threads::start_in(scope, move || {
                while !explorer.stop.is_set()
                    && let index = next.fetch_add(1, Relaxed)
                    && let Some(job) = plan.jobs.get(index)
                {
                    let executable = &executables[job.executable];
                    let taken = cores.take(job, plan.jobs.len() - index);
                    let numbers = (index, taken.count);
                    let ended = run_job(numbers, job, executable, explorer, words, |notice| {
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
            // One does all that there is to do.
            if number == 0 {
                started?;
            }
        }
        drop(sender);
        let result = notices.iter().try_for_each(&mut on_notice);
        if result.is_err() {
            explorer.stop.set();
        }
        result
    })
}

/// The cores, and how many of them are in use.
#[derive(Debug)]
struct Cores {
    all: usize,
    busy: Mutex<usize>,
}

/// Cores in use; given back with this value.
struct Taken<'a> {
    cores: &'a Cores,
    count: usize,
}

impl Cores {
    fn new(all: usize) -> Cores {
        Cores {
            all,
            busy: Mutex::new(0),
        }
    }

    /// Takes cores for a job: when there are more of them than jobs that have not begun, `left` with
    /// this one, it gets its part of those.
    fn take(&self, job: &Job, left: usize) -> Taken<'_> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        let is_spread = matches!(job.task, Task::Explore(_)) && job.strategy.is_none();
        let count = match self.all.saturating_sub(*busy) / left.max(1) {
            count if is_spread => count.max(1),
            _ => 1,
        };
        *busy += count;
        Taken { cores: self, count }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut busy = self
            .cores
            .busy
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *busy -= self.count;
    }
}

/// Runs one job, by its index, in so many processes.
pub(super) fn run_job(
    (index, processes): (usize, usize),
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
            let run = run_native(executable, words, explorer.scratch, &explorer.stop)?;
            Ok(Notice::Ended {
                job: index,
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
                job.strategy.as_ref(),
                u32::try_from(processes).unwrap_or(1),
                &|progress| {
                    notify(match progress {
                        Progress::Explores(counters) => {
                            Notice::Progress(name.clone(), Box::new(counters.clone()))
                        }
                        Progress::Shrinks(executions) => Notice::Shrinks(name.clone(), executions),
                    });
                },
                &|finding| {
                    notify(Notice::Found {
                        job: index,
                        name: name.clone(),
                        finding: Box::new(finding.clone()),
                    });
                },
            )?;
            Ok(Notice::Ended {
                job: index,
                native: None,
                run: Box::new(run),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_that_no_other_test_needs_are_shared_out() {
        let job = Job {
            executable: 0,
            task: Task::Explore("a".to_owned()),
            strategy: None,
        };
        let cores = Cores::new(8);
        let mut taken = Vec::new();
        for left in [3, 2, 1] {
            taken.push(cores.take(&job, left));
        }
        let counts: Vec<_> = taken.iter().map(|taken| taken.count).collect();
        assert_eq!(counts, [2, 3, 3]);
        assert_eq!(cores.take(&job, 1).count, 1);
        taken.clear();
        assert_eq!(cores.take(&job, 9).count, 1);
        let native = Job {
            task: Task::Native("harness = false"),
            ..job
        };
        assert_eq!(cores.take(&native, 1).count, 1);
    }
}
