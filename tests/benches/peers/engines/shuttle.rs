//! Shuttle, with a wrapper around its scheduler that counts steps and ends the run.

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use shuttle::scheduler::{PctScheduler, RandomScheduler, Schedule, Scheduler, Task, TaskId};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};

use crate::slice::Sample;
use crate::workloads::Workload;

const SEED: u64 = 1;

/// Explores until the time is up.
pub(super) fn run(strategy: &str, workload: &Workload, length: Duration) -> Sample {
    match strategy {
        "random" => explore(
            RandomScheduler::new_from_seed(SEED, usize::MAX),
            workload,
            length,
        ),
        _ => explore(
            PctScheduler::new_from_seed(SEED, 3, usize::MAX),
            workload,
            length,
        ),
    }
}

fn explore(strategy: impl Scheduler + 'static, workload: &Workload, length: Duration) -> Sample {
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    config.max_steps = MaxSteps::None;
    config.silence_warnings = true;
    let steps = Arc::new(AtomicU64::new(0));
    let began = Instant::now();
    let counting = Counting {
        strategy: ManuallyDrop::new(strategy),
        steps: Arc::clone(&steps),
        end: began + length,
    };
    let schedules = Runner::new(counting, config).run(workload.shuttle);
    Sample {
        schedules: schedules as u64,
        steps: steps.load(Relaxed).max(schedules as u64),
        nanos: u64::try_from(began.elapsed().as_nanos()).expect("less than centuries"),
    }
}

struct Counting<S> {
    /// Never dropped: an end that it did not choose itself would be reported as a failure.
    strategy: ManuallyDrop<S>,
    steps: Arc<AtomicU64>,
    end: Instant,
}

impl<S: Scheduler> Scheduler for Counting<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        if Instant::now() >= self.end {
            None
        } else {
            self.strategy.new_execution()
        }
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        self.steps.store(self.steps.load(Relaxed) + 1, Relaxed);
        self.strategy.next_task(runnable, current, is_yielding)
    }

    fn next_u64(&mut self) -> u64 {
        self.strategy.next_u64()
    }
}
