//! Steering one execution towards constraints, and at random where they say nothing.

use super::super::first_use::mix;
use super::super::{Action, Candidates, Executed, FirstUse, Next, Reason, Rng, WorkerId};
use super::constraints::{AVOIDED, Constraints, NEUTRAL, WANTED};
use super::corpus::Constraint;
use super::coverage::{Coverage, Pair};
use super::event::{Event, Events};
use super::object::Object;
use crate::trace::Outcome;

/// Keys order candidates: first by what the constraints say of their next step, then at random. Workers
/// that gave way come last, the latest at the very last.
const GAVE_WAY: u64 = 1 << 40;
/// Where the random part of a key begins.
const RANDOM: u64 = (1 << 62) - 1;

const NOWHERE: u32 = u32::MAX;

/// An object by number, and whether it is written to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Target(u32);

impl Target {
    const NOTHING: Target = Target(u32::MAX);

    #[inline]
    fn new(object: u32, writes: bool) -> Target {
        Target(object << 1 | u32::from(writes))
    }

    #[inline]
    fn object(self) -> u32 {
        self.0 >> 1
    }

    /// The reads and writes that race with an access to the object, with a bit set where both do.
    #[inline]
    fn raced(object: u32, writes: bool) -> (u32, u32) {
        (object << 1 | 1, u32::from(writes))
    }

    /// True for an access to the object that races with one that writes, or does not.
    #[inline]
    fn races(self, object: u32, writes: bool) -> bool {
        self.object() == object && (self.0 & 1 != 0 || writes)
    }
}

/// The execution under way.
#[derive(Debug)]
pub(super) struct Steering {
    rng: Rng,
    constraints: Constraints,
    /// By worker number: its place among the candidates.
    places: Vec<u32>,
    /// Candidates, in arrays of their own since most looks are at one property of all.
    workers: Vec<WorkerId>,
    keys: Vec<u64>,
    targets: Vec<Target>,
    events: Vec<Event>,
    /// The place with the highest key, the first of several; none if that has to be looked for.
    leader: Option<usize>,
    /// Candidates whose next step has not been looked at.
    stale: Vec<WorkerId>,
    next_given_way: u64,
    /// Objects by address, numbered as they come.
    numbers: FirstUse,
    states: Vec<Object>,
    /// The worker that was picked last.
    picked: WorkerId,
    /// Some loads have read older stores than the latest, so that these are kept.
    is_weak: bool,
    /// The load under way reads the store before so many others.
    back: u32,
}

impl Steering {
    pub(super) fn new() -> Steering {
        Steering {
            rng: Rng::new(0),
            constraints: Constraints::default(),
            places: Vec::new(),
            workers: Vec::new(),
            keys: Vec::new(),
            targets: Vec::new(),
            events: Vec::new(),
            leader: None,
            stale: Vec::new(),
            next_given_way: GAVE_WAY,
            numbers: FirstUse::default(),
            states: Vec::new(),
            picked: WorkerId(0),
            is_weak: false,
            back: 0,
        }
    }

    /// Begins an execution that is to meet these constraints.
    pub(super) fn begin(&mut self, seed: u64, constraints: &[Constraint]) {
        self.rng = Rng::new(seed);
        self.constraints.set(constraints);
        self.places.clear();
        self.workers.clear();
        self.keys.clear();
        self.targets.clear();
        self.events.clear();
        self.leader = None;
        self.stale.clear();
        self.next_given_way = GAVE_WAY;
        self.numbers.clear();
        self.states.clear();
        self.back = 0;
    }

    /// This worker is picked.
    #[inline]
    pub(super) fn note_pick(&mut self, worker: WorkerId) {
        self.picked = worker;
    }

    /// A random number below `n`.
    pub(super) fn below(&mut self, n: u32) -> u32 {
        self.rng.below(n)
    }

    /// One of the `n` stores that the load under way may read, from the latest on: one that the constraints
    /// want, else the one that was drawn, unless they avoid that.
    pub(super) fn choose_store(&mut self, n: u32, drawn: u32) -> u32 {
        self.is_weak = true;
        self.back = self.wanted_store(n, drawn).unwrap_or(drawn);
        self.back
    }

    fn wanted_store(&mut self, n: u32, drawn: u32) -> Option<u32> {
        let place = self.place(self.picked)?;
        let (target, event) = (self.targets[place], self.events[place]);
        if target == Target::NOTHING || self.constraints.reads(event) == 0 {
            return None;
        }
        let state = &self.states[target.object() as usize];
        let rank = |back| self.constraints.rank(event, false, state.write(back), 0);
        let mut best = Vec::with_capacity(n as usize);
        best.extend((0..n).filter(|&back| rank(back) == WANTED));
        if best.is_empty() && rank(drawn) == AVOIDED {
            best.extend((0..n).filter(|&back| rank(back) != AVOIDED));
        }
        let number = u32::try_from(best.len()).unwrap_or(0);
        (number > 0).then(|| best[self.rng.below(number) as usize])
    }

    /// A worker is a candidate from here on.
    pub(super) fn insert(&mut self, worker: WorkerId) {
        let index = worker.0 as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, NOWHERE);
        }
        self.places[index] = self.workers.len() as u32;
        self.workers.push(worker);
        self.keys.push(0);
        self.targets.push(Target::NOTHING);
        self.events.push(Event::OTHER);
        self.leader = None;
        self.stale.push(worker);
    }

    /// A worker is no longer a candidate.
    pub(super) fn remove(&mut self, worker: WorkerId) {
        let place = std::mem::replace(&mut self.places[worker.0 as usize], NOWHERE) as usize;
        self.workers.swap_remove(place);
        self.keys.swap_remove(place);
        self.targets.swap_remove(place);
        self.events.swap_remove(place);
        self.leader = None;
        if let Some(moved) = self.workers.get(place) {
            self.places[moved.0 as usize] = place as u32;
        }
    }

    /// The candidate that the constraints want most.
    pub(super) fn pick(&mut self, candidates: &dyn Candidates, events: &mut Events) -> WorkerId {
        while let Some(worker) = self.stale.pop() {
            if let Some(place) = self.place(worker) {
                self.look(place, &candidates.pending(worker), None, events);
            }
        }
        if candidates.reason() == Reason::Yield
            && let Some(place) = self.place(candidates.current())
        {
            self.keys[place] = 0;
            self.leader = None;
            let worker = self.highest();
            self.next_given_way -= 1;
            self.keys[place] = self.next_given_way;
            self.leader = None;
            worker
        } else {
            self.highest()
        }
    }

    /// A step has been carried out.
    pub(super) fn step(
        &mut self,
        executed: &Executed,
        events: &mut Events,
        coverage: &mut Coverage,
    ) {
        let place = self.place(executed.worker);
        let (target, event) = match place {
            Some(place) if self.stale.is_empty() => (self.targets[place], self.events[place]),
            _ => self.identify(&executed.action, events),
        };
        if let Some(place) = place {
            // Not among those that its step is compared with.
            self.targets[place] = Target::NOTHING;
        }
        if target != Target::NOTHING && !is_in_vain(executed) {
            self.account(executed, place, target.object(), event, events, coverage);
        }
        let (Some(place), Next::Goes(next)) = (place, executed.next) else {
            self.leader = None;
            return;
        };
        let is_same = next.object == executed.action.object
            && next.operation == executed.action.operation
            && std::ptr::eq(next.site, executed.action.site);
        let known = is_same.then_some((target, event));
        self.look(place, &next, known, events);
    }

    /// The access of a step to an object, and to the pending operations of others on it.
    #[inline]
    fn account(
        &mut self,
        executed: &Executed,
        place: Option<usize>,
        object: u32,
        event: Event,
        events: &Events,
        coverage: &mut Coverage,
    ) {
        let role = events.role(event);
        let writes = role.writes && executed.outcome != Outcome::Refused;
        let state = &mut self.states[object as usize];
        state.learn(event, executed.worker, events, coverage);
        let (before, back) = (state.last, std::mem::take(&mut self.back));
        let mut is_changed = self.constraints.demands(event);
        if role.reads && (back > 0 || state.writer != executed.worker) {
            let pair = Pair {
                write: state.write(back),
                read: event,
            };
            coverage.realise(pair);
            is_changed |= self.constraints.meet(pair);
        }
        if writes {
            if self.is_weak {
                state.keep_last();
            }
            (state.last, state.writer) = (event, executed.worker);
        }
        is_changed |= state.last != before;
        self.draw_again(place, object, writes);
        if is_changed && !self.constraints.is_empty() {
            self.rank(object);
        }
    }

    /// Gives new random keys to those that race with a step, as partial-order sampling does, and finds who
    /// leads then, but for the one at `place`, who made the step.
    #[inline]
    fn draw_again(&mut self, place: Option<usize>, object: u32, writes: bool) {
        let salt = self.rng.bits();
        let (raced, of_all) = Target::raced(object, writes);
        // It is not to lead.
        let kept = place.map(|place| std::mem::take(&mut self.keys[place]));
        let (mut leader, mut highest) = (0, 0);
        for (place, (key, target)) in self.keys.iter_mut().zip(&self.targets).enumerate() {
            if target.0 | of_all == raced {
                let rank = match *key & !RANDOM {
                    // A worker that gave way finds a change.
                    0 => NEUTRAL,
                    rank => rank,
                };
                *key = rank | (mix(salt ^ place as u64) & RANDOM);
            }
            if *key > highest {
                (leader, highest) = (place, *key);
            }
        }
        if let (Some(place), Some(kept)) = (place, kept) {
            self.keys[place] = kept;
        }
        self.leader = Some(leader);
    }

    /// Looks at a candidate's next step, of which it may be known what it is.
    #[inline]
    fn look(
        &mut self,
        place: usize,
        action: &Action,
        known: Option<(Target, Event)>,
        events: &mut Events,
    ) {
        let (target, event) = known.unwrap_or_else(|| self.identify(action, events));
        (self.targets[place], self.events[place]) = (target, event);
        self.keys[place] = NEUTRAL | (self.rng.bits() & RANDOM);
        if target != Target::NOTHING && !self.constraints.is_empty() {
            self.rank_new(place, target.object());
        }
        if let Some(leader) = self.leader {
            let (key, highest) = (self.keys[place], self.keys[leader]);
            if leader == place {
                self.leader = None;
            } else if key > highest || (key == highest && place < leader) {
                self.leader = Some(place);
            }
        }
    }

    /// Ranks a candidate whose next step is new, and the others if it is awaited.
    fn rank_new(&mut self, place: usize, object: u32) {
        let event = self.events[place];
        let (reads_of, writes_of) = self.constraints.of(event);
        if (reads_of | writes_of) & self.constraints.positive == 0 {
            let last = self.states[object as usize].last;
            let writes = self.targets[place].races(object, false);
            let rank = self.constraints.rank(event, writes, last, 0);
            self.keys[place] = rank | (self.keys[place] & RANDOM);
        } else {
            self.rank(object);
        }
    }

    /// Ranks all whose next step is about an object.
    fn rank(&mut self, object: u32) {
        let mut awaited = 0;
        for (place, target) in self.targets.iter().enumerate() {
            if target.object() == object {
                awaited |= self.constraints.reads(self.events[place]);
            }
        }
        let last = self.states[object as usize].last;
        // Most are about to do the same.
        let mut known = None;
        for (place, key) in self.keys.iter_mut().enumerate() {
            let target = self.targets[place];
            if target.object() == object && *key >= AVOIDED {
                let event = self.events[place];
                let rank = match known {
                    Some((known, rank)) if known == (event, target) => rank,
                    _ => {
                        let writes = target.races(object, false);
                        self.constraints.rank(event, writes, last, awaited)
                    }
                };
                known = Some(((event, target), rank));
                *key = rank | (*key & RANDOM);
            }
        }
        self.leader = None;
    }

    fn identify(&mut self, action: &Action, events: &mut Events) -> (Target, Event) {
        let event = events.of(action);
        if event == Event::OTHER {
            return (Target::NOTHING, event);
        }
        let [(object, _), _] = action.accesses();
        let object = self.numbers.number(object.key());
        if object as usize == self.states.len() {
            self.states.push(Object::new());
        }
        (Target::new(object, events.role(event).writes), event)
    }

    #[inline]
    fn place(&self, worker: WorkerId) -> Option<usize> {
        match self.places[worker.0 as usize] {
            NOWHERE => None,
            place => Some(place as usize),
        }
    }

    #[inline]
    fn highest(&mut self) -> WorkerId {
        let leader = match self.leader {
            Some(leader) => leader,
            None => self.find_leader(),
        };
        self.leader = Some(leader);
        self.workers[leader]
    }

    fn find_leader(&self) -> usize {
        let (mut leader, mut highest) = (0, 0);
        for (place, &key) in self.keys.iter().enumerate() {
            if key > highest {
                (leader, highest) = (place, key);
            }
        }
        leader
    }
}

/// True if a worker came for what another one took, and waits again.
fn is_in_vain(executed: &Executed) -> bool {
    let operation = executed.action.operation;
    operation.competes()
        && matches!(executed.next, Next::Waits(next) if next.operation == operation)
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::super::super::script::action;
    use super::*;
    use crate::operation::Operation;

    /// Two stores, and a load that may read either, or what was there before.
    fn chosen(demands: &[(usize, bool)], drawn: u32) -> u32 {
        let first = action(Operation::Store, 8, Location::caller());
        let second = action(Operation::Swap, 8, Location::caller());
        let load = action(Operation::Load, 8, Location::caller());
        let (mut events, mut coverage) = (Events::new(), Coverage::new());
        let writes = [events.of(&first), events.of(&second), Event::INITIAL];
        let read = events.of(&load);
        let constraints: Vec<Constraint> = demands
            .iter()
            .map(|&(write, is_positive)| Constraint {
                pair: Pair {
                    write: writes[write],
                    read,
                },
                is_positive,
            })
            .collect();
        let mut steering = Steering::new();
        steering.begin(1, &constraints);
        steering.is_weak = true;
        for worker in [0, 1] {
            steering.insert(WorkerId(worker));
        }
        let executed = |action, next| Executed {
            step: 1,
            worker: WorkerId(0),
            action,
            outcome: Outcome::Done,
            read: None,
            written: None,
            resumed: false,
            next,
        };
        steering.stale.clear();
        steering.look(0, &first, None, &mut events);
        steering.look(1, &load, None, &mut events);
        let steps = [(first, Next::Goes(second)), (second, Next::Ends)];
        for (action, next) in steps {
            steering.step(&executed(action, next), &mut events, &mut coverage);
        }
        steering.remove(WorkerId(0));
        steering.note_pick(WorkerId(1));
        steering.choose_store(3, drawn)
    }

    #[test]
    fn loads_read_the_stores_that_are_demanded() {
        let (first, second, initial) = (0, 1, 2);
        assert_eq!(chosen(&[], 0), 0);
        assert_eq!(chosen(&[], 2), 2);
        assert_eq!(chosen(&[(second, true)], 2), 0);
        assert_eq!(chosen(&[(first, true)], 0), 1);
        assert_eq!(chosen(&[(initial, true)], 0), 2);
        assert_ne!(chosen(&[(second, false)], 0), 0);
        assert_eq!(chosen(&[(second, false), (first, false)], 0), 2);
    }
}
