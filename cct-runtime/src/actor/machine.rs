//! The things that `#[cct::machine]` and `#[cct::actor]` make of an `impl` block.

use std::future::Future;
use std::panic::Location;

use super::context::Context;
use super::{Failure, Then};

/// An actor: data, states with data of their own, and handlers of events. Implemented by
/// `#[cct::machine]` and `#[cct::actor]`.
pub trait Machine: Sized + Send + 'static {
    /// All events that it knows.
    type Event: Send + 'static;
    /// All states that it can be in.
    type State: Send + 'static;

    /// The rules of its states.
    #[doc(hidden)]
    const PLAN: &'static Plan;

    #[doc(hidden)]
    fn start(&self) -> Option<Self::State>;
    #[doc(hidden)]
    fn state_index(state: &Self::State) -> usize;
    #[doc(hidden)]
    fn event_index(event: &Self::Event) -> usize;
    /// The event as its `Debug` has it, or its name.
    #[doc(hidden)]
    fn describe(event: &Self::Event) -> String;
    /// The handler of this number does its work.
    #[doc(hidden)]
    fn handle<'a>(
        &'a mut self,
        handler: usize,
        state: Option<&'a mut Self::State>,
        event: Option<Self::Event>,
        cx: &'a mut Context<Self>,
    ) -> impl Future<Output = Result<Then<Self>, Failure>> + Send + 'a;

    /// An event was taken out of the inbox, to be handled.
    fn event_dequeued(&mut self, event: &Self::Event, cx: &mut Context<Self>) {
        let _ = (event, cx);
    }

    /// The event of this name was handled, with all that it led to.
    fn event_handled(&mut self, name: &'static str, cx: &mut Context<Self>) {
        let _ = (name, cx);
    }

    /// The state ignores this event.
    fn event_ignored(&mut self, event: &Self::Event, cx: &mut Context<Self>) {
        let _ = (event, cx);
    }

    /// The state leaves this event in the inbox.
    fn event_deferred(&mut self, event: &Self::Event, cx: &mut Context<Self>) {
        let _ = (event, cx);
    }

    /// No state handles this event; a failure follows.
    fn event_unhandled(&mut self, event: &Self::Event, cx: &mut Context<Self>) {
        let _ = (event, cx);
    }

    /// A failure, and what is to come of it.
    fn failed(&mut self, failure: &Failure, cx: &mut Context<Self>) -> Outcome {
        let _ = (failure, cx);
        Outcome::Fail
    }

    /// The actor has ended.
    fn halted(&mut self, cx: &mut Context<Self>) {
        let _ = cx;
    }
}

/// The consequence of a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The runtime fails, and with it the test.
    Fail,
    /// The actor ends.
    Halt,
    /// The actor goes on. After an event that nobody handles it ends, since it is in no state.
    Handled,
}

/// An actor that has an event `E`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` knows no event `{E}`",
    label = "no handler takes this event",
    note = "give it a handler, or name it in `#[defer]`, `#[ignore]` or `events(…)`"
)]
pub trait Accepts<E>: Machine {
    /// The event as one of all.
    fn event(event: E) -> Self::Event;
    /// The event, if it is this one; or what it is.
    fn try_event(event: Self::Event) -> Result<E, Self::Event>;
    /// Looks at the event, if it is this one.
    fn look(event: &Self::Event) -> Option<&E>;
}

/// An actor that has a state `S`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no state `{S}`",
    label = "not a state of `{Self}`",
    note = "a state has a handler, or is named in `states(…)`"
)]
pub trait HasState<S>: Machine {
    /// The state as one of all.
    fn state(state: S) -> Self::State;
    /// Looks at the state, if it is this one.
    fn look(state: &Self::State) -> Option<&S>;
}

/// Which events are handled in which states, and by what.
#[derive(Debug)]
pub struct Plan {
    /// The type's name.
    pub name: &'static str,
    /// Names of states, by number.
    pub states: &'static [&'static str],
    /// Names of events, by number.
    pub events: &'static [&'static str],
    /// The rules, by state and by event; the last three columns are
    /// [no event](Plan::default), [the end](Plan::halt) and [any other event](Plan::any).
    pub rules: &'static [&'static [Rule]],
    /// The same where no state has a rule.
    pub fallback: &'static [Rule],
    /// The handlers of entries, by state.
    pub entries: &'static [Option<usize>],
    /// The handlers of exits, by state.
    pub exits: &'static [Option<usize>],
    /// Handlers, by number.
    pub handlers: &'static [Handler],
    /// The state to begin with.
    pub start: Option<usize>,
    /// The groups of states, with their members: states, and other groups.
    pub groups: &'static [(&'static str, &'static [&'static str])],
}

impl Plan {
    /// The column of the rule for having no event.
    pub const fn default(&self) -> usize {
        self.events.len()
    }

    /// The column of the rule for [`HaltEvent`](super::HaltEvent).
    pub const fn halt(&self) -> usize {
        self.events.len() + 1
    }

    /// The column of rules for all other events.
    pub const fn any(&self) -> usize {
        self.events.len() + 2
    }
}

/// The facts that are known of a handler before it runs.
#[derive(Debug)]
pub struct Handler {
    /// Its function's name.
    pub name: &'static str,
    /// Where it is.
    pub site: &'static Location<'static>,
    /// The states that its code names: where it may lead to.
    pub leads_to: &'static [usize],
    /// The transitions that its type allows; none if its type does not say which.
    pub then: Option<&'static [Lead]>,
}

/// A transition that a handler can return.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lead {
    /// Into this state, in place of the one on top.
    Goto(usize),
    /// Into this state, on top of the others.
    Push(usize),
    /// Back to the state below.
    Pop,
    /// To the end.
    Halt,
}

/// A state's rule for an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Nothing: others may.
    None,
    /// It stays in the inbox.
    Defer,
    /// It is dropped.
    Ignore,
    /// This handler has it, here and in states that are pushed on top.
    Do(usize),
    /// This handler has it, which always leads to another state: here only.
    Leave(usize),
}
