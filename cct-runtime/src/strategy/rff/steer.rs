//! Steering one execution towards constraints, and at random where they say nothing.

use super::super::first_use::mix;
use super::super::{Action, Candidates, Executed, FirstUse, Next, Reason, Rng, WorkerId};
use super::constraints::{AVOIDED, Constraints, NEUTRAL};
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
    }

    /// A random number below `n`.
    pub(super) fn below(&mut self, n: u32) -> u32 {
        self.rng.below(n)
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
        let before = state.last;
        let mut is_changed = self.constraints.demands(event);
        if role.reads && state.writer != executed.worker {
            let pair = Pair {
                write: before,
                read: event,
            };
            coverage.realise(pair);
            is_changed |= self.constraints.meet(pair);
        }
        if writes {
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
