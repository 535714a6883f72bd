//! Deadlines: when time passes, and whose time-out comes.
//!
//! Time moves to the earliest deadline when nobody can run, or when all who can only yield; by a little at
//! each look at the clock; and when somebody has slept for very many steps, since the others may go on for
//! ever until the sleeper stops them. It does not move with steps: however long work takes in the schedule
//! at hand, a sleep that was meant to outlast it does. The limit of a wait does not come because of many
//! steps alone: it is there for what never happens, and the others may be about to make it happen.
//!
//! Early time-outs are those that come although others can run.
//! In an iteration whose schedule says so, a worker that waits with a deadline is a candidate while it
//! waits, if nobody's deadline is earlier: picking it is its time-out. Time leaps to the deadline then, so
//! that deadlines come in their order, whatever the clock shows in between. Sleeps are never early: tests
//! sleep until others are done, and a sleep that ends before they are is an alarm that no machine shows.
//! The wait of who drives asynchronous tasks is a sleep while a task is known to sleep. Unless all time-outs
//! are to be early, none is that is far away, or that comes after a sleep: a program that sleeps keeps
//! time, and its later deadlines are meant in relation to its sleeps.
//!
//! Why it is like this, and what it finds and costs: `docs/timeouts.md`.

use super::children;
use super::engine::Engine;
use crate::claim::Exception;
use crate::engine::state::early::{REAL_SLEEP, is_sleep};
use crate::engine::state::worker::{State, Worker};
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::origin;

/// A deadline that never comes.
pub const NEVER: u64 = u64::MAX;

/// Time passes.
impl Engine {
    /// From here on there is a deadline, and three quarters of the steps that are left to wait for it.
    ///
    /// Most sleeps in tests mean "until the others are done", which this many steps may be too few for: the
    /// more there are, the better. The rest is for the steps of the sleeper afterwards.
    fn expect_deadline(&mut self) {
        let steps = self.steps();
        let left = self.budget.limit.saturating_sub(steps);
        self.time.sleep_ends_by = steps + left / 4 * 3;
    }

    /// Lets the earliest deadline come if somebody has slept through very many steps of others.
    #[inline]
    pub(crate) fn end_long_sleep(&mut self) {
        if self.time.next_deadline != NEVER && self.steps() >= self.time.sleep_ends_by {
            self.look_for_sleepers();
        }
    }

    #[cold]
    fn look_for_sleepers(&mut self) {
        let sleeps = |worker: &Worker| {
            worker.state() == State::Waiting && worker.operation == Operation::Sleep
        };
        if self.roster.iter().any(sleeps) {
            self.jump_to_next_deadline();
        } else {
            self.expect_deadline();
        }
    }

    /// Moves time to the next deadline and wakes all whose deadline has come; false if nobody has one.
    pub(crate) fn jump_to_next_deadline(&mut self) -> bool {
        // The kept bound may be that of a worker woken since; looking at all of them makes it exact.
        self.find_next_deadline();
        if self.time.next_deadline == NEVER || self.iteration.body_done {
            return false;
        }
        if children::keep_pace(self, self.time.next_deadline) {
            return true;
        }
        self.decision.limits.time = true;
        self.time.now = self.time.now.max(self.time.next_deadline);
        self.end_waits_until(self.time.now);
        self.expect_deadline();
        true
    }

    /// How many steps may pass without a look at the deadlines.
    #[inline]
    pub(crate) fn steps_to_deadline(&self) -> u32 {
        if self.time.next_deadline == NEVER {
            return u32::MAX;
        }
        let left = self.time.sleep_ends_by.saturating_sub(self.steps());
        left.saturating_sub(1)
    }

    /// Ends the wait of workers whose deadline is no later than `now`.
    pub(crate) fn end_waits_until(&mut self, now: u64) {
        for index in 0..self.roster.len() {
            let worker = self.roster.live()[index];
            // SAFETY: the engine's workers are live.
            unsafe {
                if (*worker).state() == State::Waiting && (*worker).deadline <= now {
                    self.roster.take_waiter(worker);
                    (*worker).timed_out = true;
                    // It finds out itself whether its lock is free: nobody can notify it any more.
                    (*worker).takes_next = None;
                    self.wake(worker);
                }
            }
        }
        self.find_next_deadline();
    }

    /// Finds the earliest deadline of those that wait.
    pub(crate) fn find_next_deadline(&mut self) {
        let mut waiting = self.roster.iter();
        let mut next = NEVER;
        while let Some(worker) = waiting.find(|worker| worker.state() == State::Waiting) {
            next = next.min(worker.deadline);
        }
        drop(waiting);
        self.time.next_deadline = next;
    }
}

/// The timers of actors.
impl Engine {
    /// Time leaps to the deadline, if nothing forbids that. True if it has come.
    pub(crate) fn leap_to(&mut self, deadline: u64) -> bool {
        if deadline <= self.time.now {
            return true;
        }
        // Nothing orders the ticks of different actors.
        let forbids = |worker: &Worker| {
            let is_earlier = worker.deadline < deadline && worker.operation != Operation::Tick;
            worker.state() == State::Waiting && (is_sleep(worker) || is_earlier)
        };
        let may_leap = deadline != NEVER
            && !self.outside.is_used
            && !self.outside.children.had_any()
            && !self.roster.iter().any(forbids);
        if may_leap {
            self.time.now = deadline;
            self.end_waits_until(deadline);
            self.change_width();
        }
        may_leap
    }
}

/// Deadlines come and go.
impl Engine {
    /// The worker has begun to wait, up to this deadline if it is one.
    pub(crate) fn note_deadline_of(&mut self, worker: &Worker, deadline: u64) {
        if deadline != NEVER {
            let is_real = deadline.saturating_sub(self.time.now) >= REAL_SLEEP;
            if is_real && is_sleep(worker) {
                self.time.early.first_awake = self.time.early.first_awake.min(deadline);
            }
            if is_sleep(worker) || !self.time.early.is_possible() {
                self.leave_out_deadline(worker);
            }
        }
        if deadline < self.time.next_deadline {
            if self.time.next_deadline == NEVER {
                self.expect_deadline();
            }
            self.time.next_deadline = deadline;
        }
    }

    /// The worker begins a wait that ends at its deadline only when nobody can run. Nobody can tell if it is
    /// the only one that has not ended.
    fn leave_out_deadline(&mut self, worker: &Worker) {
        let exception = match worker.operation {
            Operation::Sleep => Exception::Sleeps,
            _ => Exception::TimeOuts,
        };
        let is_other = |other: &Worker| other.id != worker.id && other.state() != State::Ended;
        if self.roster.iter().any(is_other) {
            self.leave_out(exception);
        }
    }

    /// A wait with a deadline begins or ends, or what is known of it changes: the next decision looks
    /// whose time-outs may be early.
    #[inline]
    pub(crate) fn deadlines_change(&mut self) {
        if self.time.early.is_possible() {
            self.time.early.is_stale = true;
            self.attend();
            // That is after the same step, however many pass undecided.
            self.budget.burn();
        }
    }

    /// [`deadlines_change`](Engine::deadlines_change), because of a wait until this deadline.
    #[inline]
    pub(crate) fn deadline_changes(&mut self, deadline: u64) {
        if deadline != NEVER && self.time.early.is_possible() {
            self.note_touched(ObjectId::CLOCK);
            self.deadlines_change();
        }
    }

    /// A task waits for what is known to be a sleep.
    pub(crate) fn begin_nap(&mut self) {
        self.time.early.sleeps += 1;
        self.deadlines_change();
    }

    /// That sleep is over, or is not waited for any longer.
    pub(crate) fn end_nap(&mut self, is_over: bool) {
        self.time.early.sleeps -= 1;
        if is_over {
            self.time.early.first_awake = self.time.early.first_awake.min(self.time.now);
        }
        self.deadlines_change();
    }
}

/// Early time-outs.
impl Engine {
    /// Finds out whose time-outs may be early, if that may have changed.
    #[inline]
    pub(crate) fn look_at_deadlines(&mut self) {
        if self.time.early.is_stale {
            self.find_early();
        }
    }

    #[cold]
    fn find_early(&mut self) {
        self.time.early.is_stale = false;
        self.find_next_deadline();
        let (now, next) = (self.time.now, self.time.next_deadline);
        let is_next = |worker: &Worker| worker.state() == State::Waiting && worker.deadline == next;
        let early = &self.time.early;
        let is_near = next != NEVER && next.saturating_sub(now) <= early.leap;
        let keeps_time = early.first_awake <= now && !early.is_everywhere();
        let may_end_sleep =
            |worker: &Worker| is_next(worker) && (is_sleep(worker) || self.may_drive_sleep(worker));
        let may_be_early = is_near
            && !keeps_time
            && early.is_possible()
            && !self.iteration.body_done
            && !self.outside.is_used
            && !self.roster.iter().any(may_end_sleep);
        if next != NEVER && !may_be_early && !self.iteration.body_done {
            self.leave_out_all_deadlines();
        }
        for index in 0..self.roster.len() {
            let worker = self.roster.live()[index];
            // SAFETY: the engine's workers are live.
            unsafe {
                let is_early = may_be_early && is_next(&*worker);
                if is_early && !(*worker).is_early {
                    self.roster.offer_time_out(worker);
                    if self.decision.driver.tell_early((*worker).id) {
                        self.budget.interrupt();
                    }
                } else if !is_early {
                    self.withdraw(worker);
                }
            }
        }
        self.change_width();
    }

    /// No time-out is early any more in this iteration.
    pub(crate) fn end_early(&mut self) {
        self.time.early.left = 0;
        self.time.early.is_stale = false;
        for index in 0..self.roster.len() {
            self.withdraw(self.roster.live()[index]);
        }
    }

    /// Everybody's deadline is late for now: a claim is to say so.
    fn leave_out_all_deadlines(&mut self) {
        for index in 0..self.roster.len() {
            // SAFETY: the engine's workers are live.
            let worker = unsafe { &*self.roster.live()[index] };
            if worker.state() == State::Waiting && worker.deadline != NEVER {
                self.leave_out_deadline(worker);
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
        let helps = origin::is_foreign(worker.spawned_at);
        let is_known = self.time.early.hears_of_awaits;
        (drives && !is_known) || (drives || helps) && self.time.early.sleeps > 0
    }

    /// The worker's time-out is no longer a candidate.
    pub(crate) fn withdraw(&mut self, worker: *mut Worker) {
        if self.roster.withdraw_time_out(worker) {
            // SAFETY: the engine's workers are live.
            let id = unsafe { (*worker).id };
            self.decision.driver.tell_late(id);
        }
    }

    /// The worker, which waits, has been picked: its deadline has come.
    #[cold]
    pub(crate) fn time_out(&mut self, worker: *mut Worker) {
        let could_run = |other: &Worker| (other.state() == State::Enabled).then_some(other.id.0);
        let early = &mut self.time.early;
        early.ahead_of.clear();
        early
            .ahead_of
            .extend(self.roster.iter_candidates().filter_map(could_run));
        if !early.ahead_of.is_empty() {
            // `u32::MAX` is no number.
            early.left -= u32::from(early.left != u32::MAX);
        }
        // SAFETY: the engine's workers are live, and this one's time-out is offered.
        unsafe {
            self.time.now = self.time.now.max((*worker).deadline);
            self.roster.time_out(worker);
        }
        // Others whose deadline it is too are still to be picked.
        self.time.early.is_stale = true;
        self.expect_deadline();
    }
}
