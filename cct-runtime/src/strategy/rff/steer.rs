//! Steering one execution towards constraints, and at random where they say nothing.

use super::super::first_use::mix;
use super::super::{Action, Candidates, Executed, FirstUse, Next, Reason, Rng, WorkerId};
use super::corpus::Constraint;
use super::coverage::{Coverage, Pair};
use super::event::{Event, Events};
use crate::trace::Outcome;

/// Keys order candidates: first by what the constraints say of their next step, then at random. Who gave
/// way comes last, the latest at the very last.
const GAVE_WAY: u64 = 1 << 40;
const AVOIDED: u64 = 1 << 62;
const NEUTRAL: u64 = 2 << 62;
const WANTED: u64 = 3 << 62;
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
    /// Candidates whose next step has not been looked at.
    stale: Vec<WorkerId>,
    next_given_way: u64,
    /// Objects by address, numbered as they come.
    numbers: FirstUse,
    states: Vec<Object>,
}

/// The last write to an object, and who accessed it.
#[derive(Clone, Copy, Debug)]
struct Object {
    last: Event,
    writer: WorkerId,
    accesses: [(Event, u16); 8],
    count: u8,
}

/// In the place of a worker: several.
const SEVERAL: u16 = u16::MAX;

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
        self.stale.push(worker);
    }

    /// A worker is none any more.
    pub(super) fn remove(&mut self, worker: WorkerId) {
        let place = std::mem::replace(&mut self.places[worker.0 as usize], NOWHERE) as usize;
        self.workers.swap_remove(place);
        self.keys.swap_remove(place);
        self.targets.swap_remove(place);
        self.events.swap_remove(place);
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
            let worker = self.highest();
            self.next_given_way -= 1;
            self.keys[place] = self.next_given_way;
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
            self.account(executed, target.object(), event, events, coverage);
        }
        let (Some(place), Next::Goes(next)) = (place, executed.next) else {
            return;
        };
        let is_same = next.object == executed.action.object
            && next.operation == executed.action.operation
            && std::ptr::eq(next.site, executed.action.site);
        let known = is_same.then_some((target, event));
        self.look(place, &next, known, events);
    }

    /// What a step does to an object, and to what others are about to do to it.
    #[inline]
    fn account(
        &mut self,
        executed: &Executed,
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
        self.draw_again(object, writes);
        if is_changed && !self.constraints.is_empty() {
            self.rank(object);
        }
    }

    /// Gives new random keys to those that race with a step, as partial-order sampling does.
    #[inline]
    fn draw_again(&mut self, object: u32, writes: bool) {
        let salt = self.rng.bits();
        for (place, key) in self.keys.iter_mut().enumerate() {
            if self.targets[place].races(object, writes) {
                let rank = match *key & !RANDOM {
                    // Who gave way finds a change.
                    0 => NEUTRAL,
                    rank => rank,
                };
                *key = rank | (mix(salt ^ place as u64) & RANDOM);
            }
        }
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
        for (place, key) in self.keys.iter_mut().enumerate() {
            let target = self.targets[place];
            if target.object() == object && *key >= AVOIDED {
                let writes = target.races(object, false);
                let rank = self
                    .constraints
                    .rank(self.events[place], writes, last, awaited);
                *key = rank | (*key & RANDOM);
            }
        }
    }

    fn identify(&mut self, action: &Action, events: &mut Events) -> (Target, Event) {
        let event = events.of(action);
        if event == Event::OTHER {
            return (Target::NOTHING, event);
        }
        let [(object, _), _] = action.accesses();
        let object = self.numbers.number(object as u64);
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

    fn highest(&self) -> WorkerId {
        let mut best = 0;
        for place in 1..self.keys.len() {
            if self.keys[place] > self.keys[best] {
                best = place;
            }
        }
        self.workers[best]
    }
}

impl Object {
    fn new() -> Object {
        Object {
            last: Event::INITIAL,
            // Nobody: reading what an object began with is always news from elsewhere.
            writer: WorkerId(u32::MAX),
            accesses: [(Event::INITIAL, 0); 8],
            count: 0,
        }
    }

    /// Notes who accesses the object, and which pairs can come of that.
    #[inline]
    fn learn(&mut self, event: Event, worker: WorkerId, events: &Events, coverage: &mut Coverage) {
        let worker = worker.0.min(u32::from(SEVERAL) - 1) as u16;
        let known = &self.accesses[..usize::from(self.count)];
        let is_known =
            |&(other, who): &(Event, u16)| other == event && (who == worker || who == SEVERAL);
        if !known.iter().any(is_known) {
            self.learn_new(event, worker, events, coverage);
        }
    }

    #[cold]
    fn learn_new(&mut self, event: Event, worker: u16, events: &Events, coverage: &mut Coverage) {
        let count = usize::from(self.count);
        let mut is_listed = false;
        for (other, who) in &mut self.accesses[..count] {
            if *who != worker {
                for (write, read) in [(event, *other), (*other, event)] {
                    if events.role(write).writes && events.role(read).reads {
                        coverage.add(Pair { write, read });
                    }
                }
            }
            if *other == event {
                (*who, is_listed) = (SEVERAL, true);
            }
        }
        if !is_listed && count < self.accesses.len() {
            self.accesses[count] = (event, worker);
            self.count += 1;
        }
    }
}

/// True if a worker came for what another one took, and waits again.
fn is_in_vain(executed: &Executed) -> bool {
    let operation = executed.action.operation;
    operation.competes()
        && matches!(executed.next, Next::Waits(next) if next.operation == operation)
}

/// Constraints as sets, one bit each.
#[derive(Default, Debug)]
struct Constraints {
    /// By event: those whose read, and whose write, it is.
    by_event: Vec<(u32, u32)>,
    list: Vec<Constraint>,
    positive: u32,
    /// Those that still matter: what is demanded has not come yet.
    active: u32,
}

impl Constraints {
    fn set(&mut self, constraints: &[Constraint]) {
        for old in self.list.drain(..) {
            self.by_event[old.pair.read.index()] = (0, 0);
            self.by_event[old.pair.write.index()] = (0, 0);
        }
        (self.positive, self.active) = (0, 0);
        for (index, new) in constraints.iter().enumerate() {
            let bit = 1 << index;
            let most = new.pair.read.index().max(new.pair.write.index());
            if self.by_event.len() <= most {
                self.by_event.resize(most + 1, (0, 0));
            }
            self.by_event[new.pair.read.index()].0 |= bit;
            self.by_event[new.pair.write.index()].1 |= bit;
            self.active |= bit;
            if new.is_positive {
                self.positive |= bit;
            }
        }
        self.list.extend_from_slice(constraints);
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    #[inline]
    fn of(&self, event: Event) -> (u32, u32) {
        self.by_event
            .get(event.index())
            .copied()
            .unwrap_or_default()
    }

    /// The constraints whose read an event is.
    #[inline]
    fn reads(&self, event: Event) -> u32 {
        self.of(event).0 & self.active
    }

    /// True if an event is a read that is demanded.
    #[inline]
    fn demands(&self, event: Event) -> bool {
        self.reads(event) & self.positive != 0
    }

    /// The read took the value of the write: what demanded that is satisfied. True if anything did.
    #[inline]
    fn meet(&mut self, pair: Pair) -> bool {
        let met = self.of(pair.read).0 & self.of(pair.write).1 & self.positive & self.active;
        self.active &= !met;
        met != 0
    }

    /// What the constraints say of a step that is about an object: `event`, after `last` was written,
    /// with the reads of `awaited` ready to be made.
    #[inline]
    fn rank(&self, event: Event, writes: bool, last: Event, awaited: u32) -> u64 {
        let (reads_of, writes_of) = self.of(event);
        let (reads_of, writes_of) = (reads_of & self.active, writes_of & self.active);
        let holds = self.of(last).1 & self.active;
        let (demanded, forbidden) = (self.positive, !self.positive);
        // A read is wanted where it reads what is demanded, or anything but what is forbidden.
        let mut wanted = reads_of & (demanded & holds | forbidden & !holds);
        let mut avoided = reads_of & (demanded & !holds | forbidden & holds);
        // A write is wanted where its read waits for it, and avoided where that must not see it.
        wanted |= writes_of & demanded & !holds & awaited;
        avoided |= writes_of & forbidden & !holds;
        if writes {
            // So is what would hide what is demanded, and what hides what is forbidden.
            avoided |= demanded & holds & !writes_of;
            wanted |= forbidden & holds & !writes_of;
        }
        match (wanted, avoided) {
            (0, 1..) => AVOIDED,
            (1.., 0) => WANTED,
            _ => NEUTRAL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITE: Event = Event(2);
    const OTHER_WRITE: Event = Event(3);
    const READ: Event = Event(4);

    fn constraints(is_positive: bool) -> Constraints {
        let mut constraints = Constraints::default();
        constraints.set(&[Constraint {
            pair: Pair {
                write: WRITE,
                read: READ,
            },
            is_positive,
        }]);
        constraints
    }

    #[test]
    fn what_is_demanded_is_brought_about() {
        let mut demand = constraints(true);
        let awaited = demand.reads(READ);
        // The read waits for its write, which comes first if somebody waits.
        assert_eq!(demand.rank(READ, false, Event::INITIAL, awaited), AVOIDED);
        assert_eq!(demand.rank(WRITE, true, Event::INITIAL, awaited), WANTED);
        assert_eq!(demand.rank(WRITE, true, Event::INITIAL, 0), NEUTRAL);
        let other = |constraints: &Constraints, last| constraints.rank(OTHER_WRITE, true, last, 1);
        assert_eq!(other(&demand, Event::INITIAL), NEUTRAL);
        // The value is there: nobody hides it until it is read.
        assert_eq!(demand.rank(READ, false, WRITE, awaited), WANTED);
        assert_eq!(demand.rank(WRITE, true, WRITE, awaited), NEUTRAL);
        assert_eq!(other(&demand, WRITE), AVOIDED);
        demand.meet(Pair {
            write: OTHER_WRITE,
            read: READ,
        });
        assert_eq!(other(&demand, WRITE), AVOIDED);
        demand.meet(Pair {
            write: WRITE,
            read: READ,
        });
        assert_eq!(other(&demand, WRITE), NEUTRAL);
        assert_eq!(demand.rank(READ, false, OTHER_WRITE, 0), NEUTRAL);
    }

    #[test]
    fn what_is_forbidden_is_kept_from_happening() {
        let mut forbid = constraints(false);
        assert_eq!(forbid.rank(READ, false, Event::INITIAL, 1), WANTED);
        assert_eq!(forbid.rank(WRITE, true, Event::INITIAL, 1), AVOIDED);
        assert_eq!(forbid.rank(OTHER_WRITE, true, Event::INITIAL, 1), NEUTRAL);
        assert_eq!(forbid.rank(READ, false, WRITE, 1), AVOIDED);
        assert_eq!(forbid.rank(WRITE, true, WRITE, 1), NEUTRAL);
        assert_eq!(forbid.rank(OTHER_WRITE, true, WRITE, 1), WANTED);
        // Also after it has happened.
        forbid.meet(Pair {
            write: WRITE,
            read: READ,
        });
        assert_eq!(forbid.rank(READ, false, WRITE, 1), AVOIDED);
    }

    #[test]
    fn constraints_of_another_iteration_are_gone() {
        let mut constraints = constraints(false);
        constraints.set(&[]);
        assert!(constraints.is_empty());
        assert_eq!(constraints.rank(READ, false, WRITE, 1), NEUTRAL);
        assert_eq!(constraints.rank(WRITE, true, Event::INITIAL, 1), NEUTRAL);
    }
}
