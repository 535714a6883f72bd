//! A trace in the Chrome trace event format, which Perfetto and other viewers of timelines read.
//!
//! One microsecond is one step: `ts` is its number. A note, which is no step, is an instant in the middle of
//! its step; so are both ends of an arrow, since a viewer looks for the slice that an end lies in.

use cct::trace::Trace;
use serde_json::{Value, json};

use super::order::{self, Why};
use crate::report::failure::{Facts, Report, Switch};

/// The process of all events.
const PROCESS: u32 = 1;

/// The trace; none if no steps are known.
pub(crate) fn chrome_trace(report: &Report) -> Option<Value> {
    let facts = report.facts()?;
    let record = report.record();
    let trace = facts.trace();
    let mut events = vec![json!({
        "ph": "M", "name": "process_name", "pid": PROCESS, "tid": 0, "ts": 0,
        "args": { "name": record.name.to_string() },
    })];
    for worker in (0..).take(trace.workers.len()) {
        if facts.lane(worker) == worker {
            events.extend(thread(facts, worker));
        }
    }
    let number = numbers(trace);
    let middle = |index: usize| number[index] as f64 + 0.5;
    for (index, step) in trace.steps.iter().enumerate() {
        let site = facts.place(step).map(ToString::to_string);
        let (text, tid) = (facts.text(index), facts.lane(step.worker));
        let args = json!({
            "step": number[index],
            "site": site,
            "object": step.object.map(|object| facts.object(object)),
            "outcome": step.outcome,
            "read": step.read.map(|value| value.to_string()),
            "written": step.written.map(|value| value.to_string()),
        });
        events.push(if step.note {
            json!({
                "ph": "i", "s": "t", "cat": "note", "name": text, "pid": PROCESS, "tid": tid,
                "ts": middle(index), "args": args,
            })
        } else {
            json!({
                "ph": "X", "cat": "step", "name": text, "pid": PROCESS, "tid": tid,
                "ts": number[index], "dur": 1, "args": args,
            })
        });
    }
    let preemptions = (1..trace.steps.len())
        .filter(|&index| facts.switch(index) == Switch::Preemption)
        .map(|index| (index - 1, index, "preemption", "preempted"));
    let edges = order::edges(facts);
    let edges = edges.iter().map(|edge| {
        let kind = match edge.why {
            Why::Overwrites => "race",
            _ => "happens-before",
        };
        (edge.from, edge.to, kind, edge.why.word())
    });
    for (id, (from, to, kind, name)) in preemptions.chain(edges).enumerate() {
        let end = |index: usize| {
            let lane = facts.lane(trace.steps[index].worker);
            (lane, middle(index))
        };
        let ((tid, ts), (to_tid, to_ts)) = (end(from), end(to));
        events.push(json!({
            "ph": "s", "id": id, "cat": kind, "name": name, "pid": PROCESS, "tid": tid, "ts": ts,
        }));
        events.push(json!({
            "ph": "f", "bp": "e", "id": id, "cat": kind, "name": name, "pid": PROCESS,
            "tid": to_tid, "ts": to_ts,
        }));
    }
    let (verdict, message) = report.verdict();
    Some(json!({
        "displayTimeUnit": "ns",
        "otherData": {
            "id": record.id,
            "test": record.name.to_string(),
            "verdict": verdict,
            "message": message,
            "tool": record.provenance.tool,
        },
        "traceEvents": events,
    }))
}

/// The name of a worker, and its place among the others.
fn thread(facts: Facts<'_>, worker: u32) -> [Value; 2] {
    let event = |name, args| {
        json!({
            "ph": "M", "name": name, "pid": PROCESS, "tid": worker, "ts": 0, "args": args,
        })
    };
    let (short, title) = (facts.worker(worker), facts.title(worker));
    let name = if short == title {
        short
    } else {
        format!("{short} ({title})")
    };
    [
        event("thread_name", json!({ "name": name })),
        event("thread_sort_index", json!({ "sort_index": worker })),
    ]
}

/// The number of each step, from 1; a note has that of the step during which it was made.
fn numbers(trace: &Trace) -> Vec<usize> {
    let count = |number: &mut usize, note: bool| {
        *number += usize::from(!note);
        Some(*number)
    };
    let notes = trace.steps.iter().map(|step| step.note);
    notes.scan(0, count).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use cct::operation::Operation as Op;
    use cct::trace::Value as Read;

    use super::*;
    use crate::sample::{record, step, trace};

    /// The rules of the format: a phase of each event, the keys that this phase needs, slices of a thread
    /// that do not overlap, and ends of arrows in slices.
    fn check(exported: &Value) {
        let events = exported["traceEvents"].as_array().expect("a list");
        let number = |event: &Value, key: &str| event[key].as_f64().expect("a number");
        let mut slices = BTreeMap::<u64, Vec<f64>>::new();
        let mut named = Vec::new();
        let mut arrows = BTreeMap::<u64, Vec<&Value>>::new();
        for event in events {
            assert!(
                event["name"].is_string() && event["pid"].is_u64(),
                "{event}"
            );
            let tid = event["tid"].as_u64().expect("a thread");
            number(event, "ts");
            match event["ph"].as_str().expect("a phase") {
                "M" => named.extend((event["name"] == "thread_name").then_some(tid)),
                "X" => {
                    assert!(number(event, "dur") > 0.0);
                    slices.entry(tid).or_default().push(number(event, "ts"));
                }
                "i" => assert_eq!(event["s"], "t"),
                "s" | "f" => {
                    let id = event["id"].as_u64().expect("an id");
                    arrows.entry(id).or_default().push(event);
                }
                other => panic!("no such phase: {other}"),
            }
        }
        for (tid, starts) in &slices {
            assert!(named.contains(tid), "thread {tid} has no name");
            assert!(starts.windows(2).all(|pair| pair[0] + 1.0 <= pair[1]));
        }
        for ends in arrows.values() {
            let [from, to] = ends[..] else {
                panic!("an arrow has two ends: {ends:?}")
            };
            assert_eq!((&from["ph"], &to["ph"]), (&json!("s"), &json!("f")));
            assert_eq!((&from["cat"], &from["name"]), (&to["cat"], &to["name"]));
            assert!(number(from, "ts") <= number(to, "ts"));
            for end in ends {
                let starts = &slices[&end["tid"].as_u64().expect("a thread")];
                let at = number(end, "ts");
                assert!(starts.iter().any(|&start| start <= at && at < start + 1.0));
            }
        }
    }

    #[test]
    fn an_export_keeps_to_the_format() {
        let mut steps = [
            step(0, Op::Load, "src/a.rs"),
            step(1, Op::Load, "src/a.rs"),
            step(1, Op::Store, "src/b.rs"),
            step(0, Op::Store, "src/b.rs"),
            step(0, Op::Panic, "src/c.rs"),
        ];
        for index in [0, 1] {
            steps[index].0.read = Some(Read::Unsigned(1000));
            steps[index].0.preempts = true;
        }
        for index in [2, 3] {
            steps[index].0.written = Some(Read::Unsigned(900));
        }
        steps[4].0.note = true;
        let record = record(&trace(&steps), "left 900, right 600");
        let report = Report::of(&record, Path::new("/nowhere"));
        let exported = chrome_trace(&report).expect("there are steps");
        check(&exported);
        let events = exported["traceEvents"].as_array().expect("a list");
        let count = |phase: &str, category: &str| {
            let is = |event: &&Value| event["ph"] == phase && event["cat"] == category;
            events.iter().filter(is).count()
        };
        assert_eq!((count("X", "step"), count("i", "note")), (4, 1));
        assert_eq!((count("s", "preemption"), count("s", "race")), (1, 1));
        let stored = |event: &&Value| event["name"] == "atomic.store 900";
        let last = events.iter().rfind(stored).expect("it is there");
        assert_eq!((&last["ts"], &last["tid"]), (&json!(4), &json!(0)));
    }
}
