//! Traces made by hand, for tests.

use std::collections::BTreeSet;
use std::time::Duration;

use cct::claim::Exceptions;
use cct::covered::Coverage;
use cct::operation::Operation;
use cct::trace::{ObjectInfo, Site, Step, Trace, WorkerInfo, WorkerKind};
use cct::verdict::{Bug, BugKind};
use cct::wire::{Counters, Started};
use serde_json::json;

use crate::failure::Record;
use crate::run::{Outcome, TestName, TestRun};

/// A test that was explored, of a thousand schedules at most.
pub(crate) fn run(counters: Counters, outcome: Outcome) -> TestRun {
    TestRun {
        name: TestName {
            binary: String::new(),
            test: String::new(),
        },
        started: Some(Started {
            seed: 1,
            strategy: String::new(),
            iterations: 1000,
            statics: 0,
            static_bytes: 0,
            isolation: "auto".to_owned(),
        }),
        elapsed: Duration::ZERO,
        tried: Vec::new(),
        counters,
        diverged: None,
        leak: None,
        shared_files: BTreeSet::new(),
        linked: Exceptions::NONE,
        uncontrolled: Vec::new(),
        printed: String::new(),
        seen: None,
        covered: Coverage::default(),
        trouble: None,
        silence: None,
        outcome,
    }
}

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

/// A trace with something of everything.
pub(crate) fn full_trace() -> Trace {
    use cct::trace::{
        ActorInfo, Backtrace, Block, Call, Did, Doing, Log, Older, Outcome, Print, Value as Seen,
    };

    let kinds = [
        Operation::Lock,
        Operation::Store,
        Operation::Load,
        Operation::Unlock,
    ];
    let steps = (0..12_u32).map(|index| {
        let (mut step, file) = step(index % 3, kinds[index as usize % 4], "a.rs");
        step.object = Some(index % 2);
        step.read = Some(Seen::Unsigned(index.into()));
        step.written = (index % 2 == 0).then_some(Seen::Bool(true));
        step.choice_point = index % 3 == 0;
        step.preempts = index % 5 == 0;
        step.label = (index == 4).then_some(0);
        step.thread = (index == 5).then_some(0);
        step.caller = (index == 6).then_some(0);
        step.path = (index == 7).then_some(0);
        step.note = index == 8;
        step.unpicked = index == 9;
        step.outcome = if index > 9 {
            Outcome::Waits
        } else {
            Outcome::Done
        };
        step.older = (index == 2).then_some(Older {
            step: Some(1),
            latest: Seen::Unsigned(7),
        });
        step.ahead_of = if index == 3 { vec![1] } else { Vec::new() };
        (step, file)
    });
    let mut trace = trace(&steps.collect::<Vec<_>>());
    let site = trace.sites[0].clone();
    trace.labels = vec!["label".to_owned()];
    trace.paths = vec![vec![0]];
    trace.schedule.runs = vec![(0, 3).into(), (1, 4).into(), (2, 3).into()];
    trace.schedule.choices = vec![1];
    trace.choices_at = vec![3];
    trace.workers[1].kind = WorkerKind::Root(0);
    trace.workers[2].spawned_at = Some(site.clone());
    trace.workers[2].made_by = Some(1);
    trace.misused = Some(Block {
        allocated: Some(1),
        freed: Some(4),
    });
    trace.prints = vec![Print {
        worker: 1,
        after: 3,
        is_error: false,
        text: "printed".to_owned(),
        ends_line: true,
    }];
    let call = Call {
        function: "f".to_owned(),
        site: Some(site.clone()),
    };
    trace.backtraces = vec![Backtrace {
        worker: 0,
        panic: Some(8),
        stack: 0,
        calls: vec![call],
    }];
    let doing = Doing {
        worker: 1,
        after: 2,
        actor: 0,
        did: Did::Handled,
        state: Some(0),
        event: Some(0),
        to: Some(0),
        payload: Some(0),
        number: Some(0),
    };
    *trace.log = Log {
        actors: vec![ActorInfo {
            name: "actor".to_owned(),
            path: "a::Actor".to_owned(),
        }],
        doings: vec![doing],
    };
    trace
}

/// A record of it.
pub(crate) fn full_record() -> Record {
    let trace = full_trace();
    let site = trace.sites[0].clone();
    let mut record = self::record(&trace, "left: 1");
    record.printed = "printed\n".to_owned();
    record.certain = serde_json::from_str(
        r#"{"step":3,"continuations":2,"are_all":true,"before":{"failing":1,"made":2},"is_earliest":true}"#,
    ).expect("the fields that there are");
    let bug = record.bug.as_mut().expect("it has one");
    bug.site = Some(site.clone());
    bug.waits = vec![serde_json::from_value(json!({
        "worker": 2, "operation": "Lock", "address": 8, "object": 0, "holder": 1, "spins": false,
        "in_cycle": true, "site": site,
    })).expect("the fields that there are")];
    let access = json!({
        "worker": 1, "way": "write", "size": 8, "place": 9, "step": 1, "site": bug.site, "calls": [],
    });
    bug.race = Some(Box::new(cct::verdict::Race {
        address: 8,
        group: String::new(),
        static_path: None,
        earlier: serde_json::from_value(access.clone()).expect("the fields that there are"),
        later: serde_json::from_value(access).expect("the fields that there are"),
    }));
    record
}
