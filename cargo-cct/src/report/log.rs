//! The log of an execution: each thing that an actor did, as a line of JSON, in order.
//!
//! It is made of a trace: of its actors' doings, the ticks of their timers, and what monitors were told.

use std::collections::BTreeMap;

use cct::operation::Operation;
use cct::trace::{Did, Doing, Outcome, Step, Trace};
use serde_json::{Map, Value, json};

/// The lines; none if the trace has no actors.
pub(crate) fn log(trace: &Trace) -> Option<String> {
    if trace.log.is_empty() {
        return None;
    }
    let mut lines = String::new();
    let mut senders = Senders::default();
    let mut doings = trace.log.doings.iter().peekable();
    let mut number = 0;
    for index in 0..=trace.steps.len() {
        // It was done during the step before.
        while let Some(doing) = doings.next_if(|it| it.after as usize <= index) {
            let sender = senders.of(doing);
            add(&mut lines, number, doing_line(trace, doing, sender));
        }
        if let Some(step) = trace.steps.get(index) {
            number += usize::from(!step.note);
            if let Some(line) = step_line(trace, step) {
                add(&mut lines, number, line);
            }
        }
    }
    Some(lines)
}

fn add(lines: &mut String, step: usize, mut line: Map<String, Value>) {
    line.insert("step".to_owned(), json!(step));
    lines.push_str(&Value::Object(line).to_string());
    lines.push('\n');
}

/// The senders of events, by the actor that gets them and their numbers there.
#[derive(Default)]
struct Senders(BTreeMap<(u32, u64), u32>);

impl Senders {
    /// The worker that has sent the event, if it came from elsewhere.
    fn of(&mut self, doing: &Doing) -> Option<u32> {
        let event = (doing.actor, doing.number?);
        if doing.did == Did::Sent {
            self.0.insert(event, doing.worker);
        }
        self.0.get(&event).copied()
    }
}

fn doing_line(trace: &Trace, doing: &Doing, sender: Option<u32>) -> Map<String, Value> {
    let text = |index: Option<u32>| Some(trace.labels.get(index? as usize)?.clone());
    let actor = trace.log.actors.get(doing.actor as usize);
    let mut line = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            line.insert(key.to_owned(), value);
        }
    };
    put("did", Some(json!(doing.did)));
    put("actor", actor.map(|actor| json!(actor.name)));
    if doing.did == Did::Created {
        put("type", actor.map(|actor| json!(actor.path)));
        put("by", Some(name_of(trace, doing.worker)));
    }
    put("state", text(doing.state).map(Value::from));
    put("event", text(doing.event).map(Value::from));
    put("to", text(doing.to).map(Value::from));
    put("payload", text(doing.payload).map(Value::from));
    put("sender", sender.map(|sender| name_of(trace, sender)));
    line
}

/// A timer that ran out, and what a monitor was told.
fn step_line(trace: &Trace, step: &Step) -> Option<Map<String, Value>> {
    let operation = Operation::from_code(step.operation)?;
    let label = step
        .label
        .and_then(|label| trace.labels.get(label as usize));
    let line = match operation {
        Operation::Tick if step.outcome == Outcome::Waits => return None,
        Operation::Tick => json!({ "did": "tick", "timer": name_of(trace, step.worker) }),
        Operation::Notify => json!({
            "did": "notified",
            "monitor": label,
            "by": name_of(trace, step.worker),
        }),
        _ => return None,
    };
    match line {
        Value::Object(line) => Some(line),
        _ => None,
    }
}

/// The name of a worker: an actor's is its own, and that of the test's body is the same in each test.
fn name_of(trace: &Trace, number: u32) -> Value {
    if number == 0 {
        return json!("main");
    }
    let worker = trace.workers.get(number as usize);
    let name = worker.and_then(|worker| worker.name.clone());
    json!(name.unwrap_or_else(|| format!("w{number}")))
}

#[cfg(test)]
mod tests {
    use cct::operation::Operation;
    use cct::trace::{ActorInfo, Did, Doing, Step, Trace, WorkerInfo, WorkerKind};

    use super::log;

    fn doing(worker: u32, after: u32, did: Did) -> Doing {
        Doing {
            worker,
            after,
            actor: 0,
            did,
            state: None,
            event: None,
            to: None,
            payload: None,
            number: None,
        }
    }

    #[test]
    fn a_line_has_its_step_and_a_taken_event_its_sender() {
        let worker = |name: &str| WorkerInfo {
            name: Some(name.to_owned()),
            spawned_at: None,
            kind: WorkerKind::Thread,
            made_by: None,
        };
        let step = |worker, operation: Operation| Step::of(worker, operation as u8, None, 0);
        let mut trace = Trace {
            workers: vec![worker("main"), worker("Door 0"), worker("timer 0")],
            labels: ["Knock", "Knock(2)", "Shut"].map(str::to_owned).into(),
            steps: vec![
                step(0, Operation::Enqueue),
                step(2, Operation::Tick),
                step(2, Operation::Enqueue),
                step(1, Operation::Dequeue),
            ],
            ..Trace::default()
        };
        assert_eq!(log(&Trace::default()), None);
        trace.log.actors.push(ActorInfo {
            name: "Door 0".to_owned(),
            path: "house::Door".to_owned(),
        });
        // The one that is told last came first.
        let sent = |worker, after, number| Doing {
            event: Some(0),
            payload: Some(1),
            number: Some(number),
            ..doing(worker, after, Did::Sent)
        };
        let taken = Doing {
            did: Did::Dequeued,
            ..sent(1, 4, 0)
        };
        let goes = Doing {
            state: Some(2),
            event: Some(0),
            to: Some(2),
            ..doing(1, 4, Did::Goto)
        };
        let created = doing(0, 0, Did::Created);
        trace.log.doings = vec![created, sent(0, 1, 1), sent(2, 3, 0), taken, goes];
        insta::assert_snapshot!(log(&trace).unwrap_or_default(), @r#"
        {"actor":"Door 0","by":"main","did":"created","step":0,"type":"house::Door"}
        {"actor":"Door 0","did":"sent","event":"Knock","payload":"Knock(2)","sender":"main","step":1}
        {"did":"tick","step":2,"timer":"timer 0"}
        {"actor":"Door 0","did":"sent","event":"Knock","payload":"Knock(2)","sender":"timer 0","step":3}
        {"actor":"Door 0","did":"dequeued","event":"Knock","payload":"Knock(2)","sender":"timer 0","step":4}
        {"actor":"Door 0","did":"goto","event":"Knock","state":"Shut","step":4,"to":"Shut"}
        "#);
    }
}
