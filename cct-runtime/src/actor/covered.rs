//! An actor's states, events and transitions, counted for the test.
//!
//! Nothing here is generic: the counts are no accesses of the program's.

use super::machine::{Lead, Plan, Rule};
use super::told::told;
use crate::covered::{
    self, Count, Covered, DEFAULT, Fate, Group, HALT, Handler, On, Pair, State, To, Transition,
};
use crate::engine;
use crate::trace::Did;

/// Where an actor counts what it does: the table of its type, and its number in the record. There is no table
/// outside of the engine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    number: Option<u32>,
    actor: Option<u32>,
}

/// A handler's state and event: the reason for the transition that it returns.
pub(super) type Cause = (Option<usize>, On);

impl Table {
    /// That of a new actor of this type.
    #[inline(never)]
    pub(super) fn of(plan: &'static Plan, path: &'static str, title: &dyn Fn() -> String) -> Table {
        let kind = (std::ptr::from_ref(plan).addr(), path);
        let number = engine::table_of_machine(kind, &|| declared(plan, path));
        let is_recorded = number.is_some() && engine::records();
        let title = is_recorded.then(|| told(title)).flatten();
        Table {
            number,
            actor: title.and_then(|title| engine::record_actor(&title, path)),
        }
    }

    /// An event was sent to the actor, taken out of its inbox, as the one with this number, or raised by it.
    #[inline]
    pub(super) fn tell(self, did: (Did, Option<u64>), event: usize, payload: Option<&str>) {
        if let Some(table) = self.number {
            tell_in(table, self.actor, (did, event as u32), payload);
        }
    }

    /// True under the engine.
    #[inline]
    pub(super) fn is_kept(self) -> bool {
        self.number.is_some()
    }

    /// An actor was created.
    #[inline]
    pub(super) fn created(self) {
        self.count(Count::Created);
    }

    /// One has ended by itself.
    #[inline]
    pub(super) fn halted(self) {
        self.count(Count::Halted);
    }

    /// A state was entered.
    #[inline]
    pub(super) fn entered(self, state: usize) {
        self.count(Count::Entered(state as u32));
    }

    /// An event in a state had this fate.
    #[inline]
    pub(super) fn event(self, state: Option<usize>, event: usize, fate: Fate) {
        self.count(Count::Event(number(state), event as u32, fate));
    }

    /// There was a transition.
    #[inline]
    pub(super) fn transition(self, (from, on): Cause, to: To) {
        self.count(Count::Transition(number(from), on, to));
    }

    #[inline]
    fn count(self, count: Count) {
        if let Some(table) = self.number {
            count_in(table, self.actor, count);
        }
    }
}

#[inline(never)]
fn tell_in(
    table: u32,
    actor: Option<u32>,
    (did, event): ((Did, Option<u64>), u32),
    payload: Option<&str>,
) {
    engine::tell_event_of_machine(table, actor, did, event, payload);
}

#[inline(never)]
fn count_in(table: u32, actor: Option<u32>, count: Count) {
    engine::count_of_machine(table, actor, count);
}

fn number(state: Option<usize>) -> Option<u32> {
    state.map(|state| state as u32)
}

/// The type with all that its attribute says, and no counts.
fn declared(plan: &'static Plan, path: &str) -> Covered {
    let handler = |number: usize, is_wildcard| Handler {
        name: plan.handlers[number].name.to_owned(),
        is_wildcard,
        is_known: plan.handlers[number].then.is_some(),
    };
    let slot = |slot: Option<usize>| slot.map(|number| handler(number, false));
    let states = plan.states.iter().enumerate().map(|(number, name)| State {
        name: (*name).to_owned(),
        entered: 0,
        entry: slot(plan.entries[number]),
        exit: slot(plan.exits[number]),
    });
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let mut covered = Covered {
        path: path.to_owned(),
        name: plan.name.to_owned(),
        states: states.collect(),
        events: names(plan.events),
        groups: (plan.groups.iter())
            .map(|(name, members)| Group {
                name: (*name).to_owned(),
                members: names(members),
            })
            .collect(),
        start: number(plan.start),
        ..Covered::default()
    };
    covered.events.extend([DEFAULT, HALT].map(str::to_owned));
    let rows: Vec<Option<usize>> = if plan.states.is_empty() {
        vec![None]
    } else {
        (0..plan.states.len()).map(Some).collect()
    };
    for row in rows {
        for event in 0..covered.events.len() {
            let Some((rule, is_wildcard)) = rule_of(plan, row, event) else {
                continue;
            };
            let rule = match rule {
                Rule::Defer => covered::Rule::Defer,
                Rule::Ignore => covered::Rule::Ignore,
                Rule::Do(number) | Rule::Leave(number) => {
                    let on = On::Event(event as u32);
                    add_transitions(&mut covered, (row, on), plan.handlers[number].then);
                    covered::Rule::Handle(handler(number, is_wildcard))
                }
                Rule::None => continue,
            };
            covered.pairs.push(Pair {
                state: number(row),
                event: event as u32,
                rule: Some(rule),
                times: [0; Fate::ALL.len()],
            });
        }
    }
    for state in 0..plan.states.len() {
        let slots = [
            (plan.entries[state], On::Entry),
            (plan.exits[state], On::Exit),
        ];
        for (slot, on) in slots {
            if let Some(number) = slot {
                let cause = (Some(state), on);
                add_transitions(&mut covered, cause, plan.handlers[number].then);
            }
        }
    }
    covered.sort();
    covered
}

/// The rule of a state for an event, as if it were alone on the stack, and whether it is for all others.
fn rule_of(plan: &Plan, state: Option<usize>, event: usize) -> Option<(Rule, bool)> {
    let is_own = event < plan.events.len();
    let own = state.map(|state| plan.rules[state]);
    for row in own.into_iter().chain([plan.fallback]) {
        match row[event] {
            Rule::None if is_own && row[plan.any()] != Rule::None => {
                return Some((row[plan.any()], true));
            }
            Rule::None => {}
            rule => return Some((rule, false)),
        }
    }
    None
}

fn add_transitions(covered: &mut Covered, cause: Cause, leads: Option<&[Lead]>) {
    let (from, on) = cause;
    for lead in leads.unwrap_or_default() {
        let to = match *lead {
            Lead::Goto(state) => To::Goto(state as u32),
            Lead::Push(state) => To::Push(state as u32),
            Lead::Pop => To::Pop,
            Lead::Halt => To::Halt,
        };
        covered.transitions.push(Transition {
            from: number(from),
            on,
            to,
            is_declared: true,
            times: 0,
        });
    }
}
