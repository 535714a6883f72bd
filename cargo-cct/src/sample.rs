//! Traces made by hand, for tests.

use cct::operation::Operation;
use cct::trace::{ObjectInfo, Site, Step, Trace, WorkerInfo, WorkerKind};
use cct::verdict::{Bug, BugKind};
use serde_json::json;

use crate::failure::Record;

/// A step and its file.
pub(crate) fn step(worker: u32, operation: Operation, file: &str) -> (Step, String) {
    (
        Step::of(worker, operation as u8, Some(0), 0),
        file.to_owned(),
    )
}

/// A trace of these steps.
pub(crate) fn trace(steps: &[(Step, String)]) -> Trace {
    let mut trace = Trace::default();
    for (number, (step, file)) in (0..).zip(steps) {
        trace.sites.push(Site {
            file: file.clone(),
            line: 1,
            column: 9,
        });
        trace.steps.push(Step {
            site: number,
            ..step.clone()
        });
    }
    // Equal files are one site, as in a recorded trace.
    for index in 0..trace.steps.len() {
        let file = &steps[index].1;
        let first = steps
            .iter()
            .position(|(_, other)| other == file)
            .expect("it is there");
        trace.steps[index].site = u32::try_from(first).expect("short");
    }
    let workers = trace
        .steps
        .iter()
        .map(|step| step.worker)
        .max()
        .map_or(0, |last| last + 1);
    trace.workers = (0..workers)
        .map(|_| WorkerInfo {
            name: None,
            spawned_at: None,
            kind: WorkerKind::Thread,
            made_by: None,
        })
        .collect();
    let objects = trace
        .steps
        .iter()
        .filter_map(|step| step.object)
        .max()
        .map_or(0, |last| last + 1);
    trace.objects = (0..objects)
        .map(|n| ObjectInfo {
            address: u64::from(n),
            static_path: None,
        })
        .collect();
    trace
}

/// The record of a panic with this message in the first worker, under this trace.
pub(crate) fn record(trace: &Trace, message: &str) -> Record {
    let bug = Bug::new(BugKind::Panic, message.to_owned(), None, Some(0));
    let value = json!({
        "format": Record::FORMAT, "version": cct::wire::VERSION, "id": "7f3k-q2",
        "tool": "0", "rustc": "rustc 1", "run_seed": 1, "package": "p", "kind": "lib", "target": "p",
        "manifest": "Cargo.toml", "folder": "", "executable": "p", "executable_hash": "",
        "selection": [], "found_at": 0, "binary": "p", "test": "fails", "iteration": 1,
        "bug": bug, "repeats": "yes", "unobserved_panics": [], "overrides": "", "defaults": "",
        "schedule": trace.schedule, "trace": trace, "printed": "",
    });
    serde_json::from_value(value).expect("a record has these parts")
}
