//! The coverage of machines, for programs. docs/json.md describes it.

use std::collections::BTreeMap;

use cct::covered::{Coverage, Covered, Fate, Handler, Rule, To};
use serde_json::{Map, Value, json};

use super::line::{event, pairs, states, transitions, undeclared};

/// The version of the file.
const VERSION: u32 = 1;

/// The file of an executable: all its tests together, and each.
pub(super) fn file(binary: &str, all: &Coverage, tests: &BTreeMap<String, Coverage>) -> String {
    let machines = |coverage: &Coverage| {
        let machines = coverage.machines.iter().map(of_type);
        machines.collect::<Vec<_>>()
    };
    let each = tests.iter().map(|(test, coverage)| {
        json!({
            "test": test,
            "schedules": coverage.schedules,
            "machines": machines(coverage),
        })
    });
    let file = json!({
        "version": VERSION,
        "binary": binary,
        "schedules": all.schedules,
        "machines": machines(all),
        "tests": each.collect::<Vec<_>>(),
    });
    format!("{file:#}\n")
}

/// One type.
pub(in crate::report) fn of_type(covered: &Covered) -> Value {
    let name = |state: Option<u32>| state.map(|state| &covered.states[state as usize].name);
    let handler = |handler: &Option<Handler>| {
        handler
            .as_ref()
            .map(|handler| json!({ "name": handler.name, "is_known": handler.is_known }))
    };
    let each_state = covered.states.iter().map(|state| {
        json!({
            "name": state.name,
            "entered": state.entered,
            "entry": handler(&state.entry),
            "exit": handler(&state.exit),
        })
    });
    let groups = covered.groups.iter();
    let groups = groups.map(|group| json!({ "name": group.name, "members": group.members }));
    let events = covered.pairs.iter().map(|pair| {
        let (rule, handled_by) = match &pair.rule {
            Some(Rule::Handle(handler)) => (Some("handle"), Some(handler)),
            Some(Rule::Defer) => (Some("defer"), None),
            Some(Rule::Ignore) => (Some("ignore"), None),
            None => (None, None),
        };
        let mut value = Map::new();
        value.insert("state".to_owned(), json!(name(pair.state)));
        value.insert(
            "event".to_owned(),
            json!(covered.events[pair.event as usize]),
        );
        value.insert("rule".to_owned(), json!(rule));
        value.insert("handler".to_owned(), json!(handled_by.map(|it| &it.name)));
        value.insert(
            "is_wildcard".to_owned(),
            json!(handled_by.is_some_and(|it| it.is_wildcard)),
        );
        value.insert(
            "is_known".to_owned(),
            json!(handled_by.is_none_or(|it| it.is_known)),
        );
        for fate in Fate::ALL {
            value.insert(fate.name().to_owned(), json!(pair.times(fate)));
        }
        Value::Object(value)
    });
    let each_transition = covered.transitions.iter().map(|transition| {
        let (kind, to) = match transition.to {
            To::Goto(state) => ("goto", Some(state)),
            To::Push(state) => ("push", Some(state)),
            To::Pop => ("pop", None),
            To::Halt => ("halt", None),
        };
        json!({
            "from": name(transition.from),
            "on": event(covered, transition.on),
            "kind": kind,
            "to": name(to),
            "is_declared": transition.is_declared,
            "times": transition.times,
        })
    });
    let share =
        |(covered, declared): (usize, usize)| json!({ "covered": covered, "declared": declared });
    json!({
        "name": covered.name,
        "path": covered.path,
        "start": name(covered.start),
        "created": covered.created,
        "halted": covered.halted,
        "covered": {
            "states": share(states(covered)),
            "transitions": share(transitions(covered)),
            "events": share(pairs(covered)),
            "undeclared_transitions": undeclared(covered),
        },
        "states": each_state.collect::<Vec<_>>(),
        "groups": groups.collect::<Vec<_>>(),
        "events": events.collect::<Vec<_>>(),
        "transitions": each_transition.collect::<Vec<_>>(),
    })
}
