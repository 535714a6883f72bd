//! Obligations: a condition comes true, a future completes, a thread ends.

use std::borrow::Cow;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread::JoinHandle;

use crate::engine;
use crate::strategy::WorkerId;

/// Demands that something happens in the end: a condition comes true at least once, a future
/// completes, a thread ends.
///
/// It is overdue, *hot*, from here until it has happened. A condition is evaluated after each step,
/// as an [`invariant`](super::invariant()) is. A future is returned wrapped in [`Due`]; one that is
/// dropped before it completed stays overdue. A thread's handle comes back as it is.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// let stopped = Arc::new(AtomicBool::new(false));
/// let seen = Arc::clone(&stopped);
/// cct::eventually("the server stops", move || seen.load(Ordering::Relaxed));
/// stopped.store(true, Ordering::Relaxed);
///
/// let answer = cct::eventually("the answer comes", std::future::ready(42));
/// # let _ = answer;
///
/// let worker = cct::eventually("the worker ends", std::thread::spawn(|| 42));
/// # worker.join().unwrap();
/// ```
#[track_caller]
pub fn eventually<T: Eventual<Kind>, Kind>(
    name: impl Into<Cow<'static, str>>,
    what: T,
) -> T::Watched {
    what.watch(name.into(), Location::caller())
}

/// The subjects of an obligation. `Kind` only tells conditions, futures and handles
/// apart.
pub trait Eventual<Kind> {
    /// The value that is left to the caller.
    type Watched;

    /// Makes it overdue until it happens.
    fn watch(self, name: Cow<'static, str>, site: &'static Location<'static>) -> Self::Watched;
}

/// A condition, which comes true.
#[derive(Debug)]
pub enum Condition {}

/// A future, which completes.
#[derive(Debug)]
pub enum Completion {}

/// A thread, which ends.
#[derive(Debug)]
pub enum End {}

impl<F: FnMut() -> bool + 'static> Eventual<Condition> for F {
    type Watched = ();

    fn watch(self, name: Cow<'static, str>, site: &'static Location<'static>) {
        if engine::is_controlled() {
            engine::conditions::eventually(name, Box::new(self), site);
        }
    }
}

impl<F: Future> Eventual<Completion> for F {
    type Watched = Due<F>;

    fn watch(self, name: Cow<'static, str>, site: &'static Location<'static>) -> Due<F> {
        let heat = engine::is_controlled().then(|| engine::conditions::oblige(name, site));
        Due {
            hot: heat.map(|heat| (heat, engine::iteration())),
            site,
            future: self,
        }
    }
}

impl<T> Eventual<End> for JoinHandle<T> {
    type Watched = Self;

    /// A thread of std's own is not controlled: nothing is demanded of it.
    fn watch(self, _name: Cow<'static, str>, _site: &'static Location<'static>) -> Self {
        self
    }
}

/// Demands that a worker of this iteration ends; for the handles of threads. Controlled workers
/// only.
#[doc(hidden)]
pub fn worker_ends(name: Cow<'static, str>, worker: WorkerId, site: &'static Location<'static>) {
    let has_ended = Box::new(move || engine::is_finished(worker));
    engine::conditions::eventually(name, has_ended, site);
}

/// A future that must complete.
#[derive(Debug)]
#[must_use = "a future that is never polled does not complete"]
pub struct Due<F> {
    /// The reason why it is hot until then, and its iteration.
    hot: Option<(engine::HeatId, u64)>,
    site: &'static Location<'static>,
    future: F,
}

impl<F: Future> Future for Due<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `future` is pinned whenever `self` is: it is never moved out, and there is no
        // `Drop`.
        let (hot, site, future) = unsafe {
            let this = self.get_unchecked_mut();
            (
                &mut this.hot,
                this.site,
                Pin::new_unchecked(&mut this.future),
            )
        };
        let polled = future.poll(context);
        if polled.is_ready()
            && let Some((heat, iteration)) = hot.take()
            && iteration == engine::iteration()
        {
            engine::conditions::discharge(heat, site);
        }
        polled
    }
}
