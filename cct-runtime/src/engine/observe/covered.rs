//! Counts of what machines do: a table for each type, for the iteration under way and for all that are kept.
//!
//! A table is made with the first actor of its type and stays. To count is then to add one at a place.

use crate::covered::{Count, Coverage, Covered, Fate, On, Shape, To, add_all};
use crate::trace::Did;

/// The tables of all types, in the order of their first actors.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    tables: Vec<Table>,
    /// How many iterations were kept.
    iterations: u64,
}

/// A type: its rules, which are at one address, and its name.
pub(crate) type Kind = (usize, &'static str);

#[derive(Debug)]
struct Table {
    kind: Kind,
    declared: Covered,
    shape: Shape,
    /// The counts of the iteration under way.
    now: Vec<u32>,
    /// The places of those that are not zero. There is room for all.
    touched: Vec<u32>,
    /// The counts of all iterations that were kept.
    kept: Vec<u64>,
}

impl Tables {
    /// The number of the table of this type. The caller is outside.
    pub(crate) fn number_of(&mut self, kind: Kind, declared: &dyn Fn() -> Covered) -> u32 {
        let known = self.tables.iter().position(|table| table.kind == kind);
        let number = known.unwrap_or_else(|| {
            self.tables.push(Table::new(kind, declared()));
            self.tables.len() - 1
        });
        number as u32
    }

    /// Counts this. It allocates nothing.
    #[inline]
    pub(crate) fn count(&mut self, number: u32, count: Count) {
        if let Some(table) = self.tables.get_mut(number as usize) {
            table.count(count);
        }
    }

    /// A count in words: what it is, the state, the event, and the state that comes next.
    pub(crate) fn words(&self, number: u32, count: Count) -> Option<(Did, [Option<&str>; 3])> {
        let declared = &self.tables.get(number as usize)?.declared;
        let state = |state: u32| Some(&*declared.states[state as usize].name);
        let event = |event: u32| Some(&*declared.events[event as usize]);
        Some(match count {
            Count::Created => (Did::Created, [None; 3]),
            Count::Halted => (Did::Halted, [None; 3]),
            Count::Entered(entered) => (Did::Entered, [state(entered), None, None]),
            Count::Event(of, name, fate) => {
                let did = match fate {
                    Fate::Handled => Did::Handled,
                    Fate::Deferred => Did::Deferred,
                    Fate::Ignored => Did::Ignored,
                    Fate::Received => Did::Received,
                    Fate::Dropped => Did::Dropped,
                    Fate::Unhandled => Did::Unhandled,
                };
                (did, [of.and_then(state), event(name), None])
            }
            Count::Transition(from, on, to) => {
                let (did, to) = match to {
                    To::Goto(to) => (Did::Goto, state(to)),
                    To::Push(to) => (Did::Push, state(to)),
                    To::Pop => (Did::Pop, None),
                    To::Halt => (Did::Halt, None),
                };
                let on = match on {
                    On::Event(number) => event(number),
                    On::Entry => Some("entry"),
                    On::Exit => Some("exit"),
                };
                (did, [from.and_then(state), on, to])
            }
        })
    }

    /// The name of an event.
    pub(crate) fn event(&self, number: u32, event: u32) -> Option<&str> {
        let events = &self.tables.get(number as usize)?.declared.events;
        events.get(event as usize).map(|name| &**name)
    }

    /// A new iteration begins. One that was not kept is forgotten.
    pub(crate) fn begin(&mut self) {
        for table in &mut self.tables {
            table.drain(|_, _| {});
        }
    }

    /// The iteration that has ended counts.
    pub(crate) fn keep(&mut self) {
        self.iterations += 1;
        for table in &mut self.tables {
            let kept = &mut std::mem::take(&mut table.kept);
            table.drain(|place, times| kept[place] += u64::from(times));
            table.kept = std::mem::take(kept);
        }
    }

    /// The coverage by the iterations that were kept, which are forgotten.
    pub(crate) fn take(&mut self) -> Coverage {
        let mut all = Vec::new();
        for table in &mut self.tables {
            let told = table.shape.told(&table.declared, &table.kept);
            table.kept.fill(0);
            if told.created > 0 {
                add_all(&mut all, &[told]);
            }
        }
        Coverage {
            schedules: std::mem::take(&mut self.iterations),
            machines: all,
        }
    }
}

impl Table {
    fn new(kind: Kind, declared: Covered) -> Table {
        let shape = Shape::of(&declared);
        let places = shape.size() as usize;
        Table {
            kind,
            declared,
            shape,
            now: vec![0; places],
            touched: Vec::with_capacity(places),
            kept: vec![0; places],
        }
    }

    #[inline]
    fn count(&mut self, count: Count) {
        let place = self.shape.place(count);
        let times = &mut self.now[place as usize];
        if *times == 0 {
            self.touched.push(place);
        }
        *times = times.saturating_add(1);
    }

    /// Hands out the counts of the iteration, and forgets them.
    fn drain(&mut self, mut each: impl FnMut(usize, u32)) {
        for place in self.touched.drain(..) {
            let place = place as usize;
            each(place, std::mem::take(&mut self.now[place]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tables;
    use crate::covered::{Count, Coverage, Covered, Fate, State};

    fn declared() -> Covered {
        Covered {
            states: vec![State::default()],
            events: vec!["A".to_owned(), "B".to_owned()],
            ..Covered::default()
        }
    }

    #[test]
    fn only_iterations_that_are_kept_count() {
        let mut tables = Tables::default();
        let one = tables.number_of((1, "one"), &declared);
        let other = tables.number_of((2, "other"), &declared);
        assert_eq!(tables.number_of((1, "one"), &declared), one);
        assert_ne!(one, other);
        for round in 0..4 {
            tables.begin();
            tables.count(one, Count::Created);
            tables.count(one, Count::Entered(0));
            tables.count(one, Count::Event(Some(0), 1, Fate::Handled));
            tables.count(one, Count::Event(Some(0), 1, Fate::Handled));
            if round % 2 == 0 {
                tables.keep();
            }
        }
        let told = tables.take();
        assert_eq!(told.schedules, 2);
        let [told] = &told.machines[..] else {
            panic!("a type without actors is left out: {told:?}");
        };
        assert_eq!((told.created, told.states[0].entered), (2, 2));
        assert_eq!(told.pairs[0].times(Fate::Handled), 4);
        assert_eq!(tables.take(), Coverage::default());
    }

    #[test]
    fn a_table_does_not_grow_while_it_counts() {
        let mut tables = Tables::default();
        let number = tables.number_of((1, "one"), &declared);
        let room = tables.tables[0].touched.capacity();
        for fate in Fate::ALL {
            for event in 0..2 {
                for state in [None, Some(0)] {
                    tables.count(number, Count::Event(state, event, fate));
                    tables.count(number, Count::Event(state, event, fate));
                }
            }
        }
        let table = &tables.tables[0];
        assert_eq!(table.touched.len(), 24);
        assert_eq!(table.touched.capacity(), room);
    }
}
