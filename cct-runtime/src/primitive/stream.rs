//! The machine of the locks of standard output and standard error.
//!
//! std's own are locks that one thread may take again and again, and to std all workers are one thread. So
//! each stream has a lock of ours in front, for controlled workers only. A thread has it, whichever of its
//! tasks has taken it.
//!
//! Taking it by `lock` is a step, and so is giving it back, unless that comes within the same step. A print
//! takes it for a moment, which is no step as a rule: `engine/state/iteration.rs` says why. To `dpor` it adds
//! to the stream, unless the stream turns out to be kept: prints commute with each other, but not with a
//! lock. That some schedules are missing then is noted when it may matter: when the lock was kept from one
//! step to another, and somebody printed without a step.

use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use super::MutexMachine;
use crate::claim::Exception;
use crate::engine;
use crate::operation::Operation;

/// The holder of a stream. Only workers change it, one at a time; put back with each iteration, as the
/// program's statics are.
#[derive(Debug)]
pub struct StreamMachine {
    mutex: MutexMachine,
    /// The thread that has it, or [`NOBODY`].
    thread: AtomicU32,
    /// How many times that thread has taken it.
    count: AtomicU32,
    /// The step in which it took it first.
    since: AtomicU32,
    /// It was kept from one step to another.
    was_kept: AtomicBool,
    /// Somebody has printed without a step.
    was_printed_to: AtomicBool,
}

const NOBODY: u32 = u32::MAX;

/// That a stream is held, by a worker in an iteration or by nobody that the engine knows.
#[derive(Debug)]
pub struct StreamHold {
    machine: &'static StreamMachine,
    run: u64,
    site: &'static Location<'static>,
}

impl StreamMachine {
    /// A free stream.
    #[expect(
        clippy::new_without_default,
        reason = "machines live in statics and need `const`"
    )]
    pub const fn new() -> StreamMachine {
        StreamMachine {
            mutex: MutexMachine::new(),
            thread: AtomicU32::new(NOBODY),
            count: AtomicU32::new(0),
            since: AtomicU32::new(0),
            was_kept: AtomicBool::new(false),
            was_printed_to: AtomicBool::new(false),
        }
    }

    /// Takes the stream until the hold is dropped; none where std's own lock is enough.
    #[track_caller]
    pub fn lock(&'static self) -> Option<StreamHold> {
        let site = Location::caller();
        let thread = asking()?;
        if !self.has(thread) {
            self.mutex.take_controlled(site);
            self.taken_by(thread, engine::step_number());
        }
        Some(self.hold(site))
    }

    /// Takes the stream for as long as a print takes; none where std's own lock is enough.
    #[track_caller]
    pub fn enter(&'static self) -> Option<StreamHold> {
        let site = Location::caller();
        let thread = asking()?;
        if !self.has(thread) {
            if engine::prints_are_steps() {
                self.mutex.take_controlled(site);
            } else {
                self.mutex.take_within_step(site);
                engine::begin_print(self.mutex.object());
                self.was_printed_to.store(true, Relaxed);
                self.note_what_is_missing();
            }
            self.taken_by(thread, engine::step_number());
        }
        Some(self.hold(site))
    }

    fn has(&self, thread: u32) -> bool {
        self.thread.load(Relaxed) == thread
    }

    fn taken_by(&self, thread: u32, step: u32) {
        self.thread.store(thread, Relaxed);
        self.count.store(0, Relaxed);
        self.since.store(step, Relaxed);
    }

    fn hold(&'static self, site: &'static Location<'static>) -> StreamHold {
        self.take_again();
        StreamHold {
            machine: self,
            run: engine::run_number(),
            site,
        }
    }

    /// Counts one more hold of the thread that has it.
    fn take_again(&self) {
        self.count.fetch_add(1, Relaxed);
    }

    /// Counts one hold less; true if it was the last.
    fn give_one_back(&self) -> bool {
        self.count.fetch_sub(1, Relaxed) == 1
    }

    fn give_back(&self, site: &'static Location<'static>) {
        if !self.give_one_back() {
            return;
        }
        if self.is_kept(engine::step_number()) {
            self.was_kept.store(true, Relaxed);
            self.note_what_is_missing();
            // The point comes first, so that others can still find the stream held.
            engine::point_at(Operation::Unlock, self.mutex.object(), site).done();
        }
        engine::end_print(self.mutex.object());
        self.thread.store(NOBODY, Relaxed);
        self.mutex.release();
    }

    /// True in another step than that in which it was taken first.
    fn is_kept(&self, step: u32) -> bool {
        step != self.since.load(Relaxed)
    }

    fn note_what_is_missing(&self) {
        if self.was_kept.load(Relaxed) && self.was_printed_to.load(Relaxed) {
            engine::leave_out(Exception::Prints);
        }
    }
}

/// The thread that asks, if its engine has a say.
fn asking() -> Option<u32> {
    let thread = engine::current_thread()?;
    (!engine::is_aside()).then_some(thread.0)
}

impl Drop for StreamHold {
    fn drop(&mut self) {
        // A lock that an iteration has left behind is nobody's.
        if engine::is_controlled() && engine::run_number() == self.run && !engine::is_aside() {
            self.machine.give_back(self.site);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn off_the_engine_the_lock_of_std_is_enough() {
        static STREAM: StreamMachine = StreamMachine::new();
        assert!(STREAM.lock().is_none() && STREAM.enter().is_none());
        assert!(STREAM.has(NOBODY));
        assert!(STREAM.mutex.try_lock().is_some(), "nobody has taken it");
    }

    #[test]
    fn a_thread_that_has_it_may_take_it_again() {
        let stream = StreamMachine::new();
        stream.taken_by(7, 3);
        assert!(stream.has(7) && !stream.has(8));
        stream.take_again();
        stream.take_again();
        assert!(!stream.give_one_back() && stream.give_one_back());
        stream.taken_by(8, 4);
        stream.take_again();
        assert!(stream.has(8) && stream.give_one_back());
    }

    #[test]
    fn a_lock_that_outlives_its_step_is_kept() {
        let stream = StreamMachine::new();
        stream.taken_by(7, 3);
        assert!(!stream.is_kept(3) && stream.is_kept(4));
    }
}
