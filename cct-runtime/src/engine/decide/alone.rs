//! The body while nobody else has been made: no step bound, and no price for having none.
//!
//! The bound is there for what several workers do with each other. As long as there is one only it goes on
//! beyond the bound, and what it does from there on is no step: nothing is decided, recorded or counted, so
//! numbers of steps stay small. Only waits still count, which in the end are waits for nobody; there
//! may be a million of that, after which it is looked at whether anything changes but the clock. Each
//! decision is a sign of life to the watchdog, which says when it has waited for long enough: then the
//! schedule is cut off, since nobody knows whether it would come to an end. Once a second worker is made,
//! the bound counts from there.

use super::engine::{Engine, Request};
use crate::engine::observe::Paused;
use crate::engine::state::worker::Worker;

/// How often the worker may wait, if the step bound is no larger.
const MOST_WAITS: u32 = 1 << 20;

/// The stretch that the body's thread makes alone, beyond the bound.
#[derive(Debug, Default)]
pub(crate) struct Alone {
    /// It is under way; the step bound is the number of the step under way.
    pub(crate) is_on: bool,
    /// How often the worker has waited in it.
    waits: u32,
    paused: Option<Paused>,
}

impl Alone {
    /// The worker goes on alone, and the first step of that is over.
    #[inline]
    pub(crate) fn is_paused(&self) -> bool {
        self.paused.is_some()
    }
}

impl Engine {
    /// The step bound has been reached. True if that ends nothing, since there is one worker only.
    #[cold]
    pub(crate) fn goes_on_alone(&mut self) -> bool {
        if self.roster.len() > 1 || self.iteration.body_done && !self.progress.alone.is_on {
            return false;
        }
        if !self.progress.alone.is_on {
            self.progress.alone.is_on = true;
            return true;
        }
        if self.progress.alone.paused.is_none() {
            // Only now: the first step was recorded when its worker was picked.
            self.progress.alone.paused = Some(self.observers.pause());
        }
        self.progress.alone.waits += u32::from(self.decision.request == Request::Wait);
        self.decision.limits.alone = self.observers.tape.is_enough();
        let may_wait = self.progress.alone.waits < self.budget.bound.max(MOST_WAITS);
        may_wait && !self.decision.limits.alone || self.iteration.body_done
    }

    /// The only worker goes on, whoever else would have been asked.
    pub(crate) fn go_on_alone(&mut self) -> *mut Worker {
        let worker = self.roster.candidates()[0];
        // SAFETY: candidates are live.
        unsafe {
            if (*worker).is_early {
                self.time_out(worker);
            }
            // It runs: nobody is about to take the lock that it takes now, it least of all.
            self.roster.forget_contender(worker);
        }
        self.observers.tape.beat(self.budget.limit);
        self.decision.width.skip_to(self.budget.steps());
        self.budget.quantum = u32::MAX;
        self.refill();
        worker
    }

    /// The stretch is over: what comes is a step again.
    pub(crate) fn end_alone(&mut self) {
        if std::mem::take(&mut self.progress.alone.is_on) {
            self.budget.stay_at_limit();
            if let Some(paused) = self.progress.alone.paused.take() {
                self.observers.resume(paused);
                if let Some(races) = &mut self.observers.races {
                    races.begin_anew();
                }
            }
        }
    }

    /// The second worker is made: the step bound counts from here.
    #[cold]
    pub(crate) fn gain_company(&mut self) {
        self.end_alone();
        if !self.iteration.body_done {
            self.budget.limit = self.steps().saturating_add(self.budget.bound);
        }
    }
}
