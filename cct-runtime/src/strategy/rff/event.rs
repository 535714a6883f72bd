//! Abstract events: what is done where, whoever does it and to whichever object.

use super::super::{Action, FirstUse};
use crate::operation::Operation;

/// How many events are told apart; those that come later count as [`Event::OTHER`].
const MOST: u32 = 4096;

/// An abstract event: an operation at a site of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Event(pub(super) u16);

impl Event {
    /// The write that every object has begun with.
    pub(super) const INITIAL: Event = Event(0);
    /// An event that no constraint speaks of.
    pub(super) const OTHER: Event = Event(1);

    /// As an index into tables of events.
    #[inline]
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The access of an event to its object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Role {
    pub(super) reads: bool,
    pub(super) writes: bool,
}

/// The events seen so far, numbered in the order of their first use.
#[derive(Debug)]
pub(super) struct Events {
    numbers: FirstUse,
    roles: Vec<Role>,
}

impl Events {
    pub(super) fn new() -> Events {
        let initial = Role {
            reads: false,
            writes: true,
        };
        Events {
            numbers: FirstUse::default(),
            roles: vec![initial, NONE],
        }
    }

    /// The event that an action is.
    #[inline]
    pub(super) fn of(&mut self, action: &Action) -> Event {
        let role = role(action.operation);
        if role == NONE || action.object.is_none() {
            return Event::OTHER;
        }
        let site = std::ptr::from_ref(action.site) as u64;
        let key = (site << 8) | action.operation as u64;
        match self.numbers.number_up_to(key, MOST) {
            None => Event::OTHER,
            Some(number) => {
                if number as usize + 2 == self.roles.len() {
                    self.roles.push(role);
                }
                Event(number as u16 + 2)
            }
        }
    }

    /// The access of an event.
    #[inline]
    pub(super) fn role(&self, event: Event) -> Role {
        self.roles[event.index()]
    }
}

const NONE: Role = Role {
    reads: false,
    writes: false,
};

/// The access of an operation to its object, as far as its order with others can be steered.
///
/// A critical section is one access, and its acquire stands for it: what an acquire reads is which
/// section came before, and at a release there is nothing left to steer. A channel's senders compete for
/// the order of messages.
const fn role(operation: Operation) -> Role {
    Role {
        reads: operation.learns(),
        writes: operation.tells(),
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::*;
    use crate::object::ObjectId;

    #[test]
    fn an_event_is_an_operation_at_a_site() {
        let here = Location::caller();
        let there = other_site();
        let action = |operation, object, site| Action {
            operation,
            object: ObjectId::sample(object),
            also: ObjectId::NONE,
            site,
        };
        let mut events = Events::new();
        let load = events.of(&action(Operation::Load, 8, here));
        assert_eq!(events.of(&action(Operation::Load, 16, here)), load);
        assert_ne!(events.of(&action(Operation::Load, 8, there)), load);
        assert_ne!(events.of(&action(Operation::Store, 8, here)), load);
        assert!(events.role(load).reads && !events.role(load).writes);
        assert_eq!(events.of(&action(Operation::Unlock, 8, here)), Event::OTHER);
        assert_eq!(events.roles.len(), 5);
    }

    fn other_site() -> &'static Location<'static> {
        Location::caller()
    }

    #[test]
    fn events_beyond_the_bound_are_others() {
        let mut events = Events::new();
        for index in 0..MOST {
            events.numbers.number(u64::from(index) | 1 << 63);
            events.roles.push(NONE);
        }
        let action = Action {
            operation: Operation::Load,
            object: ObjectId::sample(8),
            also: ObjectId::NONE,
            site: Location::caller(),
        };
        assert_eq!(events.of(&action), Event::OTHER);
    }
}
