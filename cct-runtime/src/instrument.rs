//! Instrumentation: brings a runtime under control whose threads or locks the engine does not know.
//!
//! Programs that use std, or block in a futex, are under control as they are. Others block where
//! the engine cannot see it: in a pipe, in a lock of a C library. Such a runtime is made
//! controllable by a few calls where it creates its threads and where it blocks; they do nothing
//! where no engine is. `examples/custom-runtime` is a thread pool to copy from.
//!
//! # Workers
//!
//! Where the runtime would create a thread it asks for a worker instead: [`NewWorker::create`]. A
//! worker is a stack of its own, and *no* thread of the operating system: all workers take turns on
//! one. That it starts, completes, and panics is the engine's business. Where no engine is, the
//! closure comes back, and the runtime creates its thread.
//!
//! ```
//! use cct::instrument::NewWorker;
//!
//! fn start(body: impl FnOnce() + Send + 'static) {
//!     if let Err(body) = NewWorker::named("pool").create(body) {
//!         std::thread::spawn(body);
//!     }
//! }
//! start(|| println!("at work"));
//! ```
//!
//! A runtime that runs tasks in pieces, each piece made runnable by another, creates a worker a
//! piece and says which [chain](NewWorker::in_chain) it goes on with: `task-pct` gives priorities to
//! chains.
//!
//! # Waiting
//!
//! Only one worker runs at a time, so one that blocks in the kernel blocks all. The rule is: *wait
//! first, then block*. A worker waits, by a call from here, until the operation can no longer block;
//! then it performs the operation, at once.
//!
//! - For a [`Resource`]: [`wait_until`](Resource::wait_until) it is ready; the provider says so by
//!   [`change`](Resource::change). The predicate is evaluated again at each signal, and only then.
//! - For a predicate: [`pause_until`], which is evaluated after each step. Simple, and slow.
//!
//! Both evaluate the predicate *aside*: nothing in it is a scheduling point. And there is none between
//! the predicate's truth and the next operation of the worker, so the predicate still holds then. If no
//! worker can run, it is a deadlock, and the report says which worker waits where.
//!
//! # Scheduling points
//!
//! Each call is one. Between them a worker runs alone, so an operation that other workers may observe
//! needs a point of its own, *before* it happens: [`schedule_next_worker`], or [`reads`] and [`writes`]
//! of a plain variable, which name the object for strategies that use dependence. A loop that waits
//! actively calls [`spins`].
//!
//! # From other tools
//!
//! | elsewhere | here |
//! |---|---|
//! | create, start, complete operation | [`NewWorker::create`] |
//! | wait for an operation's completion | [`join_worker`] |
//! | pause until a condition | [`pause_until`] |
//! | wait for and signal a resource | [`Resource`] |
//! | schedule the next operation | [`schedule_next_worker`] |
//! | current operation | [`current_worker`] |
//! | next boolean, next integer | [`choose_bool`], [`choose_index`] |

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

use crate::engine::{self, NEVER};
use crate::object::ObjectId;
use crate::operation::Operation;

pub use crate::nondet::{nondet_bool as choose_bool, nondet_index as choose_index};
pub use crate::strategy::{ChainId, WorkerId};

/// True where a runtime has to ask: on a worker of the engine.
pub fn is_controlled() -> bool {
    engine::is_controlled()
}

/// The worker that calls; none where no engine is.
pub fn current_worker() -> Option<WorkerId> {
    engine::current()
}

/// The chain that the calling worker belongs to; none where no engine is.
pub fn current_chain() -> Option<ChainId> {
    engine::current().map(engine::chain_of)
}

/// A worker to be created.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewWorker<'a> {
    name: Option<&'a str>,
    stack_size: Option<usize>,
    chain: Option<ChainId>,
}

impl<'a> NewWorker<'a> {
    /// A worker with a name for the report.
    #[must_use]
    pub fn named(name: &'a str) -> NewWorker<'a> {
        NewWorker {
            name: Some(name),
            ..NewWorker::default()
        }
    }

    /// With a stack of this many bytes.
    #[must_use]
    pub fn with_stack(self, bytes: usize) -> Self {
        NewWorker {
            stack_size: Some(bytes),
            ..self
        }
    }

    /// As a continuation: it belongs to the chain of the work that made it runnable, not to a new
    /// one.
    #[must_use]
    pub fn in_chain(self, chain: ChainId) -> Self {
        NewWorker {
            chain: Some(chain),
            ..self
        }
    }

    /// Creates the worker; it is a candidate from now on. Gives the closure back where no engine
    /// is, and when there is no memory for its stack.
    ///
    /// A panic in `body` ends the worker; the test fails if the runtime passes it on.
    #[track_caller]
    pub fn create<F: FnOnce() + 'static>(self, body: F) -> Result<WorkerId, F> {
        if !is_controlled() {
            return Err(body);
        }
        // Shared, so that it can be given back; all workers are on one OS thread.
        let body = Rc::new(Cell::new(Some(body)));
        let given = Rc::clone(&body);
        let run = move || {
            if let Some(body) = given.take()
                && catch_unwind(AssertUnwindSafe(body)).is_err()
            {
                engine::worker_panicked();
            }
        };
        let id = engine::spawn_in(self.name, self.stack_size, self.chain, Box::new(run));
        id.ok_or_else(|| {
            body.take()
                .expect("a worker that was not created did not run")
        })
    }
}

/// Waits until a worker of this iteration has ended; its panic counts as noticed. Controlled
/// workers only.
#[track_caller]
pub fn join_worker(worker: WorkerId) {
    engine::join(worker);
}

/// A scheduling point of the runtime's own, before something that others can see; `name` is for the
/// report.
#[track_caller]
pub fn schedule_next_worker(name: &str) {
    engine::point_at(Operation::Custom, ObjectId::NONE, Location::caller()).named(name);
}

/// The same before an operation on `object`: strategies that use dependence take the operation
/// for independent of those on other objects.
#[track_caller]
pub fn schedule_before<T: ?Sized>(name: &str, object: &T) {
    engine::point_at(Operation::Custom, ObjectId::of(object), Location::caller()).named(name);
}

/// A scheduling point before a plain variable is read.
#[track_caller]
pub fn reads<T: ?Sized>(variable: &T) {
    engine::point_at(
        Operation::PlainLoad,
        ObjectId::of(variable),
        Location::caller(),
    )
    .done();
}

/// A scheduling point before a plain variable is written.
#[track_caller]
pub fn writes<T: ?Sized>(variable: &T) {
    engine::point_at(
        Operation::PlainStore,
        ObjectId::of(variable),
        Location::caller(),
    )
    .done();
}

/// Says that the worker spins: it waits for others without waiting.
#[track_caller]
pub fn spins() {
    engine::point_at(Operation::SpinLoop, ObjectId::NONE, Location::caller()).done();
}

/// Pauses the worker until the predicate is true, which is evaluated after each step. Returns at
/// once where no engine is.
///
/// The predicate should only read, and is evaluated on no worker's behalf.
#[track_caller]
pub fn pause_until(mut predicate: impl FnMut() -> bool) {
    if !is_controlled() {
        return;
    }
    let site = Location::caller();
    if engine::holds(&mut predicate) {
        engine::point_at(Operation::PauseUntil, ObjectId::NONE, site).done();
    }
    while !engine::holds(&mut predicate) {
        engine::conditions::pause(&mut predicate, site);
    }
    engine::acquire_all();
}

/// Something that workers wait for: room in a queue, a permit, a message. Its address is its
/// identity.
#[derive(Debug, Default)]
pub struct Resource {
    /// Makes each resource a place of its own.
    _place: u8,
}

impl Resource {
    /// A resource; `const`, so that it can be part of a static.
    #[must_use]
    pub const fn new() -> Resource {
        Resource { _place: 0 }
    }

    /// Waits until `ready` is true: now, or after a [`signal`](Resource::signal). Returns at once
    /// where no engine is.
    ///
    /// `ready` may also take what it finds; nobody comes in between.
    #[track_caller]
    pub fn wait_until(&self, ready: impl FnMut() -> bool) {
        self.wait(NEVER, ready, || None, Location::caller());
    }

    /// The same up to a time, which is virtual; false if it is over. True at once where no engine
    /// is.
    #[track_caller]
    pub fn wait_timeout(&self, time: Duration, ready: impl FnMut() -> bool) -> bool {
        let deadline = if is_controlled() {
            engine::deadline_after(time)
        } else {
            NEVER
        };
        self.wait(deadline, ready, || None, Location::caller())
    }

    /// Waits for something that one worker at a time has, a lock: until `holder` is none. Then
    /// `ready` is taken to be true. Circles of those who hold and wait are found at once.
    #[track_caller]
    pub fn wait_while_held(&self, holder: impl Fn() -> Option<WorkerId>) {
        let is_free = || holder().is_none();
        self.wait(NEVER, is_free, &holder, Location::caller());
    }

    /// Changes what is waited for: a scheduling point, the change, and a
    /// [`signal`](Resource::signal). `name` is for the report. Where no engine is, the change is
    /// all.
    #[track_caller]
    pub fn change<R>(&self, name: &str, change: impl FnOnce() -> R) -> R {
        engine::point_at(Operation::Signal, self.object(), Location::caller()).named(name);
        let result = change();
        self.signal();
        result
    }

    /// The awaited thing may be there: all waiters try again. No scheduling point; does nothing
    /// where no engine is.
    pub fn signal(&self) {
        if is_controlled() {
            engine::release(self.object());
            engine::wake_all(self.object());
        }
    }

    /// The same for one that waits, whom the strategy chooses; false if there is none.
    pub fn signal_one(&self) -> bool {
        engine::release(self.object());
        is_controlled() && engine::wake_one(self.object())
    }

    fn wait(
        &self,
        deadline: u64,
        mut ready: impl FnMut() -> bool,
        holder: impl Fn() -> Option<WorkerId>,
        site: &'static Location<'static>,
    ) -> bool {
        if !is_controlled() {
            return true;
        }
        // The point comes before it is taken: others may take it first.
        engine::point_at(Operation::WaitUntil, self.object(), site).done();
        loop {
            if engine::holds(&mut ready) {
                engine::acquire(self.object());
                return true;
            }
            let holder = holder();
            let object = self.object();
            let wakeup = engine::wait_at(Operation::WaitUntil, object, deadline, holder, site);
            if wakeup == engine::Wakeup::TimedOut {
                engine::acquire(self.object());
                return engine::holds(&mut ready);
            }
        }
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(self)
    }
}
