//! One strategy with some workers for a fraction of a second, in a process of its own.

use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use cct::config::Settings;
use cct::strategy::Spec;
use cct_shims::std::sync::atomic::{AtomicUsize, Ordering};
use cct_shims::std::thread;

/// How long a slice takes, without its process's start.
const LENGTH: Duration = Duration::from_millis(150);
/// How often each worker adds.
const TIMES: usize = 100;

/// Which slice a process is to do.
#[derive(Debug)]
pub(crate) struct Slice {
    pub(crate) strategy: String,
    pub(crate) workers: usize,
}

impl Slice {
    /// Reads `slice <strategy> <workers>`.
    pub(crate) fn parse(arguments: &[String]) -> Option<Slice> {
        let [role, strategy, workers] = arguments else {
            return None;
        };
        (role == "slice").then_some(())?;
        Some(Slice {
            strategy: strategy.clone(),
            workers: workers.parse().ok()?,
        })
    }

    /// Has it done by a process of its own; the nanoseconds of one step.
    pub(crate) fn measure(&self) -> Option<f64> {
        let program = std::env::current_exe().expect("the path of this program");
        let output = Command::new(program)
            .args(["slice", &self.strategy, &self.workers.to_string()])
            .output()
            .expect("this program starts again");
        let printed = String::from_utf8_lossy(&output.stdout);
        printed.trim().parse().ok()
    }

    /// Does it in this process, and prints the nanoseconds of one step, those of its share of an
    /// iteration's set-up included.
    pub(crate) fn serve(&self) -> ExitCode {
        let settings = Settings {
            iterations: Some(u64::MAX),
            time: Some(LENGTH),
            max_steps: Some(1_000_000),
            strategy: Some(Spec::parse(&self.strategy).expect("a strategy")),
            seed: Some(1),
            // Counting behaviours is no strategy's work.
            watch: Some(0),
            ..Settings::default()
        };
        let began = processor_time();
        let counters = cct::harness::explore(&settings, || add(self.workers));
        let nanos = processor_time() - began;
        assert_eq!(counters.cut_offs, 0, "a schedule was cut off");
        println!("{}", nanos as f64 / counters.steps as f64);
        ExitCode::SUCCESS
    }
}

/// How long this process has been on a core, in nanoseconds: what others do on it does not count.
fn processor_time() -> i64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the place for the answer is ours.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    assert_eq!(failed, 0, "a process has a clock");
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

fn add(workers: usize) {
    let count = Arc::new(AtomicUsize::new(0));
    let spawn = |_| {
        let count = Arc::clone(&count);
        thread::spawn(move || {
            for _ in 0..TIMES {
                count.fetch_add(1, Ordering::SeqCst);
            }
        })
    };
    let handles: Vec<_> = (0..workers).map(spawn).collect();
    for handle in handles {
        handle.join().expect("nobody panics");
    }
}
