//! The decision: who runs next.
//!
//! Called by [`super::fiber::hand_over`] on the stack of the worker that hands over, and done before any
//! stack is switched, so ordinary references to the engine are fine in here.

use std::ptr::null_mut;

use super::enabled::Enabled;
use super::fiber::Context;
use super::iteration::End;
use super::state::{Driver, Engine, Request, set_engine};
use super::worker::{State, Worker};
use super::{clock, external};
use crate::strategy::{Candidates, Pending, Pick, Reason, WorkerId};
use crate::verdict::{BugKind, Verdict};

/// The longest time without a look at what the outside has to say, in steps.
const LONGEST_FUSE: u32 = 256;

/// Decides who runs next; `context` is that of the current worker. Returns the context to switch to.
pub(super) unsafe extern "C" fn decide(engine: *mut Engine, context: Context) -> Context {
    // What is allocated in here is the engine's own and outlives the iteration.
    set_engine(null_mut());
    // SAFETY: `hand_over` is called with a live engine by its current worker, which is suspended by now.
    let next = unsafe {
        (*(*engine).current).context = context;
        (*engine).next()
    };
    match next {
        // SAFETY: as above; a picked worker is live.
        Some(worker) => unsafe {
            (*engine).current = worker;
            (*engine).record_step(worker);
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
        (*engine).record_step(first);
        set_engine(engine);
        (*first).context
    }
}

impl Engine {
    /// The worker that runs next; `None` when the iteration is over.
    fn next(&mut self) -> Option<*mut Worker> {
        let step = self.count_step();
        // SAFETY: the current worker is live.
        let current = unsafe { &mut *self.current };
        if self.request == Request::Finish {
            return None;
        }
        if self.atomic.is_any()
            && self.request == Request::Point
            && step < self.limit
            && self.is_inside_atomic_call(current)
        {
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
            }
            _ => {}
        }
        if self.end.is_some() {
            return None;
        }
        if step >= self.limit {
            let verdict = if self.body_done {
                Verdict::Passed
            } else {
                Verdict::CutOff
            };
            self.end = Some(End::of(verdict));
            return None;
        }
        external::drain(self);
        clock::lose_patience(self);
        while self.enabled.len() == 0 {
            self.nobody_can_run()?;
        }
        let stalled = self.look_for_progress()?;
        self.contested = self.enabled.len() > 1;
        let next = self.choose(current, stalled)?;
        if self.contenders > 0 {
            self.forget_contender(next);
        }
        if !std::ptr::eq(next, current) {
            if current.state == State::Enabled {
                self.note_contender(current);
            }
            self.switches += 1;
            // SAFETY: a picked worker is live.
            self.tape.switch(step, unsafe { (*next).id });
        }
        self.tape.beat(step);
        self.refill();
        Some(next)
    }

    /// Counts the step that is being declared, and takes back what is left of the fuse.
    fn count_step(&mut self) -> u32 {
        self.burn_fuse();
        self.horizon += 1;
        self.horizon
    }

    /// Makes the next scheduling point a look at everything; the quantum stays as it is.
    pub(super) fn burn_fuse(&mut self) {
        self.horizon -= self.fuse;
        self.quantum = self.quantum.saturating_add(self.fuse);
        self.fuse = 0;
    }

    /// Lets as many points pass undecided as the quantum, the clock and the step bound allow.
    fn refill(&mut self) {
        if self.recorder.is_some() || self.atomic.is_any() {
            return;
        }
        let to_end = self.limit.saturating_sub(self.horizon + 1);
        let fuse = self
            .quantum
            .min(LONGEST_FUSE)
            .min(to_end)
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
        if reason == Reason::Point && self.quantum > 0 && stalled.is_none() {
            self.quantum -= 1;
            return Some(current);
        }
        // A worker that gives way is no candidate for once.
        let gives_way = reason == Reason::Yield;
        if gives_way {
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
        let view = View {
            enabled: &self.enabled,
            workers: &self.workers,
            current,
            reason,
            step: self.horizon,
        };
        match &mut self.driver {
            Driver::Search(strategy) => Some(stalled.unwrap_or_else(|| {
                // SAFETY: whoever explores owns the strategy and is suspended.
                unsafe { (**strategy).pick(&view) }
            })),
            Driver::Replay(replay) => match replay.pick(&view) {
                Ok(pick) => Some(pick),
                Err(divergence) => {
                    self.end = Some(End::diverged(divergence));
                    None
                }
            },
        }
    }

    /// Nobody can run: lets time pass, waits for the outside, or ends the iteration (`None`).
    fn nobody_can_run(&mut self) -> Option<()> {
        if self.body_done {
            // Those that still wait are idle, as the threads of a pool are.
            self.end = Some(End::of(Verdict::Passed));
            return None;
        }
        if clock::jump_to_next_deadline(self) || external::wait(self) {
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
        // SAFETY: the engine's workers are live; a waiting one is not in the set.
        let id = unsafe {
            (*worker).state = State::Enabled;
            (*worker).deadline = u64::MAX;
            (*worker).holder = None;
            self.enabled.insert(worker);
            (*worker).id
        };
        self.announce(id);
    }

    /// Tells the strategy of a new candidate.
    pub(super) fn announce(&mut self, id: WorkerId) {
        let asks = match &mut self.driver {
            // SAFETY: as in `ask`.
            Driver::Search(strategy) => unsafe { (**strategy).on_enabled(id) },
            Driver::Replay(_) => false,
        };
        if asks {
            self.interrupt();
        }
    }

    fn is_inside_atomic_call(&mut self, worker: &mut Worker) -> bool {
        let was_inside = worker.in_atomic_call;
        worker.in_atomic_call = self.atomic.contains(worker.site);
        was_inside && worker.in_atomic_call
    }
}

/// The candidates as a strategy sees them.
struct View<'a> {
    enabled: &'a Enabled,
    workers: &'a [*mut Worker],
    current: WorkerId,
    reason: Reason,
    step: u32,
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
        // SAFETY: the engine's workers are live; those of older iterations are in no set.
        found.is_some_and(|&worker| unsafe { (*worker).position.is_enabled() })
    }

    fn pending(&self, worker: WorkerId) -> Pending {
        let worker = self.workers[worker.0 as usize];
        // SAFETY: the engine's workers are live.
        unsafe {
            let (operation, object, site) = ((*worker).operation, (*worker).object, (*worker).site);
            Pending {
                operation,
                object,
                site,
            }
        }
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
}
