//! The step after a handler: the value that the handler returns.
//!
//! A transition is a value and has no effect before it is returned, so a handler has one at most.

use std::error::Error;
use std::fmt;

use super::machine::{HasState, Machine};
use super::{Accepts, Failure};

/// The next step of an actor. Handlers return it, or one of the types that it is made of.
#[must_use = "a transition has an effect only if the handler returns it"]
pub struct Then<M: Machine>(pub(super) Next<M>);

pub(super) enum Next<M: Machine> {
    Stay,
    Goto(M::State),
    Push(M::State),
    Pop,
    Raise(M::Event),
    Halt,
}

impl<M: Machine> Then<M> {
    /// Stays in its state.
    pub const fn stay() -> Then<M> {
        Then(Next::Stay)
    }

    /// Leaves the state on top and enters this one in its place.
    pub fn goto<S>(state: S) -> Then<M>
    where
        M: HasState<S>,
    {
        Then(Next::Goto(M::state(state)))
    }

    /// Enters this state on top of the others, which stay where they are.
    pub fn push<S>(state: S) -> Then<M>
    where
        M: HasState<S>,
    {
        Then(Next::Push(M::state(state)))
    }

    /// Leaves the state on top; the one below goes on.
    pub const fn pop() -> Then<M> {
        Then(Next::Pop)
    }

    /// Handles this event, before all that are in the inbox.
    pub fn raise<E>(event: E) -> Then<M>
    where
        M: Accepts<E>,
    {
        Then(Next::Raise(M::event(event)))
    }

    /// Ends the actor.
    pub const fn halt() -> Then<M> {
        Then(Next::Halt)
    }
}

impl<M: Machine> fmt::Debug for Then<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Next::Stay => "stay",
            Next::Goto(_) => "goto",
            Next::Push(_) => "push",
            Next::Pop => "pop",
            Next::Raise(_) => "raise",
            Next::Halt => "halt",
        })
    }
}

/// [`Then::goto`] as a handler's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "a transition has an effect only if the handler returns it"]
pub struct Goto<S>(pub S);

/// [`Then::push`] as a handler's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "a transition has an effect only if the handler returns it"]
pub struct Push<S>(pub S);

/// [`Then::pop`] as a handler's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "a transition has an effect only if the handler returns it"]
pub struct Pop;

/// [`Then::raise`] as a handler's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "a transition has an effect only if the handler returns it"]
pub struct Raise<E>(pub E);

/// [`Then::halt`] as a handler's type, and the one transition that an exit may ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "a transition has an effect only if the handler returns it"]
pub struct Halt;

/// The types that a handler of `M` may return.
///
/// - nothing: it stays in its state;
/// - [`Then`], or one of [`Goto`], [`Push`], [`Pop`], [`Raise`] and [`Halt`];
/// - an `Option` of these: none stays;
/// - a `Result` of these: an error is a [`Failure`].
#[diagnostic::on_unimplemented(
    message = "a handler of `{M}` cannot return `{Self}`",
    label = "neither a transition nor a state of `{M}`",
    note = "return nothing, `Then<Self>`, a state, `Push`, `Pop`, `Raise`, `Halt`, or an `Option` or \
            `Result` of these"
)]
pub trait IntoThen<M: Machine> {
    /// The actor's next step, or its failure.
    fn into_then(self) -> Result<Then<M>, Failure>;
}

impl<M: Machine> IntoThen<M> for Then<M> {
    fn into_then(self) -> Result<Then<M>, Failure> {
        Ok(self)
    }
}

impl<M: Machine> IntoThen<M> for () {
    fn into_then(self) -> Result<Then<M>, Failure> {
        Ok(Then::stay())
    }
}

impl<M: HasState<S>, S> IntoThen<M> for Goto<S> {
    fn into_then(self) -> Result<Then<M>, Failure> {
        Ok(Then::goto(self.0))
    }
}

impl<M: HasState<S>, S> IntoThen<M> for Push<S> {
    fn into_then(self) -> Result<Then<M>, Failure> {
        Ok(Then::push(self.0))
    }
}

impl<M: Machine> IntoThen<M> for Pop {
    fn into_then(self) -> Result<Then<M>, Failure> {
        Ok(Then::pop())
    }
}

impl<M: Accepts<E>, E> IntoThen<M> for Raise<E> {
    fn into_then(self) -> Result<Then<M>, Failure> {
        Ok(Then::raise(self.0))
    }
}

impl<M: Machine> IntoThen<M> for Halt {
    fn into_then(self) -> Result<Then<M>, Failure> {
        Ok(Then::halt())
    }
}

impl<M: Machine, T: IntoThen<M>> IntoThen<M> for Option<T> {
    fn into_then(self) -> Result<Then<M>, Failure> {
        self.map_or(Ok(Then::stay()), T::into_then)
    }
}

impl<M: Machine, T: IntoThen<M>, E: Into<Box<dyn Error + Send + Sync>>> IntoThen<M>
    for Result<T, E>
{
    fn into_then(self) -> Result<Then<M>, Failure> {
        self.map_err(|error| Failure::Error(error.into()))?
            .into_then()
    }
}

/// The types that an exit of a state may return: it is left already, so nothing but the actor's end can
/// come in between.
#[diagnostic::on_unimplemented(
    message = "an exit cannot return `{Self}`",
    label = "a transition out of an exit",
    note = "the state is left for another one already; an exit returns nothing, `Halt`, `Option<Halt>`, or a \
            `Result` of these"
)]
pub trait IntoExit {
    /// True if the actor is to end; or its failure.
    fn into_exit(self) -> Result<bool, Failure>;
}

impl IntoExit for () {
    fn into_exit(self) -> Result<bool, Failure> {
        Ok(false)
    }
}

impl IntoExit for Halt {
    fn into_exit(self) -> Result<bool, Failure> {
        Ok(true)
    }
}

impl IntoExit for Option<Halt> {
    fn into_exit(self) -> Result<bool, Failure> {
        Ok(self.is_some())
    }
}

impl<T: IntoExit, E: Into<Box<dyn Error + Send + Sync>>> IntoExit for Result<T, E> {
    fn into_exit(self) -> Result<bool, Failure> {
        self.map_err(|error| Failure::Error(error.into()))?
            .into_exit()
    }
}
