//! Futures under control: what the source layer puts around awaits, and around what executors are given.
//!
//! Nothing in here is meant to be used by hand. Each type polls what it is made of and nothing else; what
//! it adds are the calls of [`Gate::poll`] and [`Task::poll`], which say when that has to wait.

use std::any::type_name;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use cct::engine::{self, Gate, Task};
use cct::known::{BODY, behind_pointers};
use cct::tsvd::TaskParty;

/// `.await`, for everything that can be awaited.
pub trait AwaitPoint: IntoFuture + Sized {
    /// The awaited future, with the await point before it. `_here` is a closure that stands in the async
    /// body:
    /// its type is named after it.
    #[doc(hidden)]
    #[track_caller]
    fn __cct_await<Here>(self, _here: Here) -> Awaited<Self::IntoFuture, Here> {
        Awaited {
            gate: Gate::new(),
            site: Location::caller(),
            here: PhantomData,
            future: self.into_future(),
        }
    }
}

impl<F: IntoFuture> AwaitPoint for F {}

/// A future that is awaited.
#[derive(Debug)]
pub struct Awaited<F, Here> {
    gate: Gate,
    site: &'static Location<'static>,
    // Neither `Send` nor anything else depends on the closure.
    here: PhantomData<fn() -> Here>,
    future: F,
}

impl<F: Future, Here> Future for Awaited<F, Here> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: the future is pinned with the whole, never moved, and the rest does not mind being so.
        let (gate, site, future) = unsafe {
            let this = self.get_unchecked_mut();
            let future = Pin::new_unchecked(&mut this.future);
            (&mut this.gate, this.site, future)
        };
        let (body, awaited) = (body::<Here>(), type_name::<F>());
        gate.poll(body, awaited, site, context, |context| future.poll(context))
    }
}

/// The name of the async body in which the closure stands.
fn body<Here>() -> &'static str {
    let name = type_name::<Here>();
    name.strip_suffix(BODY).unwrap_or(name)
}

/// A future that an executor drives.
#[derive(Debug)]
pub struct Driven<F> {
    task: Task,
    /// Its identity where nobody controls it.
    party: TaskParty,
    future: F,
}

impl<F: Future> Driven<F> {
    /// The future that an executor is given to spawn.
    #[track_caller]
    pub fn spawned(future: F) -> Driven<F> {
        let task = if is_driven::<F>() {
            Task::none()
        } else {
            Task::spawned()
        };
        Driven {
            task,
            party: TaskParty::made(),
            future,
        }
    }

    /// The future that `block_on` is given.
    #[track_caller]
    pub fn root(future: F) -> Driven<F> {
        let task = if is_driven::<F>() {
            Task::none()
        } else {
            Task::root()
        };
        Driven {
            task,
            party: TaskParty::made(),
            future,
        }
    }

    /// The argument of a call that may drive it, or return a future that does.
    #[track_caller]
    pub fn handed(future: F) -> Driven<F> {
        let task = if is_driven::<F>() {
            Task::none()
        } else {
            Task::handed()
        };
        Driven {
            task,
            party: TaskParty::made(),
            future,
        }
    }
}

impl<F: Future> Future for Driven<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: as for `Awaited`.
        let (task, party, future) = unsafe {
            let this = self.get_unchecked_mut();
            let future = Pin::new_unchecked(&mut this.future);
            (&mut this.task, &mut this.party, future)
        };
        let (own, inner) = (type_name::<Driven<F>>(), type_name::<F>());
        let place = (&raw const *future).cast::<u8>();
        let place = (place, size_of::<F>());
        let poll = |context: &mut Context<'_>| party.poll(|| future.poll(context));
        task.poll(own, inner, place, context, poll)
    }
}

/// The end of a call that a future may have been handed to, as a method of its result.
pub trait Returned: Sized {
    /// The result.
    #[doc(hidden)]
    #[expect(
        clippy::return_self_not_must_use,
        reason = "it is as important as the call's result"
    )]
    fn __cct_returned(self) -> Self {
        engine::handing_is_over();
        self
    }
}

impl<T> Returned for T {}

/// Tells whether this is a [`Driven`] future, or a pointer to one: what a function is given, and spawns,
/// stays the task that it is.
fn is_driven<F>() -> bool {
    let unit = type_name::<Driven<()>>();
    let driven = unit.strip_suffix("()>").unwrap_or(unit);
    behind_pointers(type_name::<F>()).starts_with(driven)
}

/// An argument of a call that may spawn a future, or may not: a closure stays what it is.
///
/// Which it is, method resolution finds out: the methods of [`Handed`] itself need a future, and those of a
/// reference to it do not.
#[derive(Debug)]
pub struct Handed<T>(pub Option<T>);

/// [`Handed`] is a future.
pub trait HandedFuture {
    /// The future that the executor is given instead.
    type Driven;
    #[doc(hidden)]
    fn __cct_spawned(self) -> Self::Driven;
    #[doc(hidden)]
    fn __cct_root(self) -> Self::Driven;
    #[doc(hidden)]
    fn __cct_handed(self) -> Self::Driven;
}

impl<F: Future> HandedFuture for Handed<F> {
    type Driven = Driven<F>;

    #[track_caller]
    fn __cct_spawned(self) -> Driven<F> {
        Driven::spawned(self.0.expect(FULL))
    }

    #[track_caller]
    fn __cct_root(self) -> Driven<F> {
        Driven::root(self.0.expect(FULL))
    }

    #[track_caller]
    fn __cct_handed(self) -> Driven<F> {
        Driven::handed(self.0.expect(FULL))
    }
}

/// [`Handed`] is something else.
pub trait HandedValue {
    /// Its kind.
    type Value;
    #[doc(hidden)]
    fn __cct_spawned(&mut self) -> Self::Value;
    #[doc(hidden)]
    fn __cct_root(&mut self) -> Self::Value;
    #[doc(hidden)]
    fn __cct_handed(&mut self) -> Self::Value;
}

impl<T> HandedValue for Handed<T> {
    type Value = T;

    fn __cct_spawned(&mut self) -> T {
        self.0.take().expect(FULL)
    }

    fn __cct_root(&mut self) -> T {
        self.0.take().expect(FULL)
    }

    fn __cct_handed(&mut self) -> T {
        self.0.take().expect(FULL)
    }
}

const FULL: &str = "what is handed over is taken once";

/// Around the argument of a call that spawns.
///
/// Not in a block of its own, at whose end temporaries of the argument would be dropped: the traits come
/// from the prelude, as this macro does.
#[macro_export]
macro_rules! __cct_task {
    ($($argument:tt)*) => {
        $crate::future::Handed($crate::real::option::Option::Some($($argument)*)).__cct_spawned()
    };
}

/// Around the argument of a call that drives a future until it is ready.
#[macro_export]
macro_rules! __cct_root {
    ($($argument:tt)*) => {
        $crate::future::Handed($crate::real::option::Option::Some($($argument)*)).__cct_root()
    };
}

/// Around the argument of a call that may drive a future, or return one that does, or do neither; the call
/// is followed by `.__cct_returned()`.
#[macro_export]
macro_rules! __cct_handed {
    ($($argument:tt)*) => {
        $crate::future::Handed($crate::real::option::Option::Some($($argument)*)).__cct_handed()
    };
}
