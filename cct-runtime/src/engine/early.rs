//! Early time-outs: those that come although others can run.
//!
//! In an iteration whose schedule says so, a worker that waits with a deadline is a candidate while it
//! waits, if nobody's deadline is earlier: picking it is its time-out. Time leaps to the deadline then, so
//! that deadlines come in their order, whatever the clock shows in between. Sleeps are never early: tests
//! sleep until others are done, and a sleep that ends before they are is an alarm that no machine shows.
//! The wait of who drives asynchronous tasks is a sleep while a task is known to sleep. Unless all time-outs
//! are to be early, none is that is far away, or that comes after a sleep: a program that sleeps keeps
//! time, and its later deadlines are meant in relation to its sleeps.
//!
//! Why it is like this, and what it finds and costs: `docs/timeouts.md`.

use super::clock::{self, NEVER};
use super::state::{Engine, engine};
use super::worker::{State, Worker};
use crate::operation::{Access, Operation};
use crate::strategy::{CLOCK, WorkerId};
use crate::trace::Schedule;

/// The rule of the iteration under way.
#[derive(Debug, Default)]
pub(super) struct Early {
    /// How many more time-outs may be early.
    left: u32,
    /// How far away they may be, in nanoseconds.
    leap: u64,
    /// Deadlines have come or gone since it was found out whose time-outs may be early.
    is_stale: bool,
    /// How many awaits wait for what is known to be a sleep.
    sleeps: u32,
    /// When the first sleep is over that somebody has begun, and is none for the sake of giving way.
    first_awake: u64,
    /// Code has been seen that tells of its awaits.
    hears_of_awaits: bool,
    /// The workers that could run when the picked one timed out.
    pub(super) ahead_of: Vec<u32>,
}

impl Early {
    /// An iteration begins.
    pub(super) fn begin(&mut self, head: &Schedule) {
        (self.left, self.leap) = (head.early, head.leap);
        self.is_stale = false;
        self.sleeps = 0;
        self.first_awake = NEVER;
        self.hears_of_awaits = false;
        self.ahead_of.clear();
    }

    /// True if a time-out may still be early in this iteration.
    #[inline]
    pub(super) fn is_possible(&self) -> bool {
        self.left > 0
    }

    /// True if time-outs are early wherever they are.
    fn is_everywhere(&self) -> bool {
        self.leap == u64::MAX
    }

    /// The worker waits from now on, up to a deadline.
    pub(super) fn note_wait(&mut self, worker: &Worker, now: u64) {
        if is_sleep(worker) && worker.deadline.saturating_sub(now) >= REAL_SLEEP {
            self.first_awake = self.first_awake.min(worker.deadline);
        }
    }
}

/// A sleep shorter than this, in nanoseconds, only gives way.
const REAL_SLEEP: u64 = 1_000_000;

/// A task waits for what is known to be a sleep.
pub(super) fn begin_nap(engine: &mut Engine) {
    engine.early.sleeps += 1;
    engine.deadlines_change();
}

/// That sleep is over, or is not waited for any longer.
pub(super) fn end_nap(engine: &mut Engine, is_over: bool) {
    engine.early.sleeps -= 1;
    if is_over {
        engine.early.first_awake = engine.early.first_awake.min(engine.time);
    }
    engine.deadlines_change();
}

/// An await is polled.
#[inline]
pub(super) fn hear_of_await(engine: &mut Engine) {
    engine.early.hears_of_awaits = true;
}

/// Says that what the current worker does next depends on the time at which it does so.
#[inline]
pub(super) fn touch_clock(access: Access) {
    let engine = engine();
    // SAFETY: a set engine is live; no switch happens in here.
    unsafe {
        if !engine.is_null() && (*engine).early.is_possible() {
            super::watch::touch(CLOCK, access);
        }
    }
}

/// The operation takes nothing but time.
fn is_sleep(worker: &Worker) -> bool {
    match worker.operation {
        Operation::Sleep => true,
        // For no descriptor at all.
        Operation::PollDescriptors => worker.object == 0,
        _ => false,
    }
}

impl Engine {
    /// A wait with a deadline begins or ends, or what is known of it changes: the next decision looks
    /// whose time-outs may be early.
    #[inline]
    pub(super) fn deadlines_change(&mut self) {
        if self.early.is_possible() {
            self.early.is_stale = true;
            // That is after the same step, however many pass undecided.
            self.burn_fuse();
        }
    }

    /// [`deadlines_change`](Engine::deadlines_change), because of a wait until this deadline.
    #[inline]
    pub(super) fn deadline_changes(&mut self, deadline: u64) {
        if deadline != NEVER && self.early.is_possible() {
            self.note_touched(CLOCK);
            self.deadlines_change();
        }
    }

    /// Finds out whose time-outs may be early, if that may have changed.
    #[inline]
    pub(super) fn look_at_deadlines(&mut self) {
        if self.early.is_stale {
            self.find_early();
        }
    }

    #[cold]
    fn find_early(&mut self) {
        self.early.is_stale = false;
        self.find_next_deadline();
        let next = self.next_deadline;
        let is_next = |worker: &Worker| worker.state == State::Waiting && worker.deadline == next;
        let is_near = next != NEVER && next.saturating_sub(self.time) <= self.early.leap;
        let keeps_time = self.early.first_awake <= self.time && !self.early.is_everywhere();
        let may_be_early = is_near
            && !keeps_time
            && self.early.is_possible()
            && !self.body_done
            && !self.looks.has_outside
            && !self.live_workers().iter().any(|&worker| {
                // SAFETY: the engine's workers are live.
                let worker = unsafe { &*worker };
                is_next(worker) && (is_sleep(worker) || self.may_drive_sleep(worker))
            });
        if next != NEVER && !may_be_early && !self.body_done {
            self.note_all_late();
        }
        for index in 0..self.worker_count {
            let worker = self.workers[index];
            // SAFETY: the engine's workers are live; one that waits is in the set if it is `early`.
            unsafe {
                let is_early = may_be_early && is_next(&*worker);
                if is_early && !(*worker).is_early {
                    (*worker).is_early = true;
                    self.enabled.insert(worker);
                    self.announce_early((*worker).id);
                } else if !is_early {
                    self.withdraw(worker);
                }
            }
        }
        self.change_width();
    }

    /// No time-out is early any more in this iteration.
    pub(super) fn end_early(&mut self) {
        self.early.left = 0;
        self.early.is_stale = false;
        for index in 0..self.worker_count {
            self.withdraw(self.workers[index]);
        }
    }

    /// The worker begins a wait with a deadline, which may be late for certain.
    pub(super) fn note_late(&mut self, worker: &Worker) {
        if is_sleep(worker) || !self.early.is_possible() {
            clock::note_deadline(self, worker);
        }
    }

    /// Everybody's deadline is late for now: a claim is to say so.
    fn note_all_late(&mut self) {
        for index in 0..self.worker_count {
            // SAFETY: the engine's workers are live.
            let worker = unsafe { &*self.workers[index] };
            if worker.state == State::Waiting && worker.deadline != NEVER {
                clock::note_deadline(self, worker);
            }
        }
    }

    /// True if the worker drives asynchronous tasks, and its deadline may be that of a sleep.
    fn may_drive_sleep(&self, worker: &Worker) -> bool {
        if worker.task.is_some() {
            return false;
        }
        let polls = matches!(
            worker.operation,
            Operation::EpollWait | Operation::PollDescriptors
        );
        let drives = polls || worker.roots > 0;
        // A dependency's own thread may keep the time for others.
        let helps = worker.spawned_at.file().starts_with('/');
        let is_known = self.early.hears_of_awaits;
        (drives && !is_known) || (drives || helps) && self.early.sleeps > 0
    }

    /// The worker's time-out is no candidate any more.
    pub(super) fn withdraw(&mut self, worker: *mut Worker) {
        // SAFETY: the engine's workers are live; one that is `early` is in the set.
        unsafe {
            if std::mem::take(&mut (*worker).is_early) {
                self.enabled.remove(worker);
                self.announce_late((*worker).id);
            }
        }
    }

    /// The worker, which waits, has been picked: its deadline has come.
    #[cold]
    pub(super) fn time_out(&mut self, worker: *mut Worker) {
        // SAFETY: members of the set are live.
        let could_run = self.enabled.members().iter().filter_map(|&other| unsafe {
            ((*other).state == State::Enabled).then_some((*other).id.0)
        });
        self.early.ahead_of.clear();
        self.early.ahead_of.extend(could_run);
        if !self.early.ahead_of.is_empty() {
            // `u32::MAX` is no number.
            self.early.left -= u32::from(self.early.left != u32::MAX);
        }
        self.waiters.take(worker);
        // SAFETY: the engine's workers are live.
        unsafe {
            self.time = self.time.max((*worker).deadline);
            (*worker).is_early = false;
            (*worker).timed_out = true;
            (*worker).state = State::Enabled;
            (*worker).deadline = NEVER;
            (*worker).holder = None;
            // It looks itself, now, whether its lock is free.
            (*worker).takes_next = None;
            if (*worker).look.take().is_some() {
                self.looks.remove(worker);
            }
        }
        // Others whose deadline it is too are still to be picked.
        self.early.is_stale = true;
        clock::be_patient(self);
    }

    /// Tells the strategy of a time-out that may come.
    fn announce_early(&mut self, id: WorkerId) {
        if self.driver.tell_early(id) {
            self.interrupt();
        }
    }

    /// Tells the strategy that it may not come any more.
    fn announce_late(&mut self, id: WorkerId) {
        self.driver.tell_late(id);
    }
}
