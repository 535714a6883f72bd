//! A schedule as a partial order: what comes before what, by vector clocks.
//!
//! A step comes after the steps of its own worker, after those on the same object that it does not
//! commute with, and, if its worker was created or woken, after the step that did so. A task, and who polls
//! it, come after the step that gave them their turn.

use std::panic::Location;

use super::{Action, Executed, FirstUse, Next, TURNS, WorkerId};
use crate::operation::{Access, Operation};
use crate::trace::{Outcome, WorkerKind};

/// For each worker, by number: how many of its steps come before, or are the step itself.
type Clock = Vec<u32>;

/// The steps of a schedule so far, and their order.
#[derive(Debug, Default)]
pub(super) struct Execution {
    pub(super) events: Vec<Event>,
    clocks: Vec<u32>,
    footprints: Vec<(usize, Access)>,
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
    /// What the step at hand does beyond its operation.
    pub(super) touched: Vec<(usize, Access)>,
    /// What the step at hand does.
    pub(super) present: Vec<(usize, Access)>,
    /// What comes before it for other reasons than an object, and what comes before it at all.
    pub(super) base: Clock,
    full: Clock,
    /// What comes before it by way of steps that it is in a race with.
    reached: Clock,
}

/// A step that has been carried out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    worker: WorkerId,
    pub(super) operation: Operation,
    pub(super) refused: bool,
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

/// What a task does next that nobody has polled yet.
const FIRST_TURN: Next = Next::Waits(Action {
    operation: Operation::Start,
    object: 0,
    also: 0,
    site: Location::caller(),
});

/// What was done to an object.
#[derive(Debug, Default)]
pub(super) struct History {
    /// All steps, latest last.
    pub(super) steps: Vec<(u32, Access)>,
    /// What the last phase is made of: steps that commute with one another.
    access: Option<Access>,
    /// The clocks of all phases before the last joined, and of those of the last.
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
        self.is_between_steps = false;
    }

    /// The number of workers.
    pub(super) fn workers(&self) -> u32 {
        self.flow_count as u32
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
            // Its first step is about no object.
            WorkerKind::Thread => Next::Ends,
            WorkerKind::Task | WorkerKind::Root(_) | WorkerKind::WakeUp => FIRST_TURN,
        };
        self.flow_count += 1;
        self.followers.push(worker);
    }

    /// A worker is a candidate.
    pub(super) fn wake(&mut self, worker: WorkerId) {
        let flow = &mut self.flows[worker.0 as usize];
        if let Next::Waits(action) = flow.next
            && takes_turns(action.operation)
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
                also: 0,
                ..action
            };
            flow.next = Next::Goes(action);
        }
    }

    /// A worker is no candidate any more. True if it had a turn, which is lost.
    pub(super) fn leave(&mut self, worker: WorkerId) -> bool {
        let flow = &mut self.flows[worker.0 as usize];
        if let Next::Goes(action) = flow.next
            && takes_turns(action.operation)
        {
            flow.next = Next::Waits(action);
            return true;
        }
        false
    }

    /// What a worker would do next, as a step whose end is not known; none if it is about no object.
    pub(super) fn pending(&mut self, worker: WorkerId) -> Option<Executed> {
        let (action, resumed) = match self.flows[worker.0 as usize].next {
            Next::Goes(action) => (action, false),
            Next::Waits(action) if is_passive(action.operation) => return None,
            Next::Waits(action) if takes_turns(action.operation) => return None,
            Next::Waits(action) => (action, true),
            Next::Ends => return None,
        };
        if takes_turns(action.operation) {
            self.touched.push((TURNS, Access::Writes));
        }
        Some(Executed {
            step: 0,
            worker,
            action,
            outcome: Outcome::Done,
            read: None,
            written: None,
            resumed,
            next: Next::Ends,
        })
    }

    /// The step since which what the worker does next has been pending.
    pub(super) fn pending_since(&self, worker: WorkerId) -> Option<u32> {
        self.flows[worker.0 as usize].since
    }

    /// A step is at hand: finds what it does and what comes before it.
    pub(super) fn arrive(&mut self, step: &Executed) {
        let accesses = step.accesses();
        let own = accesses.iter().copied().filter(|&(object, _)| object != 0);
        self.present.clear();
        self.present.extend(own);
        self.present.append(&mut self.touched);
        let index = step.worker.0 as usize;
        self.base.clone_from(&self.flows[index].clock);
        self.full.clone_from(&self.base);
        for &(object, access) in &self.present {
            let number = self.objects.number(object as u64) as usize;
            if number == self.history_count {
                if number == self.histories.len() {
                    self.histories.push(History::default());
                }
                self.histories[number].clear();
                self.history_count += 1;
            }
            let history = &self.histories[number];
            join(&mut self.full, &history.before);
            if !history
                .access
                .is_some_and(|last| last.commutes_with(access))
            {
                join(&mut self.full, &history.phase);
            }
        }
        if self.full.len() <= index {
            self.full.resize(index + 1, 0);
        }
        self.full[index] += 1;
        self.reached.clone_from(&self.base);
    }

    /// What was done to an object of the step at hand; none if nothing was.
    pub(super) fn history(&self, object: usize) -> Option<&History> {
        let number = self.objects.find(object as u64)?;
        self.histories.get(number as usize)
    }

    /// The step at hand has been carried out.
    pub(super) fn pass(&mut self, step: &Executed, node: Option<u32>) {
        let event = self.events.len() as u32;
        let index = step.worker.0 as usize;
        for at in 0..self.present.len() {
            let (object, access) = self.present[at];
            let number = self.objects.number(object as u64) as usize;
            self.histories[number].add(event, access, &self.full);
        }
        let (clock, footprint) = (self.clocks.len() as u32, self.footprints.len() as u32);
        self.clocks.extend_from_slice(&self.full);
        self.footprints.extend_from_slice(&self.present);
        self.events.push(Event {
            worker: step.worker,
            operation: step.action.operation,
            refused: step.outcome == Outcome::Refused,
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

    /// What a step did that was picked, and with it those after it that nobody picked.
    pub(super) fn footprint(&self, event: u32) -> &[(usize, Access)] {
        let first = &self.events[event as usize];
        let later = &self.events[event as usize + 1..];
        let with_it = later.iter().take_while(|event| event.node.is_none());
        let last = with_it.last().unwrap_or(first);
        &self.footprints[first.footprint[0] as usize..last.footprint[1] as usize]
    }

    /// True if the event comes before what has this clock, or is it.
    pub(super) fn is_before(&self, event: u32, clock: &[u32]) -> bool {
        let event = &self.events[event as usize];
        let seen = clock.get(event.worker.0 as usize);
        seen.is_some_and(|&seen| event.count <= seen)
    }

    /// True if nothing that was settled keeps the event before the step at hand; settles the event, unless
    /// the step had to wait for it.
    pub(super) fn settles(&mut self, event: u32, reversible: bool) -> bool {
        if self.is_before(event, &self.reached) {
            return false;
        }
        if reversible {
            let [from, to] = self.events[event as usize].clock;
            join(&mut self.reached, &self.clocks[from as usize..to as usize]);
        }
        true
    }

    /// Finds the workers that can go first, in place of the event, towards the step at hand: those of which
    /// a step comes after none of the others, among those that do not come after the event.
    pub(super) fn find_initials(
        &self,
        event: usize,
        worker: WorkerId,
        initials: &mut Vec<WorkerId>,
        first_steps: &mut Vec<u32>,
    ) {
        initials.clear();
        first_steps.clear();
        let follows = |first_steps: &[u32], clock: &[u32]| {
            let mut steps = first_steps.iter();
            steps.any(|&step| self.is_before(step, clock))
        };
        let event = event as u32;
        for later in event + 1..self.events.len() as u32 {
            let [from, to] = self.events[later as usize].clock;
            let clock = &self.clocks[from as usize..to as usize];
            if !self.is_before(event, clock) && !follows(first_steps, clock) {
                initials.push(self.events[later as usize].worker);
                first_steps.push(later);
            }
        }
        if !follows(first_steps, &self.full) {
            initials.push(worker);
        }
    }
}

impl History {
    fn clear(&mut self) {
        self.steps.clear();
        self.access = None;
        self.before.clear();
        self.phase.clear();
    }

    fn add(&mut self, event: u32, access: Access, clock: &Clock) {
        if !self.access.is_some_and(|last| last.commutes_with(access)) {
            join(&mut self.before, &self.phase);
            self.phase.clear();
            self.access = Some(access);
        }
        join(&mut self.phase, clock);
        self.steps.push((event, access));
    }
}

/// True for waits that end because somebody ends them, whatever the state of an object.
fn is_passive(waited: Operation) -> bool {
    matches!(
        waited,
        Operation::Wait
            | Operation::WaitTimeout
            | Operation::BarrierWait
            | Operation::FutexWait
            | Operation::Sleep
    )
}

/// True for what a task, or who polls it, does at the beginning of a turn: it can, once it has been polled,
/// or the poll is over, or somebody needs it for a wake-up.
fn takes_turns(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Start | Operation::Await | Operation::Poll
    )
}

fn join(clock: &mut Clock, other: &[u32]) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    for (mine, &theirs) in clock.iter_mut().zip(other) {
        *mine = theirs.max(*mine);
    }
}
