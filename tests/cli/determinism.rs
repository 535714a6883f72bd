//! The same seed means the same schedules: again, elsewhere, and however many run at a time.

use std::collections::BTreeMap;

use cct_tests::support::{Events, Workspace, name};
use serde_json::Value;

/// The fields that do not depend on schedules: times, and how far a test was at some moment.
const TIMES: [&str; 2] = ["seconds", "nanos"];

/// Everything that was told, in an order that does not depend on which test was faster.
fn without_times(events: &Events) -> BTreeMap<(String, String), Value> {
    let kinds = ["run_started", "test_started", "test_ended", "run_ended"];
    let events = kinds.iter().flat_map(|kind| events.of_kind(kind));
    let events = events.map(|event| {
        let mut value = event.clone();
        remove_times(&mut value);
        if let Some(failures) = value["failures"].as_array_mut() {
            failures.sort_by_key(name);
        }
        let kind = event["event"].as_str().unwrap_or_default().to_owned();
        ((kind, name(event)), value)
    });
    events.collect()
}

fn remove_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, _| !TIMES.contains(&key.as_str()));
            // When a bug ends the exploration, other processes may have been further.
            let fails = fields
                .get("failure")
                .is_some_and(|failure| !failure.is_null())
                || fields.get("failed").is_some_and(|failed| *failed != 0);
            if fails {
                fields.remove("counters");
            }
            fields.values_mut().for_each(remove_times);
        }
        Value::Array(values) => values.iter_mut().for_each(remove_times),
        _ => {}
    }
}

/// The records of all failures as they lie on disk, by test, without when they were found and seen.
fn traces(workspace: &Workspace, events: &Events) -> BTreeMap<String, Value> {
    let failed = events.ended().into_iter();
    let failed = failed.filter(|(_, event)| !event["failure"].is_null());
    failed
        .map(|(test, event)| {
            let id = event["failure"]["id"].as_str().unwrap_or_default();
            let text = workspace.read(&format!("target/cct/failures/{id}/trace.json"));
            let mut record: Value = text.parse().expect("a record is JSON");
            let fields = record.as_object_mut().expect("a record has fields");
            // The seal is of everything, the times as well.
            for time in ["found_at", "history", "seal"] {
                assert!(fields.remove(time).is_some(), "{text}");
            }
            (test, record)
        })
        .collect()
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let workspace = Workspace::of_fixture("no-std");
    let args = ["--tests", "--iterations", "300"];
    let first = workspace.explore(&args, 100);
    let first_traces = traces(&workspace, &first);
    assert!(!first_traces.is_empty());
    for jobs in ["-j2", "-j1"] {
        let again = workspace.explore(&[&args[..], &[jobs]].concat(), 100);
        assert_eq!(without_times(&again), without_times(&first));
        assert_eq!(traces(&workspace, &again), first_traces);
    }
    // A test's schedules do not depend on which other tests run.
    let test = "no-std tests::a_tried_lock_excludes";
    let alone = [&args[..], &["a_tried"]].concat();
    let alone = workspace.explore(&alone, 100);
    assert_eq!(alone.test(test)["failure"], first.test(test)["failure"]);
}

#[test]
fn another_seed_gives_other_schedules() {
    let workspace = Workspace::of_fixture("virtual-manifest");
    let switches = ["1", "2", "3"].map(|seed| {
        let json = ["test", "--json", "--lib", "--seed", seed];
        let finished = cct_tests::support::Finished::of(workspace.cct().args(json));
        finished.expect(0);
        let events = Events::of(&finished);
        let counters = &events.only("run_ended")["counters"];
        (counters["switches"].clone(), counters["distinct"].clone())
    });
    assert!(
        switches[0] != switches[1] || switches[1] != switches[2],
        "{switches:?}"
    );
}

/// Neither the folder nor the environment, whose size moves the stack, changes what is explored.
#[test]
fn the_same_seed_gives_the_same_schedules_elsewhere() {
    let found = [None, Some("x".repeat(5000))].map(|padding| {
        let workspace = Workspace::of_fixture("no-std");
        let mut command = workspace.cct();
        command.args(["test", "--json", "--seed", "1", "--tests"]);
        let finished =
            cct_tests::support::Finished::of(command.envs(padding.map(|p| ("PADDING", p))));
        finished.expect(100);
        let events = Events::of(&finished);
        let all = events.ended().into_iter().map(|(test, event)| {
            let mut event = event.clone();
            remove_times(&mut event);
            let failure = &event["failure"];
            (
                test,
                event["counters"].clone(),
                failure["iteration"].clone(),
                failure["steps"].clone(),
            )
        });
        all.collect::<Vec<_>>()
    });
    assert_eq!(found[0], found[1]);
}

/// A test that has all cores is explored by several processes, and comes to the same.
#[test]
fn several_processes_find_what_one_finds() {
    let workspace = Workspace::of_fixture("with spaces");
    workspace.write(
        "src/lib.rs",
        r"
        use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
        use std::thread;

        static A: AtomicU32 = AtomicU32::new(0);
        static B: AtomicU32 = AtomicU32::new(0);

        fn run(mut look: impl FnMut(u32, u32)) {
            let worker = |i| thread::spawn(move || (0..6).for_each(|_| {
                A.store(i, SeqCst);
                B.store(A.load(SeqCst), SeqCst);
            }));
            let workers = [0, 1, 2].map(worker);
            (0..6).for_each(|_| look(A.load(SeqCst), B.load(SeqCst)));
            workers.into_iter().for_each(|worker| worker.join().unwrap());
        }

        #[test]
        fn finds_nothing() {
            run(|_, _| {});
        }

        #[test]
        fn finds_what_is_rare() {
            let mut seen = Vec::new();
            run(|a, b| seen.push((a, b)));
            let rare = seen.windows(3).any(|w| w == [(1, 2), (0, 1), (2, 0)]);
            assert!(!rare);
        }

        #[test]
        fn dies_of_what_is_rare() {
            let mut seen = Vec::new();
            run(|a, b| seen.push((a, b)));
            if seen.windows(3).any(|w| w == [(1, 2), (0, 1), (2, 0)]) {
                std::process::abort();
            }
        }
        ",
    );
    let explored = |test: &str, strategy: &str, jobs: &str, code: i32| {
        let args = [
            "--lib",
            "--iterations",
            "20000",
            "--strategy",
            strategy,
            jobs,
            "--",
            "--exact",
            test,
        ];
        let events = workspace.explore(&args, code);
        let mut event = events.test(&format!("spaced {test}")).clone();
        remove_times(&mut event);
        event
    };
    // One that enumerates is apart from the others.
    for (test, strategy, code) in [
        ("finds_nothing", "portfolio", 0),
        ("finds_nothing", "random,dfs", 0),
        ("finds_what_is_rare", "portfolio", 100),
        ("finds_what_is_rare", "dfs,random", 100),
        ("dies_of_what_is_rare", "portfolio", 100),
    ] {
        let alone = explored(test, strategy, "-j1", code);
        if code == 100 {
            let iteration = alone["first_bug"].as_u64().unwrap_or_default();
            assert!(iteration > 50, "all processes are up by then: {alone:#}");
        } else {
            // Nothing counts twice, and nothing is left out.
            assert_eq!(alone["counters"]["schedules"], 20000, "{alone:#}");
        }
        for jobs in ["-j2", "-j3", "-j5"] {
            let together = explored(test, strategy, jobs, code);
            assert_eq!(together, alone, "{test} {strategy} {jobs}");
        }
    }
}
