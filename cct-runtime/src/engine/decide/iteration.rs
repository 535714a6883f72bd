//! Questions to an iteration that has ended.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::engine::Engine;
use crate::claim::{Exception, Exceptions};
use crate::engine::observe::record::Recorder;
use crate::engine::observe::tape::Tape;
use crate::engine::state::driven::{Driven, Stage};
use crate::engine::state::panics::{PanicId, PanicRecord};
use crate::engine::state::worker::{State, Worker};
use crate::frames::Frames;
use crate::strategy::Limits;
use crate::trace::Site;
use crate::wire::Panic;

impl Engine {
    /// Ends the schedule of an iteration that does not come to its end.
    pub(crate) fn end_tape(&mut self) {
        let steps = self.steps();
        self.observers.tape.end(steps);
    }

    /// Says that the iteration fails in the calls that led here, unless there is no stack left for a walk.
    pub(crate) fn leave_calls(&mut self) {
        let here = std::ptr::from_ref(&self).addr();
        // SAFETY: the engine's workers are live, and an iteration has a current one.
        if unsafe { !(*self.roster.current).stack.is_scarce_at(here) } {
            self.observers.tape.leave(&Frames::here());
        }
    }

    /// The number of steps of the iteration that ended.
    pub(crate) fn step_count(&self) -> u32 {
        self.steps()
    }

    /// The [`Schedule::shared_stacks`](crate::trace::Schedule::shared_stacks) that the iteration which ended
    /// has shown, if races are looked for.
    pub(crate) fn shared_stacks(&self) -> u64 {
        let races = self.observers.races.as_ref();
        races.map_or(0, |races| races.found_shared)
    }

    /// The number of switches of the iteration that ended.
    pub(crate) fn switch_count(&self) -> u64 {
        self.decision.switches
    }

    /// The number of steps with more than one candidate in the iteration that ended.
    pub(crate) fn choice_point_count(&self) -> u64 {
        self.decision.width.choice_points
    }

    /// The most candidates of one decision in the iteration that ended.
    pub(crate) fn width(&self) -> u32 {
        self.decision.width.widest
    }

    /// Returns all that decided besides the strategy in the iteration that ended.
    pub(crate) fn limits(&self) -> Limits {
        self.decision.limits
    }

    /// Returns what the iteration that ended could not see.
    pub(crate) fn left_out(&self) -> Exceptions {
        let mut left_out = self.iteration.left_out;
        if self.decision.limits.yields || self.decision.limits.stalls {
            left_out.add(Exception::Spinning);
        }
        let races = self.observers.races.as_ref();
        if left_out.has(Exception::WeakOrderings)
            && races.is_some_and(|races| races.weak.leaves_out_late_stores())
        {
            left_out = left_out.without(Exception::WeakOrderings);
            left_out.add(Exception::LateStores);
        }
        if self.granularity.has_merged() {
            left_out.add(Exception::AtomicDependencies);
        }
        left_out
    }

    /// The number of workers of the iteration that ended.
    pub(crate) fn worker_total(&self) -> u32 {
        self.roster.len() as u32
    }

    /// The schedule of the iteration that ended.
    pub(crate) fn tape(&self) -> &Tape {
        &self.observers.tape
    }

    /// Returns the record of the iteration that ended.
    pub(crate) fn take_recorder(&mut self) -> Option<Box<Recorder>> {
        self.observers.recorder.take()
    }

    /// Has the recorder keep where everybody is who has not ended: in which calls, or in which awaits. The
    /// current worker is in these calls, if a signal has interrupted it.
    pub(crate) fn record_whereabouts(&mut self, interrupted: Option<&Frames>) {
        let recorder = self.observers.recorder.as_mut();
        let Some(recorder) = recorder.filter(|recorder| recorder.tells_calls()) else {
            return;
        };
        let lent = |worker: &Worker| match worker.task.as_ref().map(Driven::stage) {
            Some(Stage::Polled(poll)) => Some(poll.below.cast_const()),
            _ => None,
        };
        // In their places are the tasks that they poll.
        let lent: BTreeSet<*const Worker> = self.roster.iter().filter_map(lent).collect();
        let others = |worker: &&Worker| worker.state() != State::Ended;
        for worker in self.roster.iter().filter(others) {
            let is_current = std::ptr::eq(worker, self.roster.current);
            if let Some(frames) = interrupted.filter(|_| is_current) {
                recorder.add_backtrace(worker, None, frames);
                continue;
            }
            match worker.task.as_ref().map(Driven::stage) {
                Some(Stage::Rests | Stage::HeldBack(_) | Stage::Released) => {
                    recorder.keep_awaits(worker.id);
                }
                Some(Stage::Panicked) => {}
                Some(Stage::Polled(_)) | None if lent.contains(&std::ptr::from_ref(worker)) => {}
                Some(Stage::Polled(_)) | None => {
                    // SAFETY: the worker was suspended there, and the iteration is over.
                    let frames = unsafe { Frames::at(worker.context) };
                    recorder.add_backtrace(worker, None, &frames);
                }
            }
        }
    }

    /// The panics of the iteration that ended that no `join` noticed.
    pub(crate) fn unobserved_panics(&self) -> Vec<Panic> {
        let workers = self.roster.iter();
        let unobserved = workers.filter(|worker| worker.panic_unobserved);
        unobserved
            .map(|worker| {
                let last = worker
                    .last_panic
                    .and_then(|id| self.iteration.panics.get(id));
                Panic {
                    worker: worker.id.0,
                    name: worker.name.clone().map(Cow::into_owned),
                    message: last.map_or_else(String::new, |panic| panic.message.clone()),
                    site: last.and_then(|panic| panic.site.clone()),
                }
            })
            .collect()
    }

    /// The first panic that no `join` noticed.
    pub(crate) fn unobserved_panic(&self) -> Option<PanicId> {
        let mut unobserved = self.roster.iter().filter(|worker| worker.panic_unobserved);
        unobserved.next()?.last_panic
    }

    /// Returns the message of the current worker's last panic, and its site.
    pub(crate) fn last_panic(&self) -> Option<(String, Option<Site>)> {
        // SAFETY: the engine's workers are live, and an iteration has a current one.
        let worker = unsafe { &*self.roster.current };
        let panic = worker
            .last_panic
            .and_then(|id| self.iteration.panics.get(id));
        panic.map(|panic| (panic.message.clone(), panic.site.clone()))
    }

    /// The panic that the current worker unwinds from, if it does; and the one before it that it could not
    /// unwind from, where std has panicked because of that.
    pub(crate) fn panics_under_way(&self) -> Option<(&PanicRecord, Option<&PanicRecord>)> {
        // SAFETY: the engine's workers are live, and an iteration has a current one.
        let thread = unsafe { &*(*self.roster.current).thread };
        let last = thread.last_panic.filter(|_| thread.panics > 0)?;
        let panics = &self.iteration.panics;
        let record = panics.get(last)?;
        let is_own = |id: &PanicId| {
            *id < last
                && panics
                    .get(*id)
                    .is_some_and(|panic| panic.worker == record.worker)
        };
        let before = panics.ids().rev().find(is_own).filter(|_| {
            let site = record.site.as_ref();
            thread.panics > 1
                && site.is_some_and(|site| site.file.ends_with("library/core/src/panicking.rs"))
        });
        Some((record, before.and_then(|id| panics.get(id))))
    }

    /// The worker whose stack's guard page contains this address; the current one, if it is on that stack.
    pub(crate) fn worker_with_guard(&self, address: usize) -> Option<u32> {
        // SAFETY: the engine's workers are live, and an iteration has a current one.
        let current = unsafe { &*self.roster.current };
        let mut workers = [current].into_iter().chain(self.roster.iter());
        let found = workers.find(|worker| worker.stack.guards(address));
        found.map(|worker| worker.id.0)
    }

    /// The worker whose stack this address is on; the current one, if it is on that stack.
    pub(crate) fn worker_with_stack(&self, address: usize) -> Option<u32> {
        // SAFETY: as in `worker_with_guard`.
        let current = unsafe { &*self.roster.current };
        let mut workers = [current].into_iter().chain(self.roster.iter());
        let found = workers.find(|worker| worker.stack.has(address));
        found.map(|worker| worker.id.0)
    }

    /// The current worker, its name and the place of its last scheduling point.
    pub(crate) fn whereabouts(&self) -> (u32, Option<String>, Site) {
        // SAFETY: the engine's workers are live, and an iteration has a current one.
        let worker = unsafe { &*self.roster.current };
        (
            worker.id.0,
            worker.name.clone().map(Cow::into_owned),
            worker.site.into(),
        )
    }

    /// The happens-before hash of the iteration that ended, if it was computed.
    pub(crate) fn happens_before_hash(&self) -> Option<u64> {
        self.observers.watch.happens_before_hash()
    }
}
