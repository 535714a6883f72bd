//! Source-DPOR: every behaviour once.
//!
//! Kept here: the tree of schedules, races, and what is to be explored. What comes before what in the
//! schedule at hand is kept in [`super::execution`].

use super::execution::Execution;
use super::{
    Beginning, Candidates, Ending, Executed, IterationResult, Origin, Pick, Progress, Strategy,
    WorkerId,
};
use crate::operation::{Access, Operation};

/// Makes a schedule for each behaviour of the test, and no two for one.
///
/// **Idea.** Schedules that differ only in the order of independent steps lead to the same states. So the
/// search goes depth first through the tree of schedules, but turns aside only where it has seen a *race*:
/// two dependent steps of different workers, with nothing between them that keeps them in that order. Then
/// somebody is to go first, before the first of the two, who leads to the second. A worker whose next step
/// has been explored *sleeps* at the alternatives until a step comes that is dependent on its own; where
/// all candidates sleep, whatever follows has been seen, and the schedule is given up.
///
/// **Guarantee.** Abdulla, Aronis, Jonsson, Sagonas (POPL 2014; JACM 64(4), 2017), *source sets*: under
/// sequential consistency, each behaviour (Mazurkiewicz trace) that the test has is made by exactly one
/// schedule that is not given up. Once it is exhausted, with no limits met, every final state, deadlock and
/// panic that any interleaving leads to has been seen.
///
/// **Parameters.** None. Nothing in it is random.
///
/// **Departures.**
/// - An operation that waits for its turn (a lock, a message) is in a race with whoever took the turn
///   before, not with who gave it up. Where it is not known whether it could have gone first, it is assumed
///   to be; that costs schedules that are given up, and loses none.
/// - At the end of a schedule the operations that are still pending, or wait for ever, are in races too:
///   this is how deadlocks are found.
/// - Each value of a choice is explored.
/// - Tasks, and those who poll them, give each other their turns: all steps that do so are dependent on each
///   other. What else tasks of one thread share is then explored as well, whether the engine sees it or not.
/// - A worker that spins or yields must let another run, at once; this and the other limits of a schedule
///   (time, step bounds) are the engine's, and the count says that they were met.
/// - Reference counts, addresses and unsynchronised memory are no operations: who drops an `Arc` last is
///   not explored. Atomic orderings weaker than sequential consistency are as strong.
///
/// Memory: proportional to the steps of one schedule times its workers.
#[derive(Debug, Default)]
pub struct Dpor {
    /// The path through the tree of schedules: where to branch off, and what has been explored there.
    path: Vec<Node>,
    /// The candidates of the nodes, node by node.
    entries: Vec<Entry>,
    /// What the steps did that were explored, by the order of the nodes.
    footprints: Vec<(usize, Access)>,
    /// How many nodes of the path this iteration has passed.
    depth: usize,
    /// The last node of the path that picks, when this iteration began: steps from there on are new.
    branch: usize,
    /// The node that picked the step under way, if one did.
    picked: Option<u32>,
    /// The last node that picked.
    latest: Option<u32>,
    /// Who sleeps now, with the footprint of its next step.
    asleep: Vec<Entry>,
    execution: Execution,
    /// Scratch: the races of a step.
    races: Vec<Race>,
    /// Scratch: who can go first.
    initials: Vec<WorkerId>,
    first_steps: Vec<u32>,
    is_exhausted: bool,
    /// How many schedules were made to their end, and how many did not repeat.
    made: u64,
    astray: u64,
}

/// A place on the path.
#[derive(Clone, Copy, Debug)]
enum Node {
    /// A worker was picked.
    Pick {
        /// Where its entries and footprints begin.
        entries: u32,
        footprints: u32,
        /// The entry that is being explored, and its step in the execution.
        chosen: u32,
        event: Option<u32>,
    },
    /// A value was chosen, of so many.
    Choice { value: u32, of: u32 },
}

/// A candidate at a node.
#[derive(Clone, Copy, Debug)]
struct Entry {
    worker: WorkerId,
    /// It need not be explored: its step was, before the node or at it.
    sleeps: bool,
    /// It is to be explored, or was.
    planned: bool,
    /// What its step does, once that is known: a part of the footprints.
    from: u32,
    to: u32,
}

/// Two steps whose order can be reversed; the second is the one at hand.
#[derive(Clone, Copy, Debug)]
struct Race {
    event: u32,
    reversible: bool,
}

impl Dpor {
    /// A search that has seen nothing.
    pub fn new() -> Dpor {
        Dpor::default()
    }

    /// Adds a node for these candidates; none if all sleep.
    fn branch_out(&mut self, candidates: &dyn Candidates) -> Option<WorkerId> {
        let first = self.entries.len();
        for index in 0..candidates.len() {
            let worker = candidates.nth(index);
            let sleeper = self.asleep.iter().find(|entry| entry.worker == worker);
            self.entries.push(sleeper.copied().unwrap_or(Entry {
                worker,
                sleeps: false,
                planned: false,
                from: 0,
                to: 0,
            }));
        }
        // The one that runs goes on, or else the next one by number: so all who yield have their turns.
        let current = candidates.current();
        let turn = |entry: &Entry| (entry.worker.0 < current.0, entry.worker);
        let awake = self.entries[first..].iter().enumerate();
        let chosen = awake
            .filter(|(_, entry)| !entry.sleeps)
            .min_by_key(|(_, entry)| turn(entry));
        let Some((index, &Entry { worker, .. })) = chosen else {
            self.entries.truncate(first);
            return None;
        };
        let footprints = self.footprints.len() as u32;
        let chosen = (first + index) as u32;
        self.path.push(Node::Pick {
            entries: first as u32,
            footprints,
            chosen,
            event: None,
        });
        self.explore(chosen);
        Some(worker)
    }

    /// Begins to explore an entry.
    fn explore(&mut self, chosen: u32) {
        let end = self.footprints.len() as u32;
        let entry = &mut self.entries[chosen as usize];
        entry.planned = true;
        (entry.from, entry.to) = (end, end);
    }

    /// The entries of the node with this index.
    fn entries_of(&self, index: usize) -> std::ops::Range<usize> {
        let Node::Pick { entries: from, .. } = self.path[index] else {
            return 0..0;
        };
        let later = self.path[index + 1..].iter().find_map(|node| match *node {
            Node::Pick { entries, .. } => Some(entries as usize),
            Node::Choice { .. } => None,
        });
        from as usize..later.unwrap_or(self.entries.len())
    }

    /// After the pick at this node, all sleep that slept before or were explored before.
    fn fall_asleep(&mut self, index: usize, picked: WorkerId) {
        self.asleep.clear();
        let entries = &self.entries[self.entries_of(index)];
        let others = entries.iter().filter(|entry| entry.worker != picked);
        self.asleep
            .extend(others.copied().filter(|entry| entry.sleeps));
    }

    /// A step of this worker did this: who is dependent on it wakes up.
    fn wake_up(&mut self, worker: WorkerId, footprint: &[(usize, Access)]) {
        let footprints = &self.footprints;
        self.asleep.retain(|entry| {
            let theirs = &footprints[entry.from as usize..entry.to as usize];
            entry.worker != worker && !conflict(theirs, footprint)
        });
    }

    /// The schedule so far is not a prefix of the one that it should repeat.
    fn diverge(&mut self) {
        self.astray += 1;
        if let Some(Node::Pick {
            entries,
            footprints,
            ..
        }) = self.path[self.depth..]
            .iter()
            .find(|node| matches!(node, Node::Pick { .. }))
        {
            self.entries.truncate(*entries as usize);
            self.footprints.truncate(*footprints as usize);
        }
        self.path.truncate(self.depth);
        self.asleep.clear();
    }

    /// Plans what the races of a step ask for; it is at hand, or pending.
    fn reverse(&mut self, step: &Executed) {
        self.execution.arrive(step);
        self.find_races(step);
        let worker = step.worker;
        let blocks = waits_for_turn(step.action.operation);
        let mut races = std::mem::take(&mut self.races);
        // Latest first: an earlier one may come before the step by way of a later one.
        races.sort_unstable_by_key(|race| std::cmp::Reverse(race.event));
        for race in races.drain(..) {
            if self.execution.settles(race.event, race.reversible) && race.reversible {
                self.plan(race.event, worker, blocks);
            }
        }
        self.races = races;
    }

    /// Finds the steps that the one at hand is in a race with, or would be if it did not wait its turn.
    fn find_races(&mut self, step: &Executed) {
        let execution = &self.execution;
        let own = step.action.accesses()[0].0;
        let waits = waits_for_turn(step.action.operation);
        self.races.clear();
        for &(object, access) in &execution.present {
            let Some(history) = execution.history(object) else {
                continue;
            };
            // Once a step is found, or comes before anyway, all phases but its own come before it.
            let mut last_phase: Option<Access> = None;
            for (index, &(event, their)) in history.steps.iter().enumerate().rev() {
                if last_phase.is_some_and(|last| !last.commutes_with(their) || last != their) {
                    break;
                }
                if their.commutes_with(access) {
                    continue;
                }
                if execution.is_before(event, &execution.base) {
                    if their == Access::Writes {
                        break;
                    }
                    last_phase = Some(their);
                    continue;
                }
                let is_alone = their == Access::Writes
                    || index == 0
                    || !history.steps[index - 1].1.commutes_with(their);
                let reversible =
                    !waits || object != own || self.could_go_first(step, event, is_alone);
                self.races.push(Race { event, reversible });
                if reversible {
                    if their == Access::Writes {
                        break;
                    }
                    last_phase = Some(their);
                }
            }
        }
    }

    /// True unless the step, which waits its turn, had to wait until the event was over.
    fn could_go_first(&self, step: &Executed, event: u32, is_alone: bool) -> bool {
        let theirs = &self.execution.events[event as usize];
        let takes_turns = match step.action.operation {
            // Whoever has the lock does not let it go before it was taken.
            Operation::Lock => match theirs.operation {
                Operation::Lock => true,
                Operation::TryLock => !theirs.refused,
                _ => false,
            },
            Operation::Read => matches!(theirs.operation, Operation::Write | Operation::TryWrite),
            // It may be tried while others read.
            Operation::Write => theirs.operation != Operation::WriteUnlock,
            // Nothing that they wait for can be undone.
            Operation::Join | Operation::ScopeEnd | Operation::OnceWait => false,
            _ => true,
        };
        // If the step has been pending since before the event, it is known whether it could go ahead.
        let was_pending = self.execution.pending_since(step.worker) < Some(event);
        let node = theirs.node.filter(|_| was_pending && is_alone);
        let is_candidate = |node: u32| {
            let mut entries = self.entries[self.entries_of(node as usize)].iter();
            entries.any(|entry| entry.worker == step.worker)
        };
        takes_turns && node.is_none_or(is_candidate)
    }

    /// Plans a schedule in which the step at hand, of this worker, comes before the event.
    fn plan(&mut self, event: u32, worker: WorkerId, blocks: bool) {
        // Steps that nobody picked go with the pick before them.
        let events = &self.execution.events[..=event as usize];
        let Some(first) = events.iter().rposition(|event| event.node.is_some()) else {
            return;
        };
        let node = events[first].node.map_or(0, |node| node as usize);
        self.execution
            .find_initials(first, worker, &mut self.initials, &mut self.first_steps);
        let range = self.entries_of(node);
        let entries = &mut self.entries[range];
        let can_begin = |entry: &Entry| self.initials.contains(&entry.worker);
        if entries
            .iter()
            .any(|entry| (entry.planned || entry.sleeps) && can_begin(entry))
        {
            return;
        }
        let wanted = entries
            .iter()
            .position(|entry| entry.worker == worker && can_begin(entry));
        match wanted.or_else(|| entries.iter().position(can_begin)) {
            Some(index) => entries[index].planned = true,
            // It has to wait there.
            None if blocks => {}
            None => entries.iter_mut().for_each(|entry| entry.planned = true),
        }
    }

    /// Plans this worker in place of the one that was picked last, if it could have been.
    fn plan_instead(&mut self, worker: WorkerId) {
        let Some(node) = self.latest else {
            return;
        };
        let entries = self.entries_of(node as usize);
        let mut entries = self.entries[entries].iter_mut();
        if let Some(entry) = entries.find(|entry| entry.worker == worker) {
            entry.planned = true;
        }
    }

    /// Moves the path on to the next schedule.
    fn advance(&mut self) {
        while let Some(&node) = self.path.last() {
            let index = self.path.len() - 1;
            match node {
                Node::Choice { value, of } => {
                    self.keep_footprint();
                    if value + 1 < of {
                        let value = value + 1;
                        self.path[index] = Node::Choice { value, of };
                        return;
                    }
                }
                Node::Pick {
                    entries,
                    footprints,
                    chosen,
                    ..
                } => {
                    self.keep_footprint();
                    self.entries[chosen as usize].sleeps = true;
                    let rest = &self.entries[entries as usize..];
                    let next = rest.iter().position(|entry| entry.planned && !entry.sleeps);
                    if let Some(next) = next {
                        let chosen = entries + next as u32;
                        self.path[index] = Node::Pick {
                            entries,
                            footprints,
                            chosen,
                            event: None,
                        };
                        self.explore(chosen);
                        return;
                    }
                    self.entries.truncate(entries as usize);
                    self.footprints.truncate(footprints as usize);
                }
            }
            self.path.pop();
        }
        self.is_exhausted = true;
    }

    /// A step has been carried out, which this node picked, if any did.
    fn take(&mut self, executed: &Executed, node: Option<u32>) {
        let event = self.execution.events.len() as u32;
        if let Some(Node::Pick { event: of, .. }) =
            node.and_then(|node| self.path.get_mut(node as usize))
        {
            *of = Some(event);
        }
        // What happened before the branch was looked at when it happened first.
        if self.depth > self.branch {
            self.reverse(executed);
        } else {
            self.execution.arrive(executed);
        }
        self.execution.pass(executed, node);
        if self.depth > self.branch {
            let footprint = std::mem::take(&mut self.execution.present);
            self.wake_up(executed.worker, &footprint);
            self.execution.present = footprint;
        }
    }

    /// Adds to the entry that was explored last what its step did, which may depend on values chosen.
    fn keep_footprint(&mut self) {
        let picks = self.path.iter().rev();
        let mut picks = picks.filter_map(|node| match *node {
            Node::Pick { chosen, event, .. } => Some((chosen, event)),
            Node::Choice { .. } => None,
        });
        let Some((chosen, Some(event))) = picks.next() else {
            return;
        };
        let entry = &mut self.entries[chosen as usize];
        self.footprints.truncate(entry.to as usize);
        for access in self.execution.footprint(event) {
            if !self.footprints[entry.from as usize..].contains(access) {
                self.footprints.push(*access);
            }
        }
        entry.to = self.footprints.len() as u32;
    }
}

impl Strategy for Dpor {
    fn begin(&mut self, _beginning: &Beginning) {
        if std::mem::take(&mut self.is_exhausted) {
            (self.made, self.astray) = (0, 0);
        }
        self.depth = 0;
        let is_pick = |node: &Node| matches!(node, Node::Pick { .. });
        self.branch = self.path.iter().rposition(is_pick).unwrap_or(0);
        (self.picked, self.latest) = (None, None);
        self.asleep.clear();
        self.execution.clear();
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let index = self.depth;
        let mut known = None;
        if let Some(&Node::Pick { chosen, .. }) = self.path.get(index) {
            let worker = self.entries[chosen as usize].worker;
            known = candidates.contains(worker).then_some(worker);
        }
        if known.is_none() && index < self.path.len() {
            self.diverge();
        }
        let Some(worker) = known.or_else(|| self.branch_out(candidates)) else {
            return Pick::ABANDON;
        };
        if index >= self.branch {
            self.fall_asleep(index, worker);
        }
        self.depth += 1;
        self.picked = Some(index as u32);
        self.latest = self.picked;
        self.execution.is_between_steps = false;
        Pick { worker, quantum: 0 }
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        self.execution.wake(worker);
        true
    }

    fn on_early(&mut self, _worker: WorkerId) -> bool {
        // Nobody has woken it.
        true
    }

    fn on_late(&mut self, worker: WorkerId) {
        self.plan_instead(worker);
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        let known = match self.path.get(self.depth) {
            Some(&Node::Choice { value, of }) if of == n => Some(value),
            Some(_) => {
                self.diverge();
                None
            }
            None => None,
        };
        if known.is_none() {
            self.path.push(Node::Choice { value: 0, of: n });
        }
        self.depth += 1;
        known.unwrap_or(0)
    }

    fn fair_from(&self) -> u32 {
        u32::MAX
    }

    fn on_created(&mut self, worker: WorkerId, origin: Origin) {
        self.execution.create(worker, origin.kind);
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        // Somebody loses its turn by the step at hand, or it comes first: a race of which one step is never
        // made.
        if self.execution.leave(worker) {
            self.plan_instead(worker);
        }
    }

    fn observes(&self) -> bool {
        true
    }

    fn on_touched(&mut self, object: usize, access: Access) {
        self.execution.touched.push((object, access));
    }

    fn on_step(&mut self, executed: &Executed) {
        let node = self.picked.take();
        self.take(executed, node);
    }

    fn on_turn(&mut self, executed: &Executed) {
        self.take(executed, None);
    }

    fn end(&mut self, ending: &Ending) {
        if ending.result != IterationResult::Abandoned {
            self.made += 1;
            for index in 0..self.execution.workers() {
                let worker = WorkerId(index);
                if let Some(pending) = self.execution.pending(worker) {
                    self.reverse(&pending);
                }
            }
        }
        self.advance();
    }

    fn enumerates(&self) -> bool {
        true
    }

    fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    fn progress(&self) -> Option<Progress> {
        let planned = self.entries.iter();
        let planned = planned
            .filter(|entry| entry.planned && !entry.sleeps)
            .count();
        let values = self.path.iter().map(|node| match *node {
            Node::Choice { value, of } => u64::from(of - value - 1),
            Node::Pick { .. } => 0,
        });
        // The entries that the path leads through are planned too.
        let picks = self.path.iter();
        let picks = picks
            .filter(|node| matches!(node, Node::Pick { .. }))
            .count();
        let branches = (planned - picks) as u64 + u64::from(!self.path.is_empty());
        let open = branches + values.sum::<u64>();
        Some(Progress {
            made: self.made,
            open,
            expected: open,
            bound: None,
            leaves_out: false,
            reduces: true,
            astray: self.astray,
        })
    }
}

/// True if steps that did this and that are dependent.
fn conflict(one: &[(usize, Access)], other: &[(usize, Access)]) -> bool {
    one.iter().any(|&(object, access)| {
        other
            .iter()
            .any(|&(their, how)| object == their && !access.commutes_with(how))
    })
}

/// True for operations that wait until somebody else has made way for them.
fn waits_for_turn(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Lock
            | Operation::Read
            | Operation::Write
            | Operation::Join
            | Operation::ScopeEnd
            | Operation::OnceWait
            | Operation::Recv
            | Operation::RecvTimeout
            | Operation::Send
            | Operation::Park
    )
}
