//! Hush: a worker is in the program's global allocator, and nobody switches.
//!
//! An allocator's atomics and locks are no part of the concurrency under test: what it does is no step, and
//! leaves no trace in what the engine knows of the worker. It gives way only where it has to wait, for a lock
//! that somebody holds who is not in the allocator, such as who asks it for statistics.

use std::panic::Location;

use super::aside::Onlooker;
use super::external::is_engine_thread;
use super::state::{Engine, engine, is_controlled};
use crate::claim::Exception;
use crate::operation::Operation;
use crate::strategy::Action;

/// What is put back when the hush is over.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Hush {
    /// What is left of the fuse: points take the slow path meanwhile.
    pub(super) fuse: u32,
    idle: u32,
    keeps_values: bool,
    is_coarse: bool,
    is_watched: bool,
    in_atomic_call: bool,
    action: Action,
}

/// Runs `f`, of the program's global allocator, on the current worker. Controlled workers only.
#[inline]
pub fn hushed<R>(f: impl FnOnce() -> R) -> R {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live; no reference is kept while `f` runs.
    unsafe {
        // In the allocator already, or in a specification.
        if (*engine).onlooker.is_some() {
            return f();
        }
        (*engine).hush();
        let result = f();
        (*engine).end_hush();
        result
    }
}

/// True where the engine itself is at work, which allocates for itself.
#[inline]
pub fn is_at_work() -> bool {
    !is_controlled() && is_engine_thread()
}

impl Engine {
    /// The current worker is in the allocator from here on.
    #[inline]
    pub(super) fn hush(&mut self) {
        // SAFETY: the current worker is live.
        let worker = unsafe { &*self.current };
        self.hush = Hush {
            fuse: self.fuse,
            idle: self.idle,
            keeps_values: self.keeps_values,
            is_coarse: self.granularity.is_on,
            is_watched: self.watch.is_on,
            in_atomic_call: worker.in_atomic_call,
            action: worker.action(),
        };
        self.horizon -= self.fuse;
        self.fuse = 0;
        self.keeps_values = false;
        self.granularity.is_on = false;
        self.watch.is_on = false;
        self.onlooker = Some(Onlooker::Allocator);
        self.left_out.add(Exception::Allocators);
    }

    /// The current worker is not in the allocator any more, or others are going to run. False if it was not.
    #[inline]
    pub(super) fn end_hush(&mut self) -> bool {
        if self.onlooker != Some(Onlooker::Allocator) {
            return false;
        }
        self.fuse = self.hush.fuse;
        self.horizon += self.fuse;
        self.idle = self.hush.idle;
        self.keeps_values = self.hush.keeps_values;
        self.granularity.is_on = self.hush.is_coarse;
        self.watch.is_on = self.hush.is_watched;
        // SAFETY: the current worker is live.
        let worker = unsafe { &mut *self.current };
        worker.in_atomic_call = self.hush.in_atomic_call;
        worker.set_action(self.hush.action);
        self.onlooker = None;
        true
    }
}

impl Default for Hush {
    fn default() -> Self {
        Hush {
            fuse: 0,
            idle: 0,
            keeps_values: false,
            is_coarse: false,
            is_watched: false,
            in_atomic_call: false,
            action: Action {
                operation: Operation::Start,
                object: 0,
                also: 0,
                site: Location::caller(),
            },
        }
    }
}
