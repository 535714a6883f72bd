//! This engine, in this process.

use std::time::Duration;

use cct::config::Settings;
use cct::strategy::Spec;

use crate::slice::Sample;
use crate::workloads::Workload;

/// Explores until the time is up.
///
/// A test without any choice is run once and no more, so each body has one choice of a value added;
/// that makes `empty` slightly more than empty.
pub(super) fn run(strategy: &str, workload: &Workload, length: Duration) -> Sample {
    let settings = Settings {
        iterations: Some(u64::MAX),
        time: Some(length),
        max_steps: Some(1_000_000),
        strategy: Some(Spec::parse(strategy).expect("a strategy of ours")),
        seed: Some(1),
        ..Settings::default()
    };
    let counters = cct::harness::explore(&settings, || {
        cct::engine::choose_index(2);
        (workload.cct)();
    });
    assert_eq!(counters.cut_offs, 0, "a schedule was cut off");
    Sample {
        schedules: counters.schedules,
        steps: counters.steps.max(counters.schedules),
        nanos: counters.nanos,
    }
}
