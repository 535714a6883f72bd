//! Events: any type that can be sent, and what travels with it.

use super::crashed::Crashed;
use super::group::EventGroup;
use super::machine::Machine;

/// The event of having no event: its handler runs whenever the inbox has nothing for the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DefaultEvent;

/// The event that ends an actor, unless it has a handler for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HaltEvent;

/// How an event is sent.
#[derive(Clone, Debug, Default)]
pub struct SendOptions {
    pub(super) must_handle: bool,
    pub(super) at_most: Option<u32>,
    pub(super) group: Option<EventGroup>,
    /// The sender, if its node may have crashed.
    pub(super) sender: Option<Crashed>,
}

impl SendOptions {
    /// As `send` does.
    #[must_use]
    pub fn new() -> SendOptions {
        SendOptions::default()
    }

    /// If the actor ends without having handled it, that is a failure.
    #[must_use]
    pub fn must_handle(self) -> Self {
        SendOptions {
            must_handle: true,
            ..self
        }
    }

    /// If there are so many in the inbox already, that is a failure.
    #[must_use]
    pub fn at_most(self, number: u32) -> Self {
        SendOptions {
            at_most: Some(number),
            ..self
        }
    }

    /// The event arrives even if its sender crashes.
    pub(super) fn by_nobody(self) -> Self {
        SendOptions {
            sender: None,
            ..self
        }
    }

    /// True if the sender has crashed.
    pub(super) fn is_lost(&self) -> bool {
        self.sender.as_ref().is_some_and(Crashed::get)
    }

    /// It belongs to this group.
    #[must_use]
    pub fn in_group(self, group: EventGroup) -> Self {
        SendOptions {
            group: Some(group),
            ..self
        }
    }
}

/// An event on its way.
#[derive(Debug)]
pub(super) struct Envelope<E> {
    pub(super) letter: Letter<E>,
    /// Its place in the order of arrival.
    pub(super) number: u64,
    pub(super) group: Option<EventGroup>,
    pub(super) must_handle: bool,
    pub(super) is_deferred: IsDeferred,
}

/// Whether an event was left in the inbox, and its actor told so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum IsDeferred {
    No,
    Untold,
    Told,
}

#[derive(Debug)]
pub(super) enum Letter<E> {
    Event(E),
    Halt,
}

/// The event's name.
pub(super) fn name_of<M: Machine>(letter: &Letter<M::Event>) -> &'static str {
    match letter {
        Letter::Event(event) => M::PLAN.events[M::event_index(event)],
        Letter::Halt => "HaltEvent",
    }
}

/// The column of the event in tables of rules, and its number where events are counted.
pub(super) fn column<M: Machine>(letter: &Letter<M::Event>) -> usize {
    match letter {
        Letter::Event(event) => M::event_index(event),
        Letter::Halt => M::PLAN.halt(),
    }
}

/// The event for people.
pub(super) fn description<M: Machine>(letter: &Letter<M::Event>) -> String {
    match letter {
        Letter::Event(event) => M::describe(event),
        Letter::Halt => "HaltEvent".to_owned(),
    }
}
