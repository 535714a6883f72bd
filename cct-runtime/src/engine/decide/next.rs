//! The decision: who runs next.
//!
//! [`decide`] is called by a switch, on the stack of the worker that hands over and before anything moves.

use std::ptr::null_mut;

use super::conditions;
use super::engine::{Engine, Request, on_spare_stack, set_engine};
use super::outside;
use super::signals;
use super::steps::reason_before;
use crate::claim::Exception;
use crate::engine::observe::debugged::{stop, stop_at};
use crate::engine::state::driven::Driven;
use crate::engine::state::iteration::End;
use crate::engine::state::worker::{State, Worker};
use crate::engine::switch::Context;
use crate::strategy::{Pick, Reason};
use crate::verdict::{BugKind, Verdict};

/// The longest time without a look at what the outside has to say, in steps.
pub(super) const LONGEST_FUSE: u32 = 256;

/// Proof that the current worker is suspended: what it can still see may be looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deciding(());

/// Decides who runs next; `context` is that of the current worker. Returns the context to switch to.
///
/// # Safety
///
/// The engine is live, and its current worker has just been suspended at `context`.
pub(crate) unsafe extern "C" fn decide(engine: *mut Engine, context: Context) -> Context {
    // Memory allocated in here is the engine's own and outlives the iteration.
    set_engine(null_mut());
    // SAFETY: the caller's; a picked worker is live.
    unsafe {
        (*(*engine).roster.current).context = context;
        if (*engine).decision_is_plain() {
            let Some(worker) = (*engine).next_plainly(Deciding(())) else {
                return (*engine).process.root;
            };
            (*engine).run_next(worker);
            set_engine(engine);
            return (*worker).context;
        }
        if (*(*engine).roster.current).stack.has(context.addr()) {
            decide_with_care(engine)
        } else {
            (*engine).process.has_other_stacks = true;
            on_spare_stack((*engine).process.spare, || decide_with_care(engine))
        }
    }
}

/// [`decide`] at the gate of a task that offers its place: where it goes on, the worker below does as well.
///
/// # Safety
///
/// As for [`decide`]; the current worker is a task that is polled.
pub(crate) unsafe extern "C" fn decide_who_has_place(
    engine: *mut Engine,
    context: Context,
) -> Context {
    // SAFETY: the caller's; who polls a task is live.
    unsafe {
        let part = Driven::of((*engine).roster.current);
        if let Some(poll) = (*part).polled() {
            (*poll.below).context = context;
        }
        decide(engine, context)
    }
}

/// [`decide`] where there may be more to do than to pick somebody.
///
/// # Safety
///
/// As for [`decide`].
#[inline(never)]
unsafe fn decide_with_care(engine: *mut Engine) -> Context {
    // SAFETY: the caller's; a picked worker is live.
    unsafe {
        if (*engine).aside.conditions.is_any() {
            conditions::look(engine);
        }
        let left = (*engine).roster.current;
        let Some(worker) = (*engine).next(Deciding(())) else {
            (*engine).stop_at_end();
            return (*engine).process.root;
        };
        let stop_before = (*engine).stop_before_step();
        if let Some(step) = stop_before
            && (*engine).observers.debugged.is_none()
        {
            (*engine).iteration.end = Some(End::stopped(step));
            return (*engine).process.root;
        }
        (*engine).run_next(worker);
        (*engine).begin_step(worker);
        if let Some(debugged) = &mut (*engine).observers.debugged {
            debugged.switched(&*left, &*worker);
            if let Some(step) = stop_before {
                let why = reason_before(step, &*worker);
                let is_here = std::ptr::eq((*left).stack.base, (*worker).stack.base);
                stop_at((!is_here).then_some((*worker).context), &why);
            }
        }
        if (*engine).process.c_locals.is_any() {
            let thread = (*(*worker).thread).id.0 as usize;
            (*engine).process.c_locals.switch_to(thread);
        }
        (*engine).decision.is_plain = (*engine).is_quiet();
        set_engine(engine);
        (*worker).context
    }
}

/// Begins an iteration: remembers the root context and starts with the first worker.
///
/// # Safety
///
/// The engine is live, and has its first worker.
pub(crate) unsafe extern "C" fn begin(engine: *mut Engine, context: Context) -> Context {
    // SAFETY: the caller's.
    unsafe {
        (*engine).process.root = context;
        let first = (*engine).roster.current;
        if let Some(step) = (*engine).stop_before_step() {
            if (*engine).observers.debugged.is_none() {
                (*engine).iteration.end = Some(End::stopped(step));
                return context;
            }
            stop_at(Some((*first).context), &reason_before(step, &*first));
        }
        (*engine).begin_step(first);
        set_engine(engine);
        (*first).context
    }
}

impl Engine {
    /// The worker runs from here on; what belongs to its thread alone is in place.
    #[inline]
    fn run_next(&mut self, worker: *mut Worker) {
        // SAFETY: a picked worker is live, as is each thread of the iteration; these are two.
        unsafe {
            let (left, next) = ((*self.roster.current).thread, (*worker).thread);
            if left != next {
                self.process.exchange(&mut *left, &mut *next);
            }
        }
        self.roster.run(worker);
    }

    /// Has a debugger stop if the iteration ends with a bug; at a panic it has stopped before.
    fn stop_at_end(&self) {
        let is_debugged = self.observers.debugged.is_some();
        if let Some(End {
            verdict: Verdict::Failed(bug),
            ..
        }) = &self.iteration.end
            && is_debugged
            && !matches!(bug.kind, BugKind::Panic | BugKind::UnobservedPanic)
        {
            stop(&bug.message);
        }
    }

    /// The worker that runs next; `None` when the iteration is over.
    fn next(&mut self, deciding: Deciding) -> Option<*mut Worker> {
        self.tell_step();
        let step = self.count_step();
        let current = self.roster.current;
        if self.decision.request == Request::Finish {
            return None;
        }
        if self.decision.request == Request::Point
            && step < self.budget.limit
            && self.roster.undisturbed == current
        {
            self.note_undisturbed();
            // The step counts all the same, so that a replay's runs have the same lengths.
            self.budget.quantum = self.budget.quantum.saturating_sub(1);
            return Some(current);
        }
        // Only those who are candidates in the end are there to be picked: the width may change until then.
        let counted = self.decision.width.choice_points;
        match self.decision.request {
            Request::Wait => {
                self.begin_wait();
                if self.iteration.end.is_none() {
                    self.check_lock_cycle();
                }
            }
            Request::End => self.end_current(),
            _ => {}
        }
        if self.progress.overtime.is_on {
            return self.next_in_overtime(deciding);
        }
        if self.iteration.end.is_some() {
            return None;
        }
        self.look_for_heat(step)?;
        if step >= self.budget.limit && !self.goes_on_alone() {
            if !self.iteration.body_done && self.begin_overtime() {
                return self.next_in_overtime(deciding);
            }
            self.cut_off();
            return None;
        }
        signals::take(self);
        outside::drain(self);
        if self.awaits_outside() {
            outside::let_finish(self);
        }
        self.end_long_sleep();
        self.look_at_deadlines();
        while self.roster.candidates().is_empty() {
            self.nobody_can_run()?;
            self.look_at_deadlines();
        }
        let stalled = self.look_for_progress(deciding)?;
        if self.progress.alone.is_paused() {
            return Some(self.go_on_alone());
        }
        let width = &mut self.decision.width;
        width.note(self.roster.candidates().len());
        width.choice_points = counted + u64::from(width.is_choice_point);
        width.skip_to(step);
        self.decision.limits.stalls |= stalled.is_some() && width.is_choice_point;
        let reason = self.reason();
        let next = self.choose(reason, stalled)?;
        self.go_on_with(
            next,
            reason == Reason::Point && stalled.is_none(),
            step,
            deciding,
        );
        self.observers.tape.beat(step);
        self.refill();
        Some(next)
    }

    /// The current worker has ended.
    pub(super) fn end_current(&mut self) {
        let current = self.roster.current;
        // SAFETY: the current worker was running, so it is a candidate.
        let id = unsafe {
            self.leave(current, State::Ended);
            (*current).id
        };
        if id.0 == 0 {
            self.deadlines_change();
        }
    }

    /// The worker has been picked; the current one, which could have gone on if it `may`, is left if that is
    /// another.
    #[inline]
    fn go_on_with(&mut self, next: *mut Worker, may: bool, step: u32, deciding: Deciding) {
        // SAFETY: a picked worker is live.
        unsafe {
            if (*next).is_early {
                self.time_out(next);
            }
            if next != self.roster.current {
                self.decision.preempts = may && (*self.roster.current).is_candidate();
                self.switch_to(next, step, deciding);
            } else if self.roster.anyone_contends() {
                self.roster.forget_contender(next);
            }
        }
    }

    /// The worker, which has been picked and waits no more, runs after the current one.
    #[inline]
    pub(super) fn switch_to(&mut self, next: *mut Worker, step: u32, deciding: Deciding) {
        let current = self.roster.current;
        // SAFETY: a picked worker and the current one are live, and the latter is suspended.
        unsafe {
            if self.roster.anyone_contends() {
                self.roster.forget_contender(next);
            }
            if (*next).is_held_back() {
                self.provide_stack(next, deciding);
            }
            if (*current).state() == State::Enabled {
                self.roster.note_contender(current);
            }
            (*current).left_at = step;
            self.decision.switches += 1;
            (*next).turns += 1;
            self.observers.tape.switch(step, (*next).id);
        }
    }

    /// The current worker goes on undisturbed; natively, other threads might run.
    fn note_undisturbed(&mut self) {
        // SAFETY: the current worker is live.
        let thread = unsafe { (*self.roster.current).thread };
        let is_other = |other: &Worker| !other.is_held_back() && other.thread != thread;
        if self.roster.iter_candidates().any(is_other) {
            self.leave_out(Exception::TaskWakeUps);
        }
    }

    /// The step bound has been reached.
    #[cold]
    fn cut_off(&mut self) {
        self.decision.limits.steps = true;
        let is_anyone_left = !self.roster.candidates().is_empty();
        self.iteration.end = Some(match (self.iteration.body_done, is_anyone_left) {
            (false, _) => End::of(Verdict::CutOff),
            (true, false) => self.end_of_test(),
            // Cut off at work: whatever is hot might have cooled down.
            (true, true) => End::of(Verdict::Passed),
        });
    }

    /// Counts the step that is being declared, and takes back what is left of the fuse.
    fn count_step(&mut self) -> u32 {
        self.budget.burn();
        self.decision.width.count_to(self.budget.steps());
        if self.progress.alone.is_on {
            self.budget.stay_at_limit();
        } else {
            self.budget.count_step();
        }
        self.budget.steps()
    }

    /// Lets as many points pass undecided as the quantum, the clock and the step bound allow.
    pub(crate) fn refill(&mut self) {
        if self.observers.look_at_steps() || self.aside.conditions.is_any() {
            return;
        }
        let to_end = if self.progress.alone.is_on {
            u32::MAX
        } else {
            self.budget.to_limit()
        };
        let most = LONGEST_FUSE
            .min(to_end)
            .min(self.aside.heats.steps_to_boiling(self.budget.steps()))
            .min(self.steps_to_deadline());
        self.budget.light(most);
    }

    /// Picks among the candidates. `stalled` is the engine's own pick when nobody makes progress.
    fn choose(&mut self, reason: Reason, stalled: Option<Pick>) -> Option<*mut Worker> {
        let may_go_on = reason == Reason::Point && stalled.is_none();
        if may_go_on && self.budget.quantum > 0 && !self.observers.watch.asks {
            self.budget.quantum -= 1;
            return Some(self.roster.current);
        }
        self.choose_among(reason, stalled)
    }

    /// Has somebody picked among the candidates, without the current worker if that gives way.
    #[inline]
    pub(super) fn choose_among(
        &mut self,
        reason: Reason,
        stalled: Option<Pick>,
    ) -> Option<*mut Worker> {
        let gives_way = reason == Reason::Yield;
        let current = self.roster.current;
        if gives_way {
            self.decision.limits.yields = true;
            // SAFETY: a worker that gives way can run, so it is a candidate.
            unsafe { self.roster.pass_over(current) };
        }
        let pick = self.ask(reason, stalled);
        if gives_way {
            // SAFETY: it was passed over above.
            unsafe { self.roster.readmit(current) };
        }
        let pick = pick?;
        self.budget.quantum = pick.quantum;
        Some(self.roster.worker(pick.worker))
    }

    /// Why the strategy is asked.
    #[inline]
    pub(super) fn reason(&mut self) -> Reason {
        match self.decision.request {
            Request::Point => Reason::Point,
            Request::Yield => {
                // SAFETY: the current worker is live.
                let yields = unsafe { &mut (*self.roster.current).yields };
                *yields += 1;
                let is_used_up = yields.is_multiple_of(self.decision.yield_budget);
                if is_used_up && self.roster.candidates().len() > 1 {
                    Reason::Yield
                } else {
                    Reason::Point
                }
            }
            _ => Reason::Stopped,
        }
    }

    pub(super) fn ask(&mut self, reason: Reason, stalled: Option<Pick>) -> Option<Pick> {
        let step = self.budget.steps();
        if self.awaits_outside()
            && let Some(expected) = self.decision.driver.expected(step)
        {
            // The outside may take longer this time.
            outside::await_worker(self, expected);
        }
        let view = self.view(reason);
        let end = match self.decision.driver.pick(&view, stalled) {
            Ok(pick) if pick.worker == Pick::ABANDON.worker => End::abandoned(),
            Ok(pick) => return Some(pick),
            Err(divergence) => End::diverged(divergence),
        };
        self.iteration.end = Some(end);
        None
    }

    /// Nobody can run: lets time pass, waits for the outside, or ends the iteration (`None`).
    #[cold]
    fn nobody_can_run(&mut self) -> Option<()> {
        self.progress.quiet_at = self.budget.steps();
        if self.iteration.body_done {
            // Workers that still wait are idle, as the threads of a pool are.
            self.iteration.end = Some(self.end_of_test());
            return None;
        }
        if outside::await_outside(self)
            || self.jump_to_next_deadline()
            || outside::wait(self)
            || signals::await_one(self)
        {
            return Some(());
        }
        let message = if signals::may_come(self) {
            "every worker waits, and no signal of a child has come to wake one"
        } else {
            "every worker waits, and nobody can wake them"
        };
        let bug = self.describe_waits(BugKind::Deadlock, message);
        self.iteration.end = Some(End::failed(bug));
        None
    }
}
