//! The constraints of an execution, as sets, and what they say of a step.

use super::corpus::Constraint;
use super::coverage::Pair;
use super::event::Event;

/// The constraints' verdict on a step, in the highest bits of a key.
pub(super) const AVOIDED: u64 = 1 << 62;
pub(super) const NEUTRAL: u64 = 2 << 62;
pub(super) const WANTED: u64 = 3 << 62;

/// Constraints as sets, one bit each.
#[derive(Default, Debug)]
pub(super) struct Constraints {
    /// By event: those whose read, and whose write, it is.
    by_event: Vec<(u32, u32)>,
    list: Vec<Constraint>,
    pub(super) positive: u32,
    /// The constraints that still matter: their demand has not been met yet.
    active: u32,
}

impl Constraints {
    pub(super) fn set(&mut self, constraints: &[Constraint]) {
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
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    #[inline]
    pub(super) fn of(&self, event: Event) -> (u32, u32) {
        self.by_event
            .get(event.index())
            .copied()
            .unwrap_or_default()
    }

    /// The constraints whose read an event is.
    #[inline]
    pub(super) fn reads(&self, event: Event) -> u32 {
        self.of(event).0 & self.active
    }

    /// True if an event is a read that is demanded.
    #[inline]
    pub(super) fn demands(&self, event: Event) -> bool {
        self.reads(event) & self.positive != 0
    }

    /// The read took the value of the write: what demanded that is satisfied. True if anything did.
    #[inline]
    pub(super) fn meet(&mut self, pair: Pair) -> bool {
        let met = self.of(pair.read).0 & self.of(pair.write).1 & self.positive & self.active;
        self.active &= !met;
        met != 0
    }

    /// The constraints' verdict on a step that is about an object: `event`, after `last` was written,
    /// with the reads of `awaited` ready to be made.
    #[inline]
    pub(super) fn rank(&self, event: Event, writes: bool, last: Event, awaited: u32) -> u64 {
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
