//! The handle by which a thread or worker is named and unparked.

use cct::engine::{self, WorkerId};
use real::fmt;

use super::ThreadId;
use crate::shared::Shared;

/// A handle to a thread; a pointer in size, as std's is: programs assert the sizes of what they put it in.
#[derive(Clone)]
pub struct Thread(Shared<Kind>);

enum Kind {
    Native(real::thread::Thread),
    Worker {
        worker: Worker,
        name: Option<Box<str>>,
    },
}

impl Thread {
    pub(super) fn of_native(thread: real::thread::Thread) -> Thread {
        Thread(Shared::new(Kind::Native(thread)))
    }

    pub(super) fn of_worker(worker: Worker, name: Option<Box<str>>) -> Thread {
        Thread(Shared::new(Kind::Worker { worker, name }))
    }

    /// The native thread, if it is one.
    pub(super) fn as_native(&self) -> Option<&real::thread::Thread> {
        match &*self.0 {
            Kind::Native(thread) => Some(thread),
            Kind::Worker { .. } => None,
        }
    }

    /// Gives the thread its park token. One that a worker of another iteration had goes nowhere.
    #[inline]
    #[track_caller]
    pub fn unpark(&self) {
        match &*self.0 {
            Kind::Native(thread) => thread.unpark(),
            Kind::Worker { worker, .. } => {
                engine::unpark(worker.iteration, worker.id);
            }
        }
    }

    /// Returns the thread's identity.
    pub fn id(&self) -> ThreadId {
        match &*self.0 {
            Kind::Native(thread) => ThreadId::of_native(thread.id()),
            Kind::Worker { worker, .. } => ThreadId::of_worker(worker.id),
        }
    }

    /// Returns the thread's name, if it has one.
    pub fn name(&self) -> Option<&str> {
        match &*self.0 {
            Kind::Native(thread) => thread.name(),
            Kind::Worker { name, .. } => name.as_deref(),
        }
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut thread = f.debug_struct("Thread");
        thread
            .field("id", &self.id())
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

/// A worker of a certain iteration: its number alone means another worker in each one.
#[derive(Clone, Copy)]
pub(super) struct Worker {
    pub(super) id: WorkerId,
    iteration: u64,
}

/// How the caller sees a worker.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// From a worker of the same iteration.
    Live,
    /// From a worker of another iteration: it was cut off when its own ended.
    Stale,
    /// From a thread that is not controlled.
    FromOutside,
}

impl Worker {
    /// The worker of this number in the iteration under way.
    pub(super) fn now(id: WorkerId) -> Worker {
        Worker {
            id,
            iteration: engine::iteration(),
        }
    }

    pub(super) fn seen(self) -> Seen {
        if !engine::is_controlled() {
            Seen::FromOutside
        } else if engine::iteration() == self.iteration {
            Seen::Live
        } else {
            Seen::Stale
        }
    }
}
