//! The coverage of machines: their declared structure, and how often a test has seen each part of it.
//!
//! Kept here: the table of counts that one type of machine has, by number ([`Shape`]), and what crosses the
//! process boundary ([`Covered`]), which says everything by name.

use std::cmp::Ordering;

use crate::codec::{wire_enum, wire_struct};

/// The machines of some schedules of a test.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// How many schedules were looked at.
    pub schedules: u64,
    /// The types that had actors in them, in order of their paths.
    pub machines: Vec<Covered>,
}

impl Coverage {
    /// Adds what other schedules have shown.
    pub fn add(&mut self, other: &Coverage) {
        self.schedules += other.schedules;
        add_all(&mut self.machines, &other.machines);
    }
}

/// A type of machine or actor: what is declared of it, and what a test has seen of that.
///
/// Events are those of the type in order, and then [`DEFAULT`] and [`HALT`]. States, events and groups are
/// named by their place in these lists.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Covered {
    /// The type with its modules and arguments.
    pub path: String,
    /// The type's own name.
    pub name: String,
    /// The states; an actor has none.
    pub states: Vec<State>,
    /// The names of the events.
    pub events: Vec<String>,
    /// The groups of states.
    pub groups: Vec<Group>,
    /// The state to begin with.
    pub start: Option<u32>,
    /// Events in states, in order: all that have a rule, and others that were seen.
    pub pairs: Vec<Pair>,
    /// Transitions, in order: all that are declared, and others that were seen.
    pub transitions: Vec<Transition>,
    /// How many were created.
    pub created: u64,
    /// How many ended by themselves, and not by a panic or with their runtime.
    pub halted: u64,
}

/// The event of having none, as a name.
pub const DEFAULT: &str = "DefaultEvent";
/// The event that ends an actor, as a name.
pub const HALT: &str = "HaltEvent";

/// A state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// Its name.
    pub name: String,
    /// How often it was entered; one that comes to light again after a pop is not.
    pub entered: u64,
    /// The handler of its entry.
    pub entry: Option<Handler>,
    /// The handler of its exit.
    pub exit: Option<Handler>,
}

/// States that have handlers in common.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// The names of its states, and of groups in it.
    pub members: Vec<String>,
}

/// An event in a state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pair {
    /// The state that the rule belongs to, or the one on top if it is the machine's; none for an actor
    /// without states, and for one that has ended.
    pub state: Option<u32>,
    /// The event.
    pub event: u32,
    /// The rule, if there is one.
    pub rule: Option<Rule>,
    /// How often each happened, in the order of [`Fate::ALL`].
    pub times: [u64; Fate::ALL.len()],
}

/// The rule for an event in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rule {
    /// It has a handler.
    Handle(Handler),
    /// It stays in the inbox.
    Defer,
    /// It is dropped.
    Ignore,
}

/// A handler.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Handler {
    /// The function's name.
    pub name: String,
    /// It takes all events that have no other rule.
    pub is_wildcard: bool,
    /// Its type says which transitions it can make: these are declared.
    pub is_known: bool,
}

/// The fate of an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Fate {
    /// Its handler was called.
    Handled,
    /// It was left in the inbox; once for each event.
    Deferred,
    /// It was dropped by a rule.
    Ignored,
    /// A handler that waited for it took it.
    Received,
    /// It was in the inbox when its actor ended, or came after that.
    Dropped,
    /// No state had a rule for it.
    Unhandled,
}

impl Fate {
    /// All, in order.
    pub const ALL: [Fate; 6] = [
        Fate::Handled,
        Fate::Deferred,
        Fate::Ignored,
        Fate::Received,
        Fate::Dropped,
        Fate::Unhandled,
    ];

    /// Its name, for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Fate::Handled => "handled",
            Fate::Deferred => "deferred",
            Fate::Ignored => "ignored",
            Fate::Received => "received",
            Fate::Dropped => "dropped",
            Fate::Unhandled => "unhandled",
        }
    }
}

/// A transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// The state that the handler belongs to, or the one on top if it is the machine's; none for an actor
    /// without states.
    pub from: Option<u32>,
    /// The handler's event.
    pub on: On,
    /// Where it leads.
    pub to: To,
    /// The type of the handler says that it may happen.
    pub is_declared: bool,
    /// How often it happened.
    pub times: u64,
}

/// The reason for a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum On {
    /// An event was handled.
    Event(u32),
    /// The state was entered.
    Entry,
    /// The state was left.
    Exit,
}

/// The effect of a transition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum To {
    /// This state took the place of the one on top.
    Goto(u32),
    /// This state came on top of the others.
    Push(u32),
    /// The state on top was left, for the one below.
    Pop,
    /// The actor ended.
    Halt,
}

impl Pair {
    /// True if there is a rule and it was applied.
    pub fn is_covered(&self) -> bool {
        let fate = match &self.rule {
            Some(Rule::Handle(_)) => Fate::Handled,
            Some(Rule::Defer) => Fate::Deferred,
            Some(Rule::Ignore) => Fate::Ignored,
            None => return false,
        };
        self.times(fate) > 0
    }

    /// How often this happened.
    pub fn times(&self, fate: Fate) -> u64 {
        self.times[fate as usize]
    }

    fn key(&self) -> (bool, Option<u32>, u32) {
        (self.state.is_none(), self.state, self.event)
    }
}

impl Transition {
    fn key(&self) -> (bool, Option<u32>, On, To) {
        (self.from.is_none(), self.from, self.on, self.to)
    }
}

impl Covered {
    /// Puts pairs and transitions in order.
    pub fn sort(&mut self) {
        self.pairs.sort_by_key(Pair::key);
        self.transitions.sort_by_key(Transition::key);
    }

    /// True if both are one type: the same name, and the same declarations.
    pub fn is_same_type(&self, other: &Covered) -> bool {
        let states = |it: &Covered| -> Vec<String> {
            let names = it.states.iter().map(|state| state.name.clone());
            names.collect()
        };
        let rules = |it: &Covered| -> Vec<(Option<u32>, u32, Option<Rule>)> {
            let ruled = it.pairs.iter().filter(|pair| pair.rule.is_some());
            ruled
                .map(|pair| (pair.state, pair.event, pair.rule.clone()))
                .collect()
        };
        self.path == other.path
            && states(self) == states(other)
            && (&self.events, &self.groups, self.start)
                == (&other.events, &other.groups, other.start)
            && rules(self) == rules(other)
    }

    /// Adds what was seen elsewhere of the same type.
    pub fn add(&mut self, other: &Covered) {
        self.created += other.created;
        self.halted += other.halted;
        for (own, state) in self.states.iter_mut().zip(&other.states) {
            own.entered += state.entered;
        }
        let pairs = merged(&self.pairs, &other.pairs, Pair::key, |own, pair| {
            for (own, more) in own.times.iter_mut().zip(pair.times) {
                *own += more;
            }
        });
        let transitions = &other.transitions;
        let transitions = merged(
            &self.transitions,
            transitions,
            Transition::key,
            |own, it| {
                own.times += it.times;
            },
        );
        (self.pairs, self.transitions) = (pairs, transitions);
    }
}

/// Adds each type to the one that it is, or puts it behind the others; all in order of their paths.
pub fn add_all(to: &mut Vec<Covered>, more: &[Covered]) {
    for covered in more {
        match to.iter_mut().find(|own| own.is_same_type(covered)) {
            Some(own) => own.add(covered),
            None => to.push(covered.clone()),
        }
    }
    to.sort_by(|one, other| one.path.cmp(&other.path));
}

/// Two lists in order as one, where those with one key are added.
fn merged<T: Clone, K: Ord>(
    own: &[T],
    more: &[T],
    key: impl Fn(&T) -> K,
    add: impl Fn(&mut T, &T),
) -> Vec<T> {
    let mut merged = Vec::with_capacity(own.len());
    let (mut own, mut more) = (own.iter().peekable(), more.iter().peekable());
    loop {
        let order = match (own.peek(), more.peek()) {
            (Some(one), Some(other)) => key(one).cmp(&key(other)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return merged,
        };
        let mut next = match order {
            Ordering::Less | Ordering::Equal => own.next().cloned(),
            Ordering::Greater => more.next().cloned(),
        };
        if order == Ordering::Equal
            && let (Some(own), Some(other)) = (&mut next, more.next())
        {
            add(own, other);
        }
        merged.extend(next);
    }
}

/// The numbers of a type, and with them the places of its counts in one table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// How many states.
    pub states: u32,
    /// How many events, the two that all have included.
    pub events: u32,
}

/// A thing that is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// An actor was created.
    Created,
    /// One ended.
    Halted,
    /// A state was entered.
    Entered(u32),
    /// An event in a state had this fate.
    Event(Option<u32>, u32, Fate),
    /// There was a transition.
    Transition(Option<u32>, On, To),
}

impl Shape {
    const FATES: u32 = Fate::ALL.len() as u32;

    /// The shape of this type.
    pub fn of(covered: &Covered) -> Shape {
        Shape {
            states: covered.states.len() as u32,
            events: covered.events.len() as u32,
        }
    }

    /// How many counts there are.
    pub const fn size(self) -> u32 {
        self.transitions() + (self.states + 1) * (self.events + 2) * self.ways()
    }

    /// The place of a count.
    #[inline]
    pub const fn place(self, of: Count) -> u32 {
        match of {
            Count::Created => 0,
            Count::Halted => 1,
            Count::Entered(state) => 2 + state,
            Count::Event(state, event, fate) => {
                let pair = self.row(state) * self.events + event;
                self.pairs() + pair * Self::FATES + fate as u32
            }
            Count::Transition(from, on, to) => {
                let on = match on {
                    On::Event(event) => event,
                    On::Entry => self.events,
                    On::Exit => self.events + 1,
                };
                let way = match to {
                    To::Goto(state) => state,
                    To::Push(state) => self.states + state,
                    To::Pop => 2 * self.states,
                    To::Halt => 2 * self.states + 1,
                };
                let row = self.row(from) * (self.events + 2) + on;
                self.transitions() + row * self.ways() + way
            }
        }
    }

    const fn row(self, state: Option<u32>) -> u32 {
        match state {
            Some(state) => state,
            None => self.states,
        }
    }

    const fn pairs(self) -> u32 {
        2 + self.states
    }

    const fn transitions(self) -> u32 {
        self.pairs() + (self.states + 1) * self.events * Self::FATES
    }

    const fn ways(self) -> u32 {
        2 * self.states + 2
    }

    /// The declared type, with these counts.
    pub fn told(self, declared: &Covered, counts: &[u64]) -> Covered {
        let at = |count: Count| counts[self.place(count) as usize];
        let mut told = declared.clone();
        (told.created, told.halted) = (at(Count::Created), at(Count::Halted));
        for (number, state) in (0..).zip(&mut told.states) {
            state.entered = at(Count::Entered(number));
        }
        let rows = || (0..self.states).map(Some).chain([None]);
        let mut seen = Covered::default();
        for state in rows() {
            for event in 0..self.events {
                let times = Fate::ALL.map(|fate| at(Count::Event(state, event, fate)));
                if times.iter().any(|&times| times > 0) {
                    seen.pairs.push(Pair {
                        state,
                        event,
                        rule: None,
                        times,
                    });
                }
            }
            let events = (0..self.events).map(On::Event);
            for on in events.chain([On::Entry, On::Exit]) {
                let gotos = (0..self.states).map(To::Goto);
                let pushes = (0..self.states).map(To::Push);
                for to in gotos.chain(pushes).chain([To::Pop, To::Halt]) {
                    let times = at(Count::Transition(state, on, to));
                    if times > 0 {
                        seen.transitions.push(Transition {
                            from: state,
                            on,
                            to,
                            is_declared: false,
                            times,
                        });
                    }
                }
            }
        }
        told.add(&seen);
        told
    }
}

wire_struct!(Coverage {
    schedules,
    machines
});
wire_struct!(Covered {
    path,
    name,
    states,
    events,
    groups,
    start,
    pairs,
    transitions,
    created,
    halted
});
wire_struct!(State {
    name,
    entered,
    entry,
    exit
});
wire_struct!(Group { name, members });
wire_struct!(Pair {
    state,
    event,
    rule,
    times
});
wire_enum!(Rule { 0 Handle(x), 1 Defer, 2 Ignore });
wire_struct!(Handler {
    name,
    is_wildcard,
    is_known
});
wire_struct!(Transition {
    from,
    on,
    to,
    is_declared,
    times
});
wire_enum!(On { 0 Event(x), 1 Entry, 2 Exit });
wire_enum!(To { 0 Goto(x), 1 Push(x), 2 Pop, 3 Halt });

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Count, Covered, Fate, On, Pair, Rule, Shape, State, To, Transition, add_all};
    use crate::codec::Wire as _;

    fn door() -> Covered {
        let state = |name: &str| State {
            name: name.to_owned(),
            ..State::default()
        };
        let transition = |from, to| Transition {
            from: Some(from),
            on: On::Event(0),
            to: To::Goto(to),
            is_declared: true,
            times: 0,
        };
        let pair = |state| Pair {
            state: Some(state),
            event: 0,
            rule: Some(Rule::Ignore),
            times: [0; 6],
        };
        Covered {
            path: "house::Door".to_owned(),
            name: "Door".to_owned(),
            states: vec![state("Open"), state("Shut")],
            events: ["Push", super::DEFAULT, super::HALT]
                .map(str::to_owned)
                .into(),
            start: Some(0),
            pairs: vec![pair(0), pair(1)],
            transitions: vec![transition(0, 1), transition(1, 0)],
            ..Covered::default()
        }
    }

    fn counted(counts: &[Count]) -> Covered {
        let declared = door();
        let shape = Shape::of(&declared);
        let mut table = vec![0; shape.size() as usize];
        for &count in counts {
            table[shape.place(count) as usize] += 1;
        }
        shape.told(&declared, &table)
    }

    fn all(shape: Shape) -> Vec<Count> {
        let mut all = vec![Count::Created, Count::Halted];
        all.extend((0..shape.states).map(Count::Entered));
        for row in (0..shape.states).map(Some).chain([None]) {
            for event in 0..shape.events {
                all.extend(Fate::ALL.map(|fate| Count::Event(row, event, fate)));
            }
            let events = (0..shape.events).map(On::Event);
            for on in events.chain([On::Entry, On::Exit]) {
                let states = 0..shape.states;
                let to = states.flat_map(|state| [To::Goto(state), To::Push(state)]);
                let to = to.chain([To::Pop, To::Halt]);
                all.extend(to.map(|to| Count::Transition(row, on, to)));
            }
        }
        all
    }

    #[test]
    fn each_count_has_a_place_of_its_own_and_no_place_is_left() {
        for (states, events) in [(0, 2), (1, 2), (3, 5), (7, 4)] {
            let shape = Shape { states, events };
            let all = all(shape);
            let places: BTreeSet<u32> = all.iter().map(|&count| shape.place(count)).collect();
            assert_eq!(places.len(), all.len());
            assert_eq!(places, (0..shape.size()).collect());
        }
    }

    #[test]
    fn counts_are_told_beside_what_is_declared() {
        let covered = counted(&[
            Count::Created,
            Count::Entered(0),
            Count::Transition(Some(0), On::Event(0), To::Goto(1)),
            Count::Transition(Some(0), On::Event(0), To::Goto(1)),
            Count::Transition(Some(1), On::Entry, To::Halt),
            Count::Event(Some(1), 0, Fate::Ignored),
            Count::Event(None, 2, Fate::Dropped),
        ]);
        assert_eq!((covered.created, covered.halted), (1, 0));
        assert_eq!(covered.states[0].entered, 1);
        let times = |it: &Transition| (it.is_declared, it.times);
        let times: Vec<_> = covered.transitions.iter().map(times).collect();
        assert_eq!(times, [(true, 2), (true, 0), (false, 1)]);
        let pairs: Vec<_> = covered.pairs.iter().map(Pair::is_covered).collect();
        assert_eq!(pairs, [false, true, false]);
        assert_eq!(covered.pairs[2].times(Fate::Dropped), 1);
    }

    #[test]
    fn merging_adds_and_its_order_does_not_matter() {
        let shape = Shape::of(&door());
        let all = all(shape);
        let (one, other) = all.split_at(all.len() / 3);
        let whole = counted(&all);
        let (mut there, mut back) = (vec![counted(one)], vec![counted(other)]);
        add_all(&mut there, &[counted(other)]);
        add_all(&mut back, &[counted(one)]);
        assert_eq!(there, [whole]);
        assert_eq!(there, back);
    }

    #[test]
    fn types_that_differ_are_not_merged() {
        let mut other = door();
        other.states.pop();
        let mut all = vec![door()];
        add_all(&mut all, &[other, door()]);
        assert_eq!(all.len(), 2);
    }

    #[test]
    fn it_is_the_same_on_the_other_side() {
        let covered = counted(&all(Shape::of(&door())));
        assert_eq!(Covered::from_bytes(&covered.to_bytes()), Some(covered));
    }
}
