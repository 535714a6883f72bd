//! The races of a step, and what is to be explored because of them.

use super::super::{Executed, WorkerId};
use super::Dpor;
use super::entries::Entry;
use super::execution::{Others, ends_all};
use super::races::{cannot_go_first, conflict, own_object};
use crate::object::ObjectId;
use crate::operation::Access;

/// Two dependent steps, neither of which leads to the other; the second is the one at hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Race {
    event: u32,
    /// The first may keep the second from going ahead.
    may_block: bool,
    /// The second cannot go ahead before the first, whatever else happens.
    is_fixed: bool,
}

impl Dpor {
    /// Plans what the races of a step ask for; it is at hand, or pending.
    pub(super) fn reverse(&mut self, step: &Executed, picked: bool) {
        self.execution.arrive(step, picked);
        self.execution.find_base(step, picked);
        self.find_races(step);
        let mut races = std::mem::take(&mut self.races);
        // Latest first: an earlier one may come before the step by way of a later one.
        for race in races.drain(..) {
            let is_immediate = self.execution.settles(race.event);
            if !race.is_fixed && (is_immediate || race.may_block) {
                self.plan(race.event, step);
            }
        }
        self.races = races;
    }

    /// Finds the steps that the one at hand is dependent on, but for those that lead to it anyway.
    ///
    /// An operation that never waits needs those only that are next to it: what lies between two others is
    /// reversed first, or is part of neither. One that waits may have been kept waiting by a step long before
    /// the one that let it go.
    fn find_races(&mut self, step: &Executed) {
        let execution = &self.execution;
        let own = own_object(step);
        let waits = !step.action.operation.never_waits();
        self.races.clear();
        for &(object, access) in &execution.present {
            let Some(history) = execution.history(object) else {
                continue;
            };
            let may_block = waits && object == own;
            // Once a step comes before anyway, or hides what is before it, all phases but its own do as well.
            let mut last_phase: Option<Access> = None;
            for &(event, their) in history.opposed_to(access).iter().rev() {
                if last_phase.is_some_and(|last| !last.commutes_with(their) || last != their) {
                    break;
                }
                if their.commutes_with(access) {
                    continue;
                }
                let is_before = execution.is_before(event, &execution.base);
                if !is_before {
                    let is_fixed =
                        may_block && cannot_go_first(step, &execution.events[event as usize]);
                    self.races.push(Race {
                        event,
                        may_block,
                        is_fixed,
                    });
                }
                if is_before || !may_block {
                    if their == Access::Writes {
                        break;
                    }
                    last_phase = Some(their);
                }
            }
        }
        if ends_all(&execution.present) {
            let all = 0..execution.events.len() as u32;
            let others = all.filter(|&event| !execution.is_before(event, &execution.base));
            self.races.extend(others.map(|event| Race {
                event,
                may_block: false,
                is_fixed: false,
            }));
        }
        self.races
            .sort_unstable_by_key(|race| std::cmp::Reverse(race.event));
        self.races.dedup_by(|one, kept| {
            let is_same = one.event == kept.event;
            if is_same {
                kept.may_block |= one.may_block;
                kept.is_fixed |= one.is_fixed;
            }
            is_same
        });
    }

    /// Plans a schedule in which the step at hand comes before the event.
    ///
    /// After the node come those steps that do not come after the event, and then the step, if it can. A
    /// worker that begins one of them, which comes after none of the others, leads there. The step at hand
    /// may do other things there than it did here: its worker counts only if what it does is known, or is
    /// verified once it is.
    pub(super) fn plan(&mut self, event: u32, step: &Executed) {
        // Steps that nobody picked go with the pick before them.
        let events = &self.execution.events[..=event as usize];
        let Some(first) = events.iter().rposition(|event| event.node.is_some()) else {
            return;
        };
        let node = events[first].node.map_or(0, |node| node as usize);
        let mut others = std::mem::take(&mut self.others);
        self.execution.find_others(first, &mut others);
        self.plan_at(node, first, step, &others);
        self.others = others;
    }

    fn plan_at(&mut self, node: usize, first: usize, step: &Executed, others: &Others) {
        let range = self.entries_of(node);
        let can_begin = |entry: &Entry| others.beginners.contains(&entry.worker);
        let is_settled = |entry: &Entry| entry.planned || entry.sleeps;
        if self.entries[range.clone()]
            .iter()
            .any(|entry| is_settled(entry) && can_begin(entry))
        {
            return;
        }
        let own = self.entries[range.clone()]
            .iter()
            .position(|entry| entry.worker == step.worker)
            .map(|index| range.start + index);
        if let Some(own) = own {
            let entry = self.entries[own];
            let known = &self.footprints[entry.from as usize..entry.to as usize];
            let footprint = if entry.sleeps {
                known
            } else {
                &self.execution.present
            };
            if !conflict(footprint, &others.footprint) {
                if !entry.sleeps {
                    self.entries.plan(own);
                    self.assume(own as u32, &others.footprint);
                }
                return;
            }
        } else {
            // It has been pending since before the event, waited there, and goes on waiting.
            let was_pending = self
                .execution
                .pending_since(step.worker)
                .is_none_or(|since| (since as usize) < first);
            let object = own_object(step);
            let is_about_it = |&(other, _): &(ObjectId, Access)| other == object;
            if was_pending && !others.footprint.iter().any(is_about_it) {
                return;
            }
        }
        let mut places = range.clone();
        match places.find(|&place| can_begin(&self.entries[place])) {
            Some(place) => self.entries.plan(place),
            // It has to wait there.
            None if others.beginners.is_empty() && own.is_none() => {}
            None => self.entries.plan_all(range),
        }
    }

    /// Notes that the step of this entry is taken to be independent of these accesses.
    fn assume(&mut self, entry: u32, footprint: &[(ObjectId, Access)]) {
        for &access in footprint {
            if !self.assumptions.contains(&(entry, access)) {
                self.assumptions.push((entry, access));
            }
        }
    }

    /// The entry has been explored: if it did other things than was assumed when it was planned, all others
    /// at its node are to be explored.
    pub(super) fn verify(&mut self, entries: u32, chosen: u32) {
        let entry = self.entries[chosen as usize];
        let known = &self.footprints[entry.from as usize..entry.to as usize];
        let assumed = self.assumptions.iter();
        let mut assumed = assumed.filter(|(of, _)| *of == chosen);
        if assumed.any(|&(_, access)| conflict(known, &[access])) {
            self.entries.plan_all(entries as usize..self.entries.len());
        }
    }

    /// Plans this worker in place of the one that was picked last, if it could have been.
    pub(super) fn plan_instead(&mut self, worker: WorkerId) {
        let Some(node) = self.latest else {
            return;
        };
        let mut places = self.entries_of(node as usize);
        if let Some(place) = places.find(|&place| self.entries[place].worker == worker) {
            self.entries.plan(place);
        }
    }
}
