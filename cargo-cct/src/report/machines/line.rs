//! A type in a line: how much of it was covered, and the first things that were not.

use std::collections::BTreeSet;

use cct::covered::{Covered, On, To};

use super::super::words::{number, put};

/// So many things are named that were not covered.
const NAMED: usize = 3;

/// `Server: 5 of 5 states, 11 of 14 transitions, 17 of 20 events; never: Follower on Timeout, …`.
pub(in crate::report) fn line(covered: &Covered) -> String {
    let of = |(seen, all): (usize, usize), what: &str| {
        let plural = if all == 1 { "" } else { "s" };
        let (seen, all) = (number(seen as u64), number(all as u64));
        format!("{seen} of {all} {what}{plural}")
    };
    let mut parts = Vec::new();
    if !covered.states.is_empty() {
        parts.push(of(states(covered), "state"));
        parts.push(of(transitions(covered), "transition"));
    }
    parts.push(of(pairs(covered), "event"));
    let more = undeclared(covered);
    if more > 0 {
        let plural = if more == 1 { "" } else { "s" };
        parts.push(format!("{more} undeclared transition{plural}"));
    }
    let never = never(covered);
    let mut line = format!("{}: {}", covered.name, parts.join(", "));
    if !never.is_empty() {
        let rest = never.len().saturating_sub(NAMED);
        let more = match rest {
            0 => String::new(),
            rest => format!(" and {rest} more"),
        };
        let named = &never[..never.len() - rest];
        put!(line, "; never: {}{more}", named.join(", "));
    }
    line
}

/// States that were entered, and all.
pub(super) fn states(covered: &Covered) -> (usize, usize) {
    let entered = covered.states.iter().filter(|state| state.entered > 0);
    (entered.count(), covered.states.len())
}

/// Transitions that are declared and were made, and all that are declared.
pub(super) fn transitions(covered: &Covered) -> (usize, usize) {
    let declared = || covered.transitions.iter().filter(|it| it.is_declared);
    (
        declared().filter(|it| it.times > 0).count(),
        declared().count(),
    )
}

/// Transitions that were made, although no handler's type says so.
pub(super) fn undeclared(covered: &Covered) -> usize {
    let all = covered.transitions.iter();
    all.filter(|it| !it.is_declared).count()
}

/// Rules for an event in a state that were applied, and all.
pub(super) fn pairs(covered: &Covered) -> (usize, usize) {
    let ruled = || covered.pairs.iter().filter(|pair| pair.rule.is_some());
    (
        ruled().filter(|pair| pair.is_covered()).count(),
        ruled().count(),
    )
}

/// Everything that was not covered, the most telling first: states, then events in states that were entered,
/// then transitions of events that were handled.
fn never(covered: &Covered) -> Vec<String> {
    let name = |state: u32| covered.states[state as usize].name.as_str();
    let is_entered =
        |state: Option<u32>| state.is_none_or(|state| covered.states[state as usize].entered > 0);
    let mut never: Vec<String> = Vec::new();
    let states = covered.states.iter().filter(|state| state.entered == 0);
    never.extend(states.map(|state| state.name.clone()));
    let mut told = BTreeSet::new();
    for pair in &covered.pairs {
        if pair.rule.is_some() && !pair.is_covered() {
            told.insert((pair.state, pair.event));
            if is_entered(pair.state) {
                never.push(on(
                    pair.state.map(name),
                    &covered.events[pair.event as usize],
                ));
            }
        }
    }
    for transition in &covered.transitions {
        let is_told = match transition.on {
            On::Event(event) => told.contains(&(transition.from, event)),
            On::Entry | On::Exit => false,
        };
        if transition.times == 0 && is_entered(transition.from) && !is_told {
            let from = on(transition.from.map(name), event(covered, transition.on));
            never.push(format!("{from} → {}", to(covered, transition.to)));
        }
    }
    never
}

fn on(state: Option<&str>, event: &str) -> String {
    match state {
        Some(state) => format!("{state} on {event}"),
        None => event.to_owned(),
    }
}

/// The name of a transition's reason.
pub(super) fn event(covered: &Covered, on: On) -> &str {
    match on {
        On::Event(event) => &covered.events[event as usize],
        On::Entry => "entry",
        On::Exit => "exit",
    }
}

/// A transition's end, in a word.
fn to(covered: &Covered, to: To) -> String {
    let name = |state: u32| &covered.states[state as usize].name;
    match to {
        To::Goto(state) => name(state).clone(),
        To::Push(state) => format!("push {}", name(state)),
        To::Pop => "pop".to_owned(),
        To::Halt => "halt".to_owned(),
    }
}
