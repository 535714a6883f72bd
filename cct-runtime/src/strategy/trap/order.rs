//! The order of a schedule's steps by vector clocks, and its near misses: steps that conflict, and that
//! nothing but their conflict orders.
//!
//! Of each object the last steps are kept, and not the whole schedule, as for DPOR: nothing is to be
//! reversed.

use super::super::clock::{Clock, join};
use super::super::{Beyond, Executed, FirstUse, Next, WorkerId};
use crate::operation::Access;

/// The steps of a schedule so far.
#[derive(Default, Debug)]
pub(super) struct Order {
    /// By worker; those beyond the count are kept for later schedules, here and below.
    flows: Vec<Flow>,
    flow_count: usize,
    objects: FirstUse,
    histories: Vec<History>,
    history_count: usize,
    /// Workers that the step at hand creates or lets go.
    followers: Vec<WorkerId>,
    /// The objects of the step at hand, by number, each with the access to it, and the place if the operation
    /// is about it: what it does beside that waits for nobody.
    present: Vec<(usize, Access, Option<u32>)>,
    /// The steps that come before the step at hand for other reasons than its objects.
    base: Clock,
}

/// A worker.
#[derive(Default, Debug)]
struct Flow {
    clock: Clock,
    /// It waits for somebody who lets it go.
    is_let_go: bool,
}

/// The accesses to an object.
#[derive(Default, Debug)]
struct History {
    /// All that comes before steps that do not commute with one of this kind, by kind.
    clocks: [Clock; 3],
    /// The last one of each worker at each place, latest last.
    visits: Vec<Visit>,
}

/// An access to an object.
#[derive(Clone, Copy, Debug)]
struct Visit {
    worker: usize,
    /// How many steps its worker had made with it.
    count: u32,
    access: Access,
    place: u32,
}

/// The most accesses of an object that are remembered.
const VISITS: usize = 16;
const KINDS: [Access; 3] = [Access::Reads, Access::Adds, Access::Writes];

impl Order {
    /// Forgets everything; memory is kept.
    pub(super) fn begin(&mut self) {
        self.flow_count = 0;
        self.objects.clear();
        self.history_count = 0;
        self.followers.clear();
    }

    /// The step at hand creates a worker.
    pub(super) fn create(&mut self, worker: WorkerId) {
        if self.flow_count == self.flows.len() {
            self.flows.push(Flow::default());
        }
        let flow = &mut self.flows[self.flow_count];
        flow.clock.clear();
        flow.is_let_go = false;
        self.flow_count += 1;
        self.followers.push(worker);
    }

    /// A worker can go on.
    pub(super) fn wake(&mut self, worker: WorkerId) {
        if std::mem::take(&mut self.flows[worker.0 as usize].is_let_go) {
            self.followers.push(worker);
        }
    }

    /// A step has been carried out, at this place if it is one to be held at. Calls `near` with its place
    /// and that of each step that was near.
    pub(super) fn pass(
        &mut self,
        executed: &Executed,
        beyond: &Beyond<'_>,
        place: Option<u32>,
        mut near: impl FnMut(u32, u32),
    ) {
        let worker = executed.worker.0 as usize;
        self.find_objects(executed, beyond, place);
        self.base.clone_from(&self.flows[worker].clock);
        let clock = &mut self.flows[worker].clock;
        if clock.len() <= worker {
            clock.resize(worker + 1, 0);
        }
        clock[worker] += 1;
        let count = clock[worker];
        for &(object, access, place) in &self.present {
            let history = &self.histories[object];
            let opposed = |kind: &Access| !kind.commutes_with(access);
            for (kind, theirs) in KINDS.iter().zip(&history.clocks) {
                if opposed(kind) {
                    join(clock, theirs);
                }
            }
            let visits = history.visits.iter();
            let visits = visits.filter(|visit| visit.worker != worker && opposed(&visit.access));
            for visit in visits {
                let is_before = self.base.get(visit.worker).copied().unwrap_or(0) >= visit.count;
                if let (false, Some(place)) = (is_before, place) {
                    near(visit.place, place);
                }
            }
        }
        for &(object, access, place) in &self.present {
            let history = &mut self.histories[object];
            join(&mut history.clocks[access as usize], clock);
            if let Some(place) = place {
                history.note(Visit {
                    worker,
                    count,
                    access,
                    place,
                });
            }
        }
        self.flows[worker].is_let_go = match executed.next {
            Next::Waits(action) => {
                let operation = action.operation;
                operation.is_let_go() || operation.acts_first() || operation.takes_turns()
            }
            Next::Goes(_) | Next::Ends => false,
        };
        let clock = std::mem::take(&mut self.flows[worker].clock);
        for follower in self.followers.drain(..) {
            join(&mut self.flows[follower.0 as usize].clock, &clock);
        }
        self.flows[worker].clock = clock;
    }

    fn find_objects(&mut self, executed: &Executed, beyond: &Beyond<'_>, place: Option<u32>) {
        self.present.clear();
        let [own, other] = executed.accesses();
        let others = [other].into_iter().chain(beyond.touched.iter().copied());
        let all = [(own, place)]
            .into_iter()
            .chain(others.map(|other| (other, None)));
        for ((object, access), place) in all.filter(|((object, _), _)| !object.is_none()) {
            let number = self.objects.number(object.key()) as usize;
            if number == self.history_count {
                if number == self.histories.len() {
                    self.histories.push(History::default());
                }
                self.histories[number].clear();
                self.history_count += 1;
            }
            self.present.push((number, access, place));
        }
    }
}

impl History {
    fn clear(&mut self) {
        self.clocks.iter_mut().for_each(Clock::clear);
        self.visits.clear();
    }

    fn note(&mut self, visit: Visit) {
        let is_same = |it: &Visit| (it.worker, it.place) == (visit.worker, visit.place);
        if let Some(index) = self.visits.iter().position(is_same) {
            self.visits.remove(index);
        } else if self.visits.len() == VISITS {
            self.visits.remove(0);
        }
        self.visits.push(visit);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::super::super::stage::executed;
    use super::super::super::{Action, Rng};
    use super::*;
    use crate::object::ObjectId;
    use crate::operation::Operation;

    fn step(worker: u32, operation: Operation, object: usize) -> Executed {
        let action = Action {
            operation,
            object: ObjectId::sample(object),
            also: ObjectId::NONE,
            site: Location::caller(),
        };
        executed(worker, 0, action)
    }

    /// Steps that conflict are near if no chain of other conflicts leads from one to the other: compared with
    /// a search through all chains.
    #[test]
    fn near_misses_are_conflicts_that_nothing_else_orders() {
        const OPERATIONS: [Operation; 3] = [Operation::Load, Operation::Store, Operation::Unpark];
        let mut rng = Rng::new(11);
        let (mut order, mut seen) = (Order::default(), 0);
        for _ in 0..500 {
            order.begin();
            (0..3).for_each(|worker| order.create(WorkerId(worker)));
            order.followers.clear();
            let mut steps: Vec<Executed> = Vec::new();
            for place in 0..12 {
                let (worker, object) = (rng.below(3), 8 + 8 * rng.below(2) as usize);
                let executed = step(worker, OPERATIONS[rng.below(3) as usize], object);
                let mut found = Vec::new();
                order.pass(&executed, &Beyond::default(), Some(place), |one, _| {
                    found.push(one);
                });
                steps.push(executed);
                let now = place as usize;
                let leads = |from: usize, to: usize| {
                    let (from, to) = (&steps[from], &steps[to]);
                    from.worker == to.worker || from.action.conflicts_with(&to.action)
                };
                for before in 0..now {
                    if steps[before].worker == steps[now].worker || !leads(before, now) {
                        continue;
                    }
                    // All that leads to the last step of the same worker is ordered.
                    let mut reached = vec![false; now];
                    reached[before] = true;
                    for at in before + 1..now {
                        reached[at] = (before..at).any(|it| reached[it] && leads(it, at));
                    }
                    let own = (before + 1..now).rev();
                    let mut own = own.filter(|&at| steps[at].worker == steps[now].worker);
                    let is_ordered = own.next().is_some_and(|at| reached[at]);
                    assert_eq!(found.contains(&(before as u32)), !is_ordered);
                    seen += usize::from(!is_ordered);
                }
            }
        }
        assert!(seen > 1000, "{seen}");
    }

    #[test]
    fn a_worker_comes_after_who_made_it() {
        let mut order = Order::default();
        order.begin();
        order.create(WorkerId(0));
        let none = |_, _| panic!("they are ordered");
        let beyond = Beyond::default();
        order.pass(&step(0, Operation::Store, 8), &beyond, Some(1), none);
        order.create(WorkerId(1));
        order.pass(&step(0, Operation::Spawn, 0), &beyond, None, none);
        order.pass(&step(1, Operation::Store, 8), &beyond, Some(2), none);
    }
}
