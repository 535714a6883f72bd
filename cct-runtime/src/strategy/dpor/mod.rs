//! Source-DPOR: every behaviour once.
//!
//! Kept here: the tree of schedules, races, and the branches to be explored. The happens-before relation of
//! the schedule at hand is kept in [`execution`].

mod entries;
mod execution;
mod plan;
mod races;

use self::entries::{Entries, Entry};
use self::execution::{Execution, Others};
use self::races::conflict;
use super::{
    Beginning, Beyond, Candidates, Ending, Enumerator, Executed, IterationResult, Observer, Origin,
    Pick, Progress, Strategy, WorkerId,
};
use crate::object::ObjectId;
use crate::operation::Access;

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
/// - Operations may wait, and so be disabled by others: one is in a race with each earlier step that may
///   have kept it waiting, not only with the last. Where it is not known whether it could have gone first,
///   it is assumed to be; that costs schedules that are given up, and loses none.
/// - The effects of a step may depend on those before it: nothing is taken for granted of one that was not
///   made at the place in question. `docs/dpor.md` has the rule, and why it suffices.
/// - At the end of a schedule the operations that are still pending, or wait for ever, are in races too:
///   this is how deadlocks are found.
/// - Each value of a choice is explored.
/// - Tasks, and the threads that poll them, hand over to each other: all steps that do so are dependent.
///   Everything else that tasks of one thread share is then explored as well, whether the engine sees it or
///   not.
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
    entries: Entries,
    /// The effects of the steps that were explored, by the order of the nodes.
    footprints: Vec<(ObjectId, Access)>,
    /// How many nodes of the path this iteration has passed.
    depth: usize,
    /// The last node of the path that picks, when this iteration began: steps from there on are new.
    branch: usize,
    /// The node that picked the step under way, if one did.
    picked: Option<u32>,
    /// The last node that picked.
    latest: Option<u32>,
    /// The workers that sleep now, with the footprint of their next step.
    asleep: Vec<Entry>,
    execution: Execution,
    /// The steps that those of planned entries are taken to be independent of; by entry.
    assumptions: Vec<(u32, (ObjectId, Access))>,
    /// Steps with which those of entries have closed a circle of waiting, in whatever order: by entry, and as
    /// the object that stands for such a step.
    closings: Vec<(u32, ObjectId)>,
    /// Scratch: the races of a step.
    races: Vec<plan::Race>,
    /// Scratch: what does not come after the first step of a race.
    others: Others,
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
        self.entries.plan(chosen as usize);
        self.entries.set_footprint(chosen as usize, end, end);
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

    /// The last step of this worker did this: who is dependent on it wakes up, or would now close a circle.
    fn wake_up(&mut self, worker: WorkerId, footprint: &[(ObjectId, Access)]) {
        let footprints = &self.footprints;
        let step = (
            ObjectId::step_of(worker, self.execution.steps_of(worker)),
            Access::Writes,
        );
        self.asleep.retain(|entry| {
            let theirs = &footprints[entry.from as usize..entry.to as usize];
            entry.worker != worker && !conflict(theirs, footprint) && !theirs.contains(&step)
        });
    }

    /// The last step of this worker has closed a circle with that of others. Where it is first, it is one of
    /// theirs that ends all: what sleeps there must not.
    fn note_circle(&mut self, worker: WorkerId) {
        let step = ObjectId::step_of(worker, self.execution.steps_of(worker));
        for with in std::mem::take(&mut self.execution.circle) {
            let node = self.execution.last_node_of(with);
            if let Some(Node::Pick { chosen, .. }) = node.map(|node| self.path[node as usize]) {
                let closing = (chosen, step);
                if !self.closings.contains(&closing) {
                    self.closings.push(closing);
                }
            }
        }
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
            self.assumptions.retain(|(of, _)| of < entries);
            self.closings.retain(|(of, _)| of < entries);
        }
        self.path.truncate(self.depth);
        self.asleep.clear();
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
                    self.verify(entries, chosen);
                    self.entries.put_to_sleep(chosen as usize);
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
                    self.assumptions.retain(|(of, _)| *of < entries);
                    self.closings.retain(|(of, _)| *of < entries);
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
        // The steps before the branch were observed when they happened first.
        if self.depth > self.branch {
            self.reverse(executed, node.is_some());
        } else {
            self.execution.arrive(executed, node.is_some());
        }
        self.execution.pass(executed, node);
        self.note_circle(executed.worker);
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
        let entry = self.entries[chosen as usize];
        self.footprints.truncate(entry.to as usize);
        for access in self.execution.footprint(event) {
            if !self.footprints[entry.from as usize..].contains(access) {
                self.footprints.push(*access);
            }
        }
        for &(of, step) in &self.closings {
            let access = (step, Access::Writes);
            if of == chosen && !self.footprints[entry.from as usize..].contains(&access) {
                self.footprints.push(access);
            }
        }
        let to = self.footprints.len() as u32;
        self.entries.set_footprint(chosen as usize, entry.from, to);
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

    fn end(&mut self, ending: &Ending) {
        let ended_early = ending.result == IterationResult::Failed;
        self.made += u64::from(ending.result != IterationResult::Abandoned);
        if self.depth < self.path.len() {
            // It has ended before all that it should repeat.
            self.diverge();
        }
        let could_go_on = |worker| !self.execution.waits(worker);
        if ended_early && self.execution.workers().any(could_go_on) {
            self.execution.end_early();
        }
        for worker in self.execution.workers() {
            if self.asleep.iter().any(|entry| entry.worker == worker) {
                continue;
            }
            if let Some((pending, waits)) = self.execution.pending(worker) {
                self.reverse(&pending, true);
                // It could go on, had the last step not ended all.
                if ended_early && !waits {
                    self.plan(self.execution.events.len() as u32 - 1, &pending);
                }
            }
        }
        self.advance();
    }

    fn on_created(&mut self, worker: WorkerId, origin: Origin) {
        self.execution.create(worker, origin.kind);
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        self.execution.wake(worker);
        true
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        // Somebody loses its turn by the step at hand, or it comes first: a race of which one step is never
        // made.
        if self.execution.leave(worker) {
            self.plan_instead(worker);
        }
    }

    fn observer(&mut self) -> Option<&mut dyn Observer> {
        Some(self)
    }

    fn enumerator(&self) -> Option<&dyn Enumerator> {
        Some(self)
    }
}

impl Observer for Dpor {
    fn on_step(&mut self, executed: &Executed, beyond: &Beyond<'_>) {
        self.execution.go_beyond(beyond);
        let node = self.picked.take();
        self.take(executed, node);
    }

    fn on_unpicked(&mut self, executed: &Executed, beyond: &Beyond<'_>) {
        self.execution.go_beyond(beyond);
        self.take(executed, None);
    }

    fn on_read(&mut self) {
        self.execution.is_between_steps = false;
    }

    fn on_early(&mut self, _worker: WorkerId) -> bool {
        // Nobody has woken it.
        true
    }

    fn on_late(&mut self, worker: WorkerId) {
        self.plan_instead(worker);
    }

    fn choose_end(&mut self, over: WorkerId, by: WorkerId) -> u32 {
        // Else the check and the last step are in a race: where the check is first, it is not.
        if self.execution.comes_after_last_of(by, over) {
            self.choose_index(2)
        } else {
            0
        }
    }
}

impl Enumerator for Dpor {
    fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    fn progress(&self) -> Option<Progress> {
        let values = self.path.iter().map(|node| match *node {
            Node::Choice { value, of } => u64::from(of - value - 1),
            Node::Pick { .. } => 0,
        });
        // The entries that the path leads through are planned too.
        let picks = self.path.iter();
        let picks = picks
            .filter(|node| matches!(node, Node::Pick { .. }))
            .count();
        let branches = (self.entries.open() - picks) as u64 + u64::from(!self.path.is_empty());
        let open = branches + values.sum::<u64>();
        Some(Progress {
            made: self.made,
            open,
            expected: open,
            bound: None,
            leaves_out: false,
            plans: false,
            reduces: true,
            astray: self.astray,
        })
    }
}
