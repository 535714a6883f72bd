//! The body while nobody else has been made: no step bound, and no price for having none.
//!
//! The bound is there for what several workers do with each other. As long as there is one only it goes on
//! beyond the bound, and what it does from there on is no step: nothing is decided, recorded or counted, so
//! numbers of steps stay small. Only waits still count, which in the end are waits for nobody; there
//! may be a million of that, after which it is looked at whether anything changes but the clock. Each
//! decision is a sign of life to the watchdog, which says when it has waited for long enough: then the
//! schedule is cut off, since nobody knows whether it would come to an end. Once a second worker is made,
//! the bound counts from there.

use super::record::Recorder;
use super::state::{Engine, Request};
use super::worker::Worker;

/// How often the worker may wait, if the step bound is no larger.
const MOST_WAITS: u32 = 1 << 20;

/// The stretch that the body's thread makes alone, beyond the bound.
#[derive(Debug, Default)]
pub(super) struct Alone {
    /// It is under way; the step bound is the number of the step under way.
    pub(super) is_on: bool,
    /// How often the worker has waited in it.
    waits: u32,
    paused: Option<Paused>,
}

/// The observers of steps, while there are none.
#[derive(Debug)]
pub(super) struct Paused {
    recorder: Option<Box<Recorder>>,
    is_watched: bool,
    keeps_values: bool,
}

impl Alone {
    /// The worker goes on alone, and the first step of that is over.
    #[inline]
    pub(super) fn is_paused(&self) -> bool {
        self.paused.is_some()
    }
}

impl Engine {
    /// Nobody looks at steps from here on.
    pub(super) fn pause(&mut self) -> Paused {
        Paused {
            recorder: self.recorder.take(),
            is_watched: std::mem::take(&mut self.watch.is_on),
            keeps_values: std::mem::take(&mut self.keeps_values),
        }
    }

    pub(super) fn resume(&mut self, paused: Paused) {
        self.recorder = paused.recorder;
        self.watch.is_on = paused.is_watched;
        self.keeps_values = paused.keeps_values;
    }

    /// The step bound has been reached. True if that ends nothing, since there is one worker only.
    #[cold]
    pub(super) fn goes_on_alone(&mut self) -> bool {
        if self.worker_count > 1 || self.body_done && !self.alone.is_on {
            return false;
        }
        if !self.alone.is_on {
            self.alone.is_on = true;
            return true;
        }
        if self.alone.paused.is_none() {
            // Only now: the first step was recorded when its worker was picked.
            self.alone.paused = Some(self.pause());
        }
        self.alone.waits += u32::from(self.request == Request::Wait);
        self.limits.patience = self.tape.is_enough();
        let may_wait = self.alone.waits < self.bound.max(MOST_WAITS);
        may_wait && !self.limits.patience || self.body_done
    }

    /// The only worker goes on, whoever else would have been asked.
    pub(super) fn go_on_alone(&mut self) -> *mut Worker {
        let worker = self.enabled.members()[0];
        // SAFETY: members are live.
        if unsafe { (*worker).is_early } {
            self.time_out(worker);
        }
        // It runs: nobody is about to take the lock that it takes now, it least of all.
        self.forget_contender(worker);
        self.tape.beat(self.limit);
        self.counted = self.horizon;
        self.quantum = u32::MAX;
        self.refill();
        worker
    }

    /// The stretch is over: what comes is a step again.
    pub(super) fn end_alone(&mut self) {
        if std::mem::take(&mut self.alone.is_on) {
            self.interrupt();
            self.horizon = self.limit;
            if let Some(paused) = self.alone.paused.take() {
                self.resume(paused);
            }
        }
    }

    /// The second worker is made: the step bound counts from here.
    #[cold]
    pub(super) fn gain_company(&mut self) {
        self.end_alone();
        if !self.body_done {
            self.limit = self.steps().saturating_add(self.bound);
        }
    }
}
