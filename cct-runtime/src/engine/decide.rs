//! The decision: who runs next.
//!
//! Called by [`super::fiber::hand_over`] on the stack of the worker that hands over, and done before any
//! stack is switched, so ordinary references to the engine are fine in here.

use std::ptr::null_mut;

use super::enabled::Enabled;
use super::fiber::Context;
use super::iteration::End;
use super::state::{Engine, Request, set_engine};
use super::worker::{State, Worker};
use super::{clock, conditions, external, signals};
use crate::claim::Exception;
use crate::strategy::{Action, Candidates, ChainId, Moment, Origin, Pick, Reason, WorkerId};
use crate::trace::WorkerKind;
use crate::verdict::{BugKind, Verdict};

/// The longest time without a look at what the outside has to say, in steps.
const LONGEST_FUSE: u32 = 256;

/// Decides who runs next; `context` is that of the current worker. Returns the context to switch to.
pub(super) unsafe extern "C" fn decide(engine: *mut Engine, context: Context) -> Context {
    // What is allocated in here is the engine's own and outlives the iteration.
    set_engine(null_mut());
    // SAFETY: `hand_over` is called with a live engine by its current worker, which is suspended by now.
    let next = unsafe {
        (*engine).save_context(context);
        if (*engine).conditions.is_any() {
            conditions::look(engine);
        }
        (*engine).next()
    };
    match next {
        // SAFETY: as above; a picked worker is live.
        Some(worker) => unsafe {
            (*engine).current = worker;
            (*engine).begin_step(worker);
            if (*engine).c_locals.is_any() {
                (*engine)
                    .c_locals
                    .switch_to((*(*worker).thread).id.0 as usize);
            }
            set_engine(engine);
            (*worker).context
        },
        // SAFETY: as above.
        None => unsafe { (*engine).root },
    }
}

/// Begins an iteration: remembers the root context and starts with the first worker.
pub(super) unsafe extern "C" fn entered(engine: *mut Engine, context: Context) -> Context {
    // SAFETY: `enter` is called with a live engine that has its first worker.
    unsafe {
        (*engine).root = context;
        let first = (*engine).current;
        (*engine).begin_step(first);
        set_engine(engine);
        (*first).context
    }
}

impl Engine {
    /// The worker that runs next; `None` when the iteration is over.
    fn next(&mut self) -> Option<*mut Worker> {
        self.tell_step();
        let step = self.count_step();
        // SAFETY: the current worker is live.
        let current = unsafe { &mut *self.current };
        if self.request == Request::Finish {
            return None;
        }
        if self.request == Request::Point
            && step < self.limit
            && std::ptr::eq(self.undisturbed, current)
        {
            self.note_undisturbed(current);
            // The step counts all the same, so that a replay's runs have the same lengths.
            self.quantum = self.quantum.saturating_sub(1);
            return Some(current);
        }
        match self.request {
            Request::Wait => {
                self.begin_wait(current);
                self.check_lock_cycle(current);
            }
            Request::End => {
                current.state = State::Ended;
                // SAFETY: it was running, so it is in the set.
                unsafe { self.enabled.remove(current) };
                self.announce_absent(current.id);
                if current.id.0 == 0 {
                    self.deadlines_change();
                }
            }
            _ => {}
        }
        if self.overtime.is_on {
            return self.next_in_overtime();
        }
        if self.end.is_some() {
            return None;
        }
        self.look_for_heat(step)?;
        if step >= self.limit && !self.goes_on_alone() {
            if !self.body_done && self.begin_overtime() {
                return self.next_in_overtime();
            }
            self.cut_off();
            return None;
        }
        external::drain(self);
        signals::take(self);
        if self.looks.await_outside() {
            external::let_finish(self);
        }
        clock::lose_patience(self);
        self.look_at_deadlines();
        while self.enabled.len() == 0 {
            self.nobody_can_run()?;
            self.look_at_deadlines();
        }
        let stalled = self.look_for_progress()?;
        if self.alone.is_paused() {
            return Some(self.go_on_alone());
        }
        self.note_width();
        self.contested_steps += u64::from(self.contested);
        self.counted = step;
        self.limits.stalls |= stalled.is_some() && self.contested;
        let next = self.choose(current, stalled)?;
        // SAFETY: a picked worker is live.
        if unsafe { (*next).is_early } {
            self.time_out(next);
        }
        if self.contenders > 0 {
            self.forget_contender(next);
        }
        // SAFETY: a picked worker is live.
        if unsafe { (*next).is_held_back() } {
            self.provide_stack(next, current);
        }
        if !std::ptr::eq(next, current) {
            if current.state == State::Enabled {
                self.note_contender(current);
            }
            current.left_at = step;
            self.switches += 1;
            // SAFETY: a picked worker is live.
            unsafe {
                (*next).turns += 1;
                self.tape.switch(step, (*next).id);
            }
        }
        self.tape.beat(step);
        self.refill();
        Some(next)
    }

    /// The worker goes on undisturbed; natively, other threads might run.
    fn note_undisturbed(&mut self, current: &Worker) {
        let others = self.enabled.members().iter().any(|&other| {
            // SAFETY: members are live.
            let other = unsafe { &*other };
            !other.is_held_back() && !std::ptr::eq(other.thread, current.thread)
        });
        if others {
            self.left_out.add(Exception::TaskWakeUps);
        }
    }

    /// The step bound has been reached.
    #[cold]
    fn cut_off(&mut self) {
        self.limits.steps = true;
        self.end = Some(match (self.body_done, self.enabled.len()) {
            (false, _) => End::of(Verdict::CutOff),
            (true, 0) => self.end_of_test(),
            // Cut off at work: whatever is hot might have cooled down.
            (true, _) => End::of(Verdict::Passed),
        });
    }

    /// Counts the step that is being declared, and takes back what is left of the fuse.
    fn count_step(&mut self) -> u32 {
        self.burn_fuse();
        self.count_contested();
        self.horizon += 1;
        if self.alone.is_on {
            self.horizon = self.limit;
        }
        self.horizon
    }

    /// Counts those of the steps so far that had more than one candidate.
    pub(super) fn count_contested(&mut self) {
        if self.contested {
            self.contested_steps += u64::from(self.steps() - self.counted);
        }
        self.counted = self.steps();
    }

    /// From here on there are as many candidates as there are now.
    pub(super) fn note_width(&mut self) {
        self.contested = self.enabled.len() > 1;
        self.widest = self.widest.max(self.enabled.len() as u32);
    }

    /// The step under way changes the number of candidates.
    pub(super) fn change_width(&mut self) {
        self.count_contested();
        self.note_width();
    }

    /// Makes the next scheduling point a look at everything; the quantum stays as it is.
    pub(super) fn burn_fuse(&mut self) {
        self.horizon -= self.fuse;
        self.quantum = self.quantum.saturating_add(self.fuse);
        self.fuse = 0;
    }

    /// Lets as many points pass undecided as the quantum, the clock and the step bound allow.
    pub(super) fn refill(&mut self) {
        if self.recorder.is_some() || self.watch.is_on || self.conditions.is_any() {
            return;
        }
        let to_end = if self.alone.is_on {
            u32::MAX
        } else {
            self.limit.saturating_sub(self.horizon + 1)
        };
        let fuse = self
            .quantum
            .min(LONGEST_FUSE)
            .min(to_end)
            .min(self.heats.steps_to_boiling(self.horizon))
            .min(clock::steps_to_deadline(self));
        self.fuse = fuse;
        self.quantum -= fuse;
        self.horizon += fuse;
    }

    /// Picks among the enabled workers. `stalled` is the engine's own pick when nobody makes progress.
    fn choose(&mut self, current: &mut Worker, stalled: Option<Pick>) -> Option<*mut Worker> {
        let reason = match self.request {
            Request::Point => Reason::Point,
            Request::Yield => {
                current.yields += 1;
                if current.yields.is_multiple_of(self.yield_budget) && self.enabled.len() > 1 {
                    Reason::Yield
                } else {
                    Reason::Point
                }
            }
            _ => Reason::Stopped,
        };
        if reason == Reason::Point && self.quantum > 0 && stalled.is_none() && !self.watch.asks {
            self.quantum -= 1;
            return Some(current);
        }
        // A worker that gives way is no candidate for once.
        let gives_way = reason == Reason::Yield;
        if gives_way {
            self.limits.yields = true;
            // SAFETY: a worker that gives way can run, so it is in the set.
            unsafe { self.enabled.remove(current) };
        }
        let pick = self.ask(current.id, reason, stalled);
        let worker = pick.map(|pick| {
            self.quantum = pick.quantum;
            self.worker(pick.worker)
        });
        if gives_way {
            // SAFETY: it was taken out above.
            unsafe { self.enabled.insert(current) };
        }
        worker
    }

    fn ask(&mut self, current: WorkerId, reason: Reason, stalled: Option<Pick>) -> Option<Pick> {
        if self.looks.await_outside()
            && let Some(expected) = self.driver.expected(self.horizon)
        {
            // The outside may take longer this time.
            external::await_worker(self, expected);
        }
        let view = View {
            enabled: &self.enabled,
            workers: &self.workers[..self.worker_count],
            current,
            reason,
            step: self.horizon,
            state_hash: self.state_hash,
        };
        match self.driver.pick(&view, stalled) {
            Ok(pick) if pick.worker == Pick::ABANDON.worker => {
                self.end = Some(End::abandoned());
                None
            }
            Ok(pick) => Some(pick),
            Err(divergence) => {
                self.end = Some(End::diverged(divergence));
                None
            }
        }
    }

    /// Nobody can run: lets time pass, waits for the outside, or ends the iteration (`None`).
    #[cold]
    fn nobody_can_run(&mut self) -> Option<()> {
        self.quiet_at = self.horizon;
        if self.body_done {
            // Those that still wait are idle, as the threads of a pool are.
            self.end = Some(self.end_of_test());
            return None;
        }
        if external::await_outside(self)
            || clock::jump_to_next_deadline(self)
            || external::wait(self)
        {
            return Some(());
        }
        let bug = self.describe_waits(
            BugKind::Deadlock,
            "every worker waits, and nobody can wake them",
        );
        self.end = Some(End::of(Verdict::Failed(bug)));
        None
    }

    /// Makes a waiting worker a candidate again.
    pub(super) fn enable(&mut self, worker: *mut Worker) {
        self.withdraw(worker);
        // SAFETY: the engine's workers are live; a waiting one is not in the set.
        let id = unsafe {
            (*worker).state = State::Enabled;
            self.deadline_changes((*worker).deadline);
            (*worker).deadline = u64::MAX;
            (*worker).holder = None;
            (*worker).mark = 0;
            if (*worker).look.take().is_some() {
                self.looks.remove(worker);
            }
            self.watch.woken(&*worker);
            self.enabled.insert(worker);
            (*worker).id
        };
        self.announce(id);
        self.queue_up(worker);
    }

    /// The worker has been picked and carries out its pending operation.
    fn begin_step(&mut self, worker: *mut Worker) {
        self.watch_step(worker);
        self.conditions.note_step(worker);
        self.record_step(worker);
    }

    /// Tells the strategy of a new worker, which is a candidate.
    pub(super) fn announce_created(&mut self, id: WorkerId, chain: Option<ChainId>) {
        self.introduce(id, chain, WorkerKind::Thread);
        self.announce(id);
    }

    /// Tells the strategy of a new worker.
    pub(super) fn introduce(&mut self, id: WorkerId, chain: Option<ChainId>, kind: WorkerKind) {
        let chain = chain.unwrap_or_else(|| {
            self.chain_count += 1;
            ChainId(self.chain_count - 1)
        });
        // SAFETY: the engine's workers are live.
        let parent = unsafe {
            (*self.worker(id)).chain = chain;
            (id.0 > 0).then(|| (*self.current).id)
        };
        self.watch.created(id);
        let origin = Origin {
            parent,
            chain,
            kind,
        };
        self.driver.tell_created(id, origin);
    }

    /// Tells the strategy of a new candidate.
    pub(super) fn announce(&mut self, id: WorkerId) {
        if self.driver.tell_enabled(id) {
            self.interrupt();
        }
    }
}

/// The candidates as a strategy sees them.
struct View<'a> {
    enabled: &'a Enabled,
    workers: &'a [*mut Worker],
    current: WorkerId,
    reason: Reason,
    step: u32,
    state_hash: u64,
}

impl Candidates for View<'_> {
    fn len(&self) -> u32 {
        self.enabled.len() as u32
    }

    fn nth(&self, index: u32) -> WorkerId {
        // SAFETY: members are live.
        unsafe { (*self.enabled.members()[index as usize]).id }
    }

    fn contains(&self, worker: WorkerId) -> bool {
        let found = self.workers.get(worker.0 as usize);
        // SAFETY: the engine's workers are live.
        found.is_some_and(|&worker| unsafe { (*worker).position.is_enabled() })
    }

    #[inline]
    fn pending(&self, worker: WorkerId) -> Action {
        // SAFETY: the engine's workers are live.
        unsafe { (*self.workers[worker.0 as usize]).action() }
    }

    fn current(&self) -> WorkerId {
        self.current
    }

    fn reason(&self) -> Reason {
        self.reason
    }

    fn step(&self) -> u32 {
        self.step
    }

    fn state_hash(&self) -> u64 {
        self.state_hash
    }

    #[inline]
    fn moment(&self) -> Moment {
        Moment {
            step: self.step,
            current: self.current,
            reason: self.reason,
            pending: self.pending(self.current),
        }
    }
}
