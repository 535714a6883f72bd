//! Waiting for what no single object stands for: the worker is woken once a look says that it can go on.
//!
//! Whoever changes something that is looked at calls [`look_again`]; exactly those whose look then succeeds
//! are woken. The outside calls nobody: what it may have changed is looked at by [`super::external`].

use std::panic::Location;

use super::external;
use super::state::{Engine, engine, outside};
use super::wait::{Wakeup, wait_at};
use super::worker::Worker;
use crate::operation::Operation;

/// Tells whether a waiting worker can go on.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// What is looked at; it stays where it is while the worker waits.
    pub at: *const (),
    /// True if the worker can go on at this virtual time. It runs outside the engine, and changes nothing.
    pub is_ready: unsafe fn(*const (), u64) -> bool,
    /// Who else can bring it about, besides the workers; it may change while the worker waits.
    pub awaits: unsafe fn(*const ()) -> Awaits,
}

/// Who can bring about what a worker waits for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Awaits {
    /// Controlled workers only.
    Workers,
    /// The kernel as well, at once or nearly so: both ends are in this process.
    Kernel,
    /// Anybody, at any time: another process, a signal.
    Outside,
}

/// [`wait`](super::wait()) until the look succeeds, or the deadline comes.
///
/// Wake-ups may be spurious here too: another worker may have been faster.
pub fn wait_until(
    operation: Operation,
    object: usize,
    deadline: u64,
    look: Look,
    site: &'static Location<'static>,
) -> Wakeup {
    let engine = engine();
    assert!(!engine.is_null(), "only a controlled worker can wait");
    // SAFETY: a set engine is live and the caller is its current worker; no reference is kept.
    unsafe {
        if (*engine).onlooker.is_none() {
            let worker = (*engine).current;
            (*worker).look = Some(look);
            outside(|| (*engine).looks.members.push(worker));
        }
    }
    wait_at(operation, object, deadline, None, site)
}

/// The current worker, or an uncontrolled thread, has changed what others may look at.
pub fn look_again() {
    let engine = engine();
    if engine.is_null() {
        external::notify();
        return;
    }
    // SAFETY: a set engine is live; no switch happens in here.
    unsafe {
        if !(*engine).looks.members.is_empty() {
            outside(|| (*engine).wake_ready());
        }
    }
}

/// Looks may succeed by the mere passing of time: who waits with one waits no longer than this without a
/// look. Controlled workers only.
pub fn look_by(deadline: u64) {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live, and so are members; no switch happens in here.
    unsafe {
        outside(|| (*engine).deadline_changes(deadline));
        for &worker in &(*engine).looks.members {
            (*worker).deadline = (*worker).deadline.min(deadline);
            (*engine).next_deadline = (*engine).next_deadline.min(deadline);
        }
    }
}

/// Who waits with a look, by order of waiting.
#[derive(Debug, Default)]
pub(super) struct Looks {
    members: Vec<*mut Worker>,
    /// The iteration has to do with the outside: looks may succeed although no worker does anything.
    pub(super) has_outside: bool,
    /// Something has been done lately that the outside may answer.
    pub(super) stirred: bool,
}

impl Looks {
    /// An iteration begins.
    pub(super) fn clear(&mut self) {
        self.members.clear();
        self.has_outside = false;
        self.stirred = false;
    }

    /// True if somebody waits whom the outside may wake.
    #[inline]
    pub(super) fn await_outside(&self) -> bool {
        self.has_outside && !self.members.is_empty()
    }

    /// The worker is woken, and looks no more.
    pub(super) fn remove(&mut self, worker: *mut Worker) {
        self.members.retain(|&member| member != worker);
    }
}

impl Engine {
    /// Wakes those whose look succeeds; true if there are any.
    pub(super) fn wake_ready(&mut self) -> bool {
        let mut any = false;
        let mut index = 0;
        while let Some(&worker) = self.looks.members.get(index) {
            // SAFETY: members are live, and what one looks at is there while it waits.
            let is_ready = unsafe {
                (*worker)
                    .look
                    .is_some_and(|look| (look.is_ready)(look.at, self.time))
            };
            if is_ready {
                any = true;
                self.waiters.take(worker);
                // It is a member no more: the next one has its place.
                self.enable(worker);
            } else {
                index += 1;
            }
        }
        if any {
            self.change_width();
        }
        any
    }

    /// The farthest that anybody who waits with a look hopes for.
    pub(super) fn farthest_awaited(&self) -> Awaits {
        // SAFETY: as in `wake_ready`.
        let awaited = self
            .looks
            .members
            .iter()
            .filter_map(|&worker| unsafe { (*worker).look.map(|look| (look.awaits)(look.at)) });
        awaited.max().unwrap_or(Awaits::Workers)
    }
}
