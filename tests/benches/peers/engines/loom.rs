//! Loom, which enumerates schedules up to a bound on preemptions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use loom::model::Builder;

use crate::slice::Sample;
use crate::workloads::Workload;

/// Loom's search, in the manner of a strategy's name.
pub(super) const STRATEGY: &str = "bounded:2";
/// The most threads that Loom has room for.
const MOST_THREADS: usize = 5;

/// Explores until the time is up, from the start again when all schedules have been seen.
pub(super) fn run(_: &str, workload: &Workload, length: Duration) -> Sample {
    let schedules = Arc::new(AtomicU64::new(0));
    let began = Instant::now();
    while let Some(left) = length.checked_sub(began.elapsed()) {
        let mut builder = Builder::new();
        builder.max_threads = MOST_THREADS;
        builder.max_branches = 1_000_000;
        builder.preemption_bound = Some(2);
        builder.max_duration = Some(left);
        // Also how often the duration is looked at.
        builder.checkpoint_interval = 1;
        let (body, schedules) = (workload.loom, Arc::clone(&schedules));
        builder.check(move || {
            schedules.fetch_add(1, Relaxed);
            body();
        });
    }
    let schedules = schedules.load(Relaxed);
    Sample {
        schedules,
        steps: schedules * workload.operations,
        nanos: u64::try_from(began.elapsed().as_nanos()).expect("less than centuries"),
    }
}
