//! The handle by which a thread is waited for.

use cct::engine;
use cct::specification::{End, Eventual, worker_ends};
use real::borrow::Cow;
use real::fmt;
use real::os::unix::thread::{JoinHandleExt, RawPthread};
use real::panic::Location;
use real::time::Duration;

use super::handle::{Seen, Worker};
use super::packet::Packet;
use super::{Result, Thread};
use crate::shared::Shared;
use crate::symbols::pthread::handle;

/// An owned permission to join a thread; the thread is detached when it is dropped.
pub struct JoinHandle<T> {
    flow: Flow,
    thread: Thread,
    packet: Shared<Packet<T>>,
}

/// The worker or thread behind the handle.
pub(super) enum Flow {
    Native(real::thread::JoinHandle<()>),
    Worker(Worker),
}

// SAFETY: as in std: the result is only reached by value, and it was `Send` when the thread was
// spawned.
unsafe impl<T> Send for JoinHandle<T> {}
// SAFETY: as above; a shared handle gives no access to the result.
unsafe impl<T> Sync for JoinHandle<T> {}

impl<T> JoinHandle<T> {
    pub(super) fn new(flow: Flow, thread: Thread, packet: Shared<Packet<T>>) -> JoinHandle<T> {
        JoinHandle {
            flow,
            thread,
            packet,
        }
    }

    /// Returns the thread's handle.
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Waits for the thread to end and returns its result, or what it panicked with.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        let mut joined = None;
        match self.flow {
            Flow::Native(thread) => thread.join()?,
            Flow::Worker(worker) => match worker.seen() {
                Seen::Live => {
                    engine::join(worker.id);
                    joined = Some(worker.id);
                }
                Seen::Stale => {}
                Seen::FromOutside => poll_until_alone(&self.packet),
            },
        }
        // SAFETY: the thread has ended, or was cut off with its iteration.
        let result = unsafe { self.packet.take() };
        if let (Some(Err(_)), Some(worker)) = (&result, joined) {
            engine::told_of_worker(worker, Some("Any { .. }"));
        }
        result.unwrap_or_else(|| {
            Err(Box::new(
                "the worker was cut off at the end of its iteration",
            ))
        })
    }

    /// True once the thread's closure has come to its end.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        let Flow::Worker(worker) = self.flow else {
            return is_alone(&self.packet);
        };
        match worker.seen() {
            Seen::Live => {
                let is_over = || is_alone(&self.packet);
                engine::check_over(worker.id, Location::caller(), is_over)
            }
            Seen::Stale => true,
            Seen::FromOutside => is_alone(&self.packet),
        }
    }
}

/// True when the thread has let go of its packet.
fn is_alone<T>(packet: &Shared<Packet<T>>) -> bool {
    Shared::is_only(packet)
}

/// Waits on a thread that the engine does not control, and so cannot wake.
fn poll_until_alone<T>(packet: &Shared<Packet<T>>) {
    while !is_alone(packet) {
        real::thread::sleep(Duration::from_micros(50));
    }
    real::sync::atomic::fence(real::sync::atomic::Ordering::Acquire);
}

/// For whoever is not a worker of the same iteration there is none: it is the caller's own.
impl<T> JoinHandleExt for JoinHandle<T> {
    fn as_pthread_t(&self) -> RawPthread {
        match &self.flow {
            Flow::Native(thread) => thread.as_pthread_t(),
            Flow::Worker(worker) => raw(worker),
        }
    }

    fn into_pthread_t(self) -> RawPthread {
        match self.flow {
            Flow::Native(thread) => thread.into_pthread_t(),
            Flow::Worker(worker) => raw(&worker),
        }
    }
}

fn raw(worker: &Worker) -> RawPthread {
    match worker.seen() {
        Seen::Live => handle(worker.id) as RawPthread,
        // SAFETY: it has no preconditions.
        Seen::Stale | Seen::FromOutside => unsafe { libc::pthread_self() as RawPthread },
    }
}

impl<T> Eventual<End> for JoinHandle<T> {
    type Watched = Self;

    fn watch(self, name: Cow<'static, str>, site: &'static Location<'static>) -> Self {
        if let Flow::Worker(worker) = &self.flow
            && matches!(worker.seen(), Seen::Live)
        {
            worker_ends(name, worker.id, site);
        }
        self
    }
}

impl<T> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle").finish_non_exhaustive()
    }
}
