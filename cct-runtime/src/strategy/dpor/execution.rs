//! A schedule as a partial order: what comes before what, by vector clocks.
//!
//! A step comes after the steps of its own worker, after those on the same object that it does not
//! commute with, and, if its worker was created or woken, after the step that did so. A task, and who polls
//! it, come after the step that gave them their turn.

use std::panic::Location;

use super::super::clock::{Clock, join};
use super::super::{Action, Beyond, Executed, FirstUse, Next, WorkerId};
use crate::object::ObjectId;
use crate::operation::{Access, Operation};
use crate::trace::{Outcome, WorkerKind};

/// The steps of a schedule so far, and their order.
#[derive(Debug, Default)]
pub(super) struct Execution {
    pub(super) events: Vec<Event>,
    clocks: Vec<u32>,
    footprints: Vec<(ObjectId, Access)>,
    /// By worker number; those beyond the count are kept for later schedules.
    flows: Vec<Flow>,
    flow_count: usize,
    objects: FirstUse,
    /// By object number; as above.
    histories: Vec<History>,
    history_count: usize,
    /// Workers that the step at hand creates or wakes, beyond what its objects show.
    followers: Vec<WorkerId>,
    /// Nobody runs: whoever wakes now is woken by time.
    pub(super) is_between_steps: bool,
    /// The effects of the step at hand beyond its operation.
    pub(super) touched: Vec<(ObjectId, Access)>,
    /// With whom the step at hand closes a circle of waiting.
    pub(super) circle: Vec<WorkerId>,
    /// The effects of the step at hand.
    pub(super) present: Vec<(ObjectId, Access)>,
    /// The numbers of the objects in that, in its order.
    numbers: Vec<u32>,
    /// The steps that come before it for other reasons than an object, and those that come before it at all.
    pub(super) base: Clock,
    full: Clock,
    /// The steps that come before it by way of steps that it is in a race with.
    reached: Clock,
}

/// A step that has been carried out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    worker: WorkerId,
    pub(super) operation: Operation,
    /// The object of its operation, and the second one that it changes.
    pub(super) object: ObjectId,
    pub(super) also: ObjectId,
    pub(super) outcome: Outcome,
    /// The node that picked it, if one did.
    pub(super) node: Option<u32>,
    /// How many steps its worker had made with it.
    count: u32,
    /// Where its clock and its footprint begin and end.
    clock: [u32; 2],
    footprint: [u32; 2],
}

/// A worker.
#[derive(Debug)]
struct Flow {
    clock: Clock,
    /// Its last step, or the later one by which it was created or woken.
    since: Option<u32>,
    next: Next,
}

/// The first step of a thread: it is about no object.
const FIRST_STEP: Next = Next::Goes(Action {
    operation: Operation::End,
    object: ObjectId::NONE,
    also: ObjectId::NONE,
    site: Location::caller(),
});
/// The next operation of a task that has not been polled yet.
const FIRST_TURN: Next = Next::Waits(Action {
    operation: Operation::Start,
    object: ObjectId::NONE,
    also: ObjectId::NONE,
    site: Location::caller(),
});

/// The accesses to an object.
#[derive(Debug, Default)]
pub(super) struct History {
    /// All steps, latest last.
    steps: Vec<(u32, Access)>,
    /// The steps of the last phase, which commute with one another; and where it begins.
    access: Option<Access>,
    phase_from: usize,
    /// The clocks of all phases before the last joined, and of those of the last, which have those before.
    before: Clock,
    phase: Clock,
}

impl Execution {
    /// Forgets everything; memory is kept.
    pub(super) fn clear(&mut self) {
        self.events.clear();
        self.clocks.clear();
        self.footprints.clear();
        self.flow_count = 0;
        self.objects.clear();
        self.history_count = 0;
        self.followers.clear();
        self.touched.clear();
        self.circle.clear();
        self.is_between_steps = false;
    }

    /// The workers by number.
    pub(super) fn workers(&self) -> impl Iterator<Item = WorkerId> + use<> {
        (0..self.flow_count as u32).map(WorkerId)
    }

    /// True if the worker cannot go on.
    pub(super) fn waits(&self, worker: WorkerId) -> bool {
        !matches!(self.flows[worker.0 as usize].next, Next::Goes(_))
    }

    /// The step at hand does this as well, beyond its operation.
    pub(super) fn go_beyond(&mut self, beyond: &Beyond<'_>) {
        self.touched.extend_from_slice(beyond.touched);
        self.circle.extend_from_slice(beyond.circle);
    }

    /// The step at hand creates a worker.
    pub(super) fn create(&mut self, worker: WorkerId, kind: WorkerKind) {
        if self.flow_count == self.flows.len() {
            self.flows.push(Flow {
                clock: Clock::new(),
                since: None,
                next: Next::Ends,
            });
        }
        let flow = &mut self.flows[self.flow_count];
        flow.clock.clear();
        flow.since = None;
        flow.next = match kind {
            WorkerKind::Thread => FIRST_STEP,
            WorkerKind::Task | WorkerKind::Root(_) | WorkerKind::WakeUp => FIRST_TURN,
        };
        self.flow_count += 1;
        self.followers.push(worker);
    }

    /// A worker is a candidate.
    pub(super) fn wake(&mut self, worker: WorkerId) {
        let flow = &mut self.flows[worker.0 as usize];
        if let Next::Waits(action) = flow.next
            && action.operation.takes_turns()
        {
            flow.next = Next::Goes(action);
            if !self.is_between_steps {
                self.followers.push(worker);
            } else if let Some(last) = self.events.last() {
                // It has its turn because somebody else's has just ended.
                let [from, to] = last.clock;
                join(&mut flow.clock, &self.clocks[from as usize..to as usize]);
                flow.since = Some(self.events.len() as u32 - 1);
            }
            return;
        }
        if self.is_between_steps {
            return;
        }
        if let Next::Waits(action) = flow.next
            && is_passive(action.operation)
        {
            self.followers.push(worker);
            let action = Action {
                operation: Operation::Lock,
                object: action.also,
                also: ObjectId::NONE,
                ..action
            };
            flow.next = Next::Goes(action);
        }
    }

    /// A worker is no longer a candidate. True if it had a turn, which is lost.
    pub(super) fn leave(&mut self, worker: WorkerId) -> bool {
        let flow = &mut self.flows[worker.0 as usize];
        if let Next::Goes(action) = flow.next
            && action.operation.takes_turns()
        {
            flow.next = Next::Waits(action);
            return true;
        }
        false
    }

    /// Returns the next step of a worker, whose end is not known, and whether it waits; none if it would
    /// do nothing, or waits for a step that lets it go, whatever comes first.
    pub(super) fn pending(&mut self, worker: WorkerId) -> Option<(Executed, bool)> {
        let (action, resumed) = match self.flows[worker.0 as usize].next {
            Next::Goes(action) => (action, false),
            Next::Waits(action) if is_passive(action.operation) => return None,
            Next::Waits(action) if action.operation.takes_turns() => return None,
            Next::Waits(action) => (action, true),
            Next::Ends => return None,
        };
        if action.operation.takes_turns() {
            self.touched.push((ObjectId::POLLS, Access::Writes));
        }
        let step = Executed {
            step: 0,
            worker,
            action,
            outcome: Outcome::Done,
            read: None,
            written: None,
            resumed,
            next: Next::Ends,
        };
        Some((step, resumed))
    }

    /// The step since which what the worker does next has been pending.
    pub(super) fn pending_since(&self, worker: WorkerId) -> Option<u32> {
        self.flows[worker.0 as usize].since
    }

    /// A step is at hand: finds what it does and what comes before it.
    ///
    /// One that nobody picked cannot be separated from the step before it.
    pub(super) fn arrive(&mut self, step: &Executed, picked: bool) {
        let accesses = step.accesses();
        let own = accesses
            .iter()
            .copied()
            .filter(|&(object, _)| !object.is_none());
        self.present.clear();
        self.present.extend(own);
        if !self.touched.is_empty() {
            self.present.append(&mut self.touched);
        }
        let index = step.worker.0 as usize;
        self.full.clone_from(&self.flows[index].clock);
        if let Some(last) = self.events.last()
            && !picked
        {
            let [from, to] = last.clock;
            join(&mut self.full, &self.clocks[from as usize..to as usize]);
        }
        self.numbers.clear();
        for &(object, access) in &self.present {
            let number = self.objects.number(object.key());
            self.numbers.push(number);
            let number = number as usize;
            if number == self.history_count {
                if number == self.histories.len() {
                    self.histories.push(History::default());
                }
                self.histories[number].clear();
                self.history_count += 1;
            }
            join(&mut self.full, self.histories[number].clock_for(access));
        }
        if ends_all(&self.present) {
            for flow in &self.flows[..self.flow_count] {
                join(&mut self.full, &flow.clock);
            }
        }
        if self.full.len() <= index {
            self.full.resize(index + 1, 0);
        }
        self.full[index] += 1;
    }

    /// Finds what comes before the step at hand for other reasons than an object: its races are looked for.
    pub(super) fn find_base(&mut self, step: &Executed, picked: bool) {
        self.base
            .clone_from(&self.flows[step.worker.0 as usize].clock);
        if let Some(last) = self.events.last()
            && !picked
        {
            let [from, to] = last.clock;
            join(&mut self.base, &self.clocks[from as usize..to as usize]);
        }
        self.reached.clone_from(&self.base);
    }

    /// The accesses to an object of the step at hand; none if there were none.
    pub(super) fn history(&self, object: ObjectId) -> Option<&History> {
        let number = self.objects.find(object.key())?;
        self.histories.get(number as usize)
    }

    /// The step at hand has been carried out.
    pub(super) fn pass(&mut self, step: &Executed, node: Option<u32>) {
        let event = self.events.len() as u32;
        let index = step.worker.0 as usize;
        for (&number, &(_, access)) in self.numbers.iter().zip(&self.present) {
            self.histories[number as usize].add(event, access, &self.full);
        }
        let (clock, footprint) = (self.clocks.len() as u32, self.footprints.len() as u32);
        self.clocks.extend_from_slice(&self.full);
        self.footprints.extend_from_slice(&self.present);
        self.events.push(Event {
            worker: step.worker,
            operation: step.action.operation,
            object: step.action.accesses()[0].0,
            also: step.action.also,
            outcome: step.outcome,
            node,
            count: self.full[index],
            clock: [clock, self.clocks.len() as u32],
            footprint: [footprint, self.footprints.len() as u32],
        });
        let flow = &mut self.flows[index];
        flow.clock.clone_from(&self.full);
        flow.since = Some(event);
        flow.next = step.next;
        for follower in self.followers.drain(..) {
            let flow = &mut self.flows[follower.0 as usize];
            join(&mut flow.clock, &self.full);
            flow.since = Some(event);
        }
        self.is_between_steps = true;
    }

    /// The effects of a step that was picked, and of the unpicked steps after it.
    pub(super) fn footprint(&self, event: u32) -> &[(ObjectId, Access)] {
        let first = &self.events[event as usize];
        let later = &self.events[event as usize + 1..];
        let with_it = later.iter().take_while(|event| event.node.is_none());
        let last = with_it.last().unwrap_or(first);
        &self.footprints[first.footprint[0] as usize..last.footprint[1] as usize]
    }

    /// The last step has ended the iteration, although others could go on.
    pub(super) fn end_early(&mut self) {
        if let Some(last) = self.events.last_mut() {
            self.footprints.push((ObjectId::ITERATION, Access::Writes));
            last.footprint[1] += 1;
        }
    }

    /// True if the event comes before what has this clock, or is it.
    pub(super) fn is_before(&self, event: u32, clock: &[u32]) -> bool {
        let event = &self.events[event as usize];
        let seen = clock.get(event.worker.0 as usize);
        seen.is_some_and(|&seen| event.count <= seen)
    }

    /// The node that picked the worker's last step, if one did, or the pick that it went with.
    pub(super) fn last_node_of(&self, worker: WorkerId) -> Option<u32> {
        let last = self
            .events
            .iter()
            .rposition(|event| event.worker == worker)?;
        self.events[..=last]
            .iter()
            .rev()
            .find_map(|event| event.node)
    }

    /// How many steps the worker has made.
    pub(super) fn steps_of(&self, worker: WorkerId) -> u32 {
        let index = worker.0 as usize;
        self.flows[index].clock.get(index).copied().unwrap_or(0)
    }

    /// True if what the worker does next comes after the last step of the other one anyway.
    pub(super) fn comes_after_last_of(&self, worker: WorkerId, other: WorkerId) -> bool {
        let seen = self.flows[worker.0 as usize].clock.get(other.0 as usize);
        seen.is_some_and(|&seen| self.steps_of(other) <= seen)
    }

    /// Settles the event, which comes before the step at hand: true if nothing that was settled lies between.
    pub(super) fn settles(&mut self, event: u32) -> bool {
        if self.is_before(event, &self.reached) {
            return false;
        }
        let [from, to] = self.events[event as usize].clock;
        join(&mut self.reached, &self.clocks[from as usize..to as usize]);
        true
    }

    /// Finds the steps after the event that do not come after it in the order.
    pub(super) fn find_others(&self, event: usize, others: &mut Others) {
        others.beginners.clear();
        others.first_steps.clear();
        others.footprint.clear();
        let event = event as u32;
        for later in event + 1..self.events.len() as u32 {
            let Event {
                worker,
                clock: [from, to],
                footprint,
                ..
            } = self.events[later as usize];
            let clock = &self.clocks[from as usize..to as usize];
            if self.is_before(event, clock) {
                continue;
            }
            let mut steps = others.first_steps.iter();
            if !steps.any(|&step| self.is_before(step, clock)) {
                others.beginners.push(worker);
                others.first_steps.push(later);
            }
            let [from, to] = footprint;
            for &access in &self.footprints[from as usize..to as usize] {
                if !others.footprint.contains(&access) {
                    others.footprint.push(access);
                }
            }
        }
    }
}

/// The steps that can come before a step instead of after it.
#[derive(Debug, Default)]
pub(super) struct Others {
    /// The workers of those steps that come after none of the others.
    pub(super) beginners: Vec<WorkerId>,
    /// These steps.
    first_steps: Vec<u32>,
    /// The accesses of all of them.
    pub(super) footprint: Vec<(ObjectId, Access)>,
}

impl History {
    /// All steps that a step with this access may be dependent on.
    pub(super) fn opposed_to(&self, access: Access) -> &[(u32, Access)] {
        let commutes = self.access.is_some_and(|last| last.commutes_with(access));
        &self.steps[..if commutes {
            self.phase_from
        } else {
            self.steps.len()
        }]
    }

    fn clear(&mut self) {
        self.steps.clear();
        self.access = None;
        self.before.clear();
        self.phase.clear();
    }

    /// The clock of all steps that one with this access comes after.
    #[inline]
    fn clock_for(&self, access: Access) -> &[u32] {
        match self.access {
            Some(last) if last.commutes_with(access) => &self.before,
            _ => &self.phase,
        }
    }

    /// A step comes after those before it; `clock` says so.
    #[inline]
    fn add(&mut self, event: u32, access: Access, clock: &Clock) {
        if self.access.is_some_and(|last| last.commutes_with(access)) {
            join(&mut self.phase, clock);
        } else {
            std::mem::swap(&mut self.before, &mut self.phase);
            self.phase.clone_from(clock);
            self.access = Some(access);
            self.phase_from = self.steps.len();
        }
        self.steps.push((event, access));
    }
}

/// True for what a step does that ends the iteration while others could go on.
pub(super) fn ends_all(footprint: &[(ObjectId, Access)]) -> bool {
    footprint
        .iter()
        .any(|&(object, _)| object == ObjectId::ITERATION)
}

/// True for waits that end because somebody ends them, whatever the state of an object.
fn is_passive(waited: Operation) -> bool {
    waited.is_let_go() || waited.acts_first()
}
