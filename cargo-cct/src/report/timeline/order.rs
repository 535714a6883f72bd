//! The edges of happens-before: for each step, the steps of others that it follows from.
//!
//! Computed from what a trace has of each step, its operation, object and values, in one pass.

use std::collections::{BTreeMap, VecDeque};

use cct::operation::{Effect, Operation as Op};
use cct::trace::{Outcome, Step, Value};

use crate::report::failure::Facts;

/// One step comes after another for a reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Edge {
    /// The earlier step, by index.
    pub from: usize,
    /// The later step.
    pub to: usize,
    /// The reason.
    pub why: Why,
}

/// The reasons for which a step comes after another. The page has two phrases for each, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Why {
    /// It reads what the other wrote.
    Reads,
    /// It takes the lock that the other gave up.
    Takes,
    /// It is the first step of the worker that the other spawned.
    Begins,
    /// It has waited for the worker whose last step the other is.
    Joins,
    /// It goes on after a wait that the other ended.
    Woken,
    /// It receives what the other sent.
    Receives,
    /// It writes over what the other wrote, without having seen that: the one that is no order but a race.
    Overwrites,
    /// It meets the object as the other left it.
    Meets,
    /// It does not get the lock, which the other took.
    Misses,
}

impl Why {
    /// The reason in a word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Why::Reads => "reads",
            Why::Takes => "lock",
            Why::Begins => "spawn",
            Why::Joins => "join",
            Why::Woken => "wakes",
            Why::Receives => "message",
            Why::Overwrites => "overwrites",
            Why::Meets => "then",
            Why::Misses => "taken",
        }
    }
}

/// Finds the edges, in the order of their later steps.
pub(super) fn edges(facts: Facts<'_>) -> Vec<Edge> {
    let mut order = Order::default();
    let steps = &facts.trace().steps;
    for (index, step) in steps.iter().enumerate() {
        order.add(facts, index, step);
    }
    order.edges
}

/// The steps so far, as far as they matter to those that come.
#[derive(Default)]
struct Order {
    edges: Vec<Edge>,
    objects: BTreeMap<u32, Object>,
    workers: BTreeMap<u32, Worker>,
}

#[derive(Default)]
struct Worker {
    /// The step that spawned it, until it begins.
    spawned: Option<usize>,
    /// Its last step.
    last: Option<usize>,
    /// Its last step was a wait for this object.
    waits_for: Option<u32>,
    /// The last time it read an object.
    read: BTreeMap<u32, usize>,
}

#[derive(Default)]
struct Object {
    /// The last write of a value.
    written: Option<usize>,
    /// The last write by another worker than the one that wrote last.
    written_by_other: Option<usize>,
    /// The last change of any sort.
    changed: Option<usize>,
    /// The last change by another worker than the one that changed it last.
    changed_by_other: Option<usize>,
    /// The last release of the lock.
    released: Option<usize>,
    /// The workers that hold it, as a lock.
    holders: Vec<u32>,
    /// The messages in it that have not been received.
    sent: VecDeque<usize>,
    /// The events in it, if it is an inbox: the step that sent each, and its number.
    events: Vec<(usize, Option<Value>)>,
}

impl Order {
    fn add(&mut self, facts: Facts<'_>, index: usize, step: &Step) {
        let Some(op) = Op::from_code(step.operation) else {
            return;
        };
        let steps = &facts.trace().steps;
        let before = self.edges.len();
        let is_done = step.outcome == Outcome::Done;
        let spawned = self.workers.entry(step.worker).or_default().spawned.take();
        self.push(spawned, index, Why::Begins);
        if op == Op::Spawn
            && let Some(child) = facts.child(index)
        {
            self.workers.entry(child).or_default().spawned = Some(index);
        }
        match (op, step.object) {
            (Op::Join | Op::IsFinished, Some(object)) if is_done => {
                let owner = facts.owner(object);
                // Its end is a step only if somebody waited for it.
                let last = owner.and_then(|owner| self.workers.get(&owner)?.last);
                self.push(last, index, Why::Joins);
            }
            (_, Some(object)) => self.meet(steps, index, step, op, object),
            (_, None) => {}
        }
        // A wait that somebody ended, unless that has been told by what it was about.
        let waited = self.workers.entry(step.worker).or_default();
        let (waited_for, since) = (waited.waits_for.take(), waited.last);
        if let (Some(object), Some(since)) = (waited_for, since)
            && self.edges.len() == before
            && step.outcome != Outcome::TimedOut
        {
            let by = self.objects.get(&object).and_then(|object| {
                last_of_other(steps, step.worker, object.changed, object.changed_by_other)
            });
            self.push(by.filter(|&by| by > since), index, Why::Woken);
        }
        let worker = self.workers.entry(step.worker).or_default();
        worker.last = Some(index);
        worker.waits_for = step.object.filter(|_| step.outcome == Outcome::Waits);
        if let Some(object) = step.object {
            self.leave(steps, index, step, op, object);
        }
    }

    /// The edges to a step on this object.
    fn meet(&mut self, steps: &[Step], index: usize, step: &Step, op: Op, object: u32) {
        let takes = op.takes_lock() || op.tries_lock();
        let is_done = step.outcome == Outcome::Done;
        let state = self.objects.entry(object).or_default();
        let from = match op {
            _ if takes && is_done => {
                // A wait on a condition variable gives the lock up, and is no step on it.
                let holder = state.holders.iter().find(|&&holder| holder != step.worker);
                let waits = holder.and_then(|holder| self.workers.get(holder)?.last);
                let waits = waits.filter(|&last| steps[last].outcome == Outcome::Waits);
                Some((waits.max(state.released), Why::Takes))
            }
            _ if takes => {
                let holder = state.holders.last().copied();
                let is_holders = |at: &usize| holder == Some(steps[*at].worker);
                let by_holder = state.changed.filter(is_holders);
                Some((by_holder, Why::Misses))
            }
            // An actor's events are numbered.
            Op::Dequeue if step.written.is_some() => {
                let number = step.written;
                let sent = state.events.iter().position(|&(_, event)| event == number);
                Some((sent.map(|at| state.events.remove(at).0), Why::Receives))
            }
            Op::Recv | Op::TryRecv | Op::RecvTimeout if is_done => match state.sent.pop_front() {
                Some(sent) => Some((Some(sent), Why::Receives)),
                None => Some((state.changed, Why::Meets)),
            },
            Op::Store | Op::PlainStore => {
                let worker = self.workers.get(&step.worker);
                let seen = worker.and_then(|worker| worker.read.get(&object));
                let written =
                    last_of_other(steps, step.worker, state.written, state.written_by_other);
                let unseen = written.filter(|&written| seen.is_some_and(|&seen| seen < written));
                Some((unseen, Why::Overwrites))
            }
            _ if step.read.is_some() => Some((state.written, Why::Reads)),
            _ if op.learns() && is_done => Some((
                last_of_other(steps, step.worker, state.changed, state.changed_by_other),
                Why::Meets,
            )),
            _ => None,
        };
        if let Some((from, why)) = from {
            self.push(from, index, why);
        }
    }

    /// The state of the object after the step.
    fn leave(&mut self, steps: &[Step], index: usize, step: &Step, op: Op, object: u32) {
        let state = self.objects.entry(object).or_default();
        let replace = |last: &mut Option<usize>, by_other: &mut Option<usize>| {
            if last.is_some_and(|last| steps[last].worker != step.worker) {
                *by_other = *last;
            }
            *last = Some(index);
        };
        let is_done = step.outcome == Outcome::Done;
        if step.read.is_some() {
            let worker = self.workers.entry(step.worker).or_default();
            worker.read.insert(object, index);
        }
        if step.written.is_some() {
            replace(&mut state.written, &mut state.written_by_other);
        }
        let changes = match op.effect() {
            Effect::Writes => step.outcome != Outcome::Waits,
            Effect::MayWrite => is_done,
            Effect::Reads | Effect::Yields => false,
        };
        if changes {
            replace(&mut state.changed, &mut state.changed_by_other);
        }
        if (op.takes_lock() || op.tries_lock()) && is_done {
            if !matches!(op, Op::Read | Op::TryRead) {
                state.holders.clear();
            }
            state.holders.push(step.worker);
        }
        if op.releases() {
            state.released = Some(index);
            state.holders.retain(|&holder| holder != step.worker);
        }
        if op == Op::Enqueue && step.written.is_some() {
            state.events.push((index, step.written));
        }
        if matches!(op, Op::Send | Op::TrySend) && is_done {
            state.sent.push_back(index);
        }
    }

    fn push(&mut self, from: Option<usize>, to: usize, why: Why) {
        self.edges.extend(from.map(|from| Edge { from, to, why }));
    }
}

/// The last of two that another worker made.
fn last_of_other(
    steps: &[Step],
    worker: u32,
    last: Option<usize>,
    by_other: Option<usize>,
) -> Option<usize> {
    let is_other = |&index: &usize| steps[index].worker != worker;
    last.filter(is_other).or(by_other.filter(is_other))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::report::failure::Report;
    use crate::sample::{record, step, trace};

    /// The edges of these steps: worker, operation, object, and whether it waits.
    fn edges_of(steps: &[(u32, Op, u32, bool)]) -> Vec<(usize, usize, Why)> {
        let steps: Vec<_> = steps
            .iter()
            .map(|&(worker, op, object, waits)| {
                let (mut step, file) = step(worker, op, "src/a.rs");
                step.object = Some(object);
                if waits {
                    step.outcome = Outcome::Waits;
                } else if op == Op::Load {
                    step.read = Some(Value::Unsigned(0));
                } else if op == Op::Store {
                    step.written = Some(Value::Unsigned(1));
                }
                (step, file)
            })
            .collect();
        let record = record(&trace(&steps), "fails");
        let report = Report::of(&record, Path::new("/nowhere"));
        let edges = edges(report.facts().expect("there are steps"));
        let parts = |edge: &Edge| (edge.from, edge.to, edge.why);
        edges.iter().map(parts).collect()
    }

    #[test]
    fn a_read_follows_the_last_write() {
        let steps = [
            (0, Op::Store, 0, false),
            (1, Op::Store, 1, false),
            (1, Op::Load, 0, false),
        ];
        assert_eq!(edges_of(&steps), [(0, 2, Why::Reads)]);
    }

    #[test]
    fn a_store_of_an_old_value_overwrites() {
        let steps = [
            (0, Op::Load, 0, false),
            (1, Op::Store, 0, false),
            (0, Op::Store, 0, false),
            (0, Op::Store, 0, false),
        ];
        let overwrites = |to| (1, to, Why::Overwrites);
        assert_eq!(edges_of(&steps), [overwrites(2), overwrites(3)]);
    }

    #[test]
    fn an_event_is_taken_after_it_was_sent() {
        let step = |worker, operation, number| {
            let (mut step, file) = step(worker, operation, "src/a.rs");
            (step.object, step.written) = (Some(0), Some(Value::Unsigned(number)));
            (step, file)
        };
        let steps = [
            step(0, Op::Enqueue, 0),
            step(1, Op::Enqueue, 1),
            step(2, Op::Dequeue, 1),
            step(2, Op::Dequeue, 0),
        ];
        let record = record(&trace(&steps), "fails");
        let report = Report::of(&record, Path::new("/nowhere"));
        let edges = edges(report.facts().expect("there are steps"));
        let edges: Vec<_> = edges
            .iter()
            .map(|edge| (edge.from, edge.to, edge.why))
            .collect();
        assert_eq!(edges, [(1, 2, Why::Receives), (0, 3, Why::Receives)]);
    }

    #[test]
    fn a_lock_follows_its_release_and_a_wait_releases_it() {
        let steps = [
            (0, Op::Lock, 0, false),
            (0, Op::Wait, 1, true),
            (1, Op::Lock, 0, false),
            (1, Op::NotifyOne, 1, false),
            (1, Op::Unlock, 0, false),
            (0, Op::Lock, 0, false),
        ];
        let expected = [(1, 2, Why::Takes), (4, 5, Why::Takes)];
        assert_eq!(edges_of(&steps), expected);
    }

    #[test]
    fn a_wait_ends_by_the_step_that_ended_it() {
        let steps = [
            (0, Op::Wait, 1, true),
            (1, Op::NotifyOne, 1, false),
            (0, Op::SpinLoop, 2, false),
        ];
        assert_eq!(edges_of(&steps), [(1, 2, Why::Woken)]);
    }

    #[test]
    fn messages_are_received_in_order() {
        let steps = [
            (0, Op::Send, 0, false),
            (0, Op::Send, 0, false),
            (1, Op::Recv, 0, false),
            (1, Op::Recv, 0, false),
        ];
        let received: Vec<_> = edges_of(&steps)
            .into_iter()
            .filter(|edge| edge.2 == Why::Receives)
            .collect();
        assert_eq!(received, [(0, 2, Why::Receives), (1, 3, Why::Receives)]);
    }
}
