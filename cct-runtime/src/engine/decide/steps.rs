//! The observers are told of the step under way.

use super::engine::{Engine, Request};
use crate::engine::observe::debugged::stop;
use crate::engine::observe::record::Note;
use crate::engine::state::iteration::End;
use crate::engine::state::worker::Worker;
use crate::object::ObjectId;
use crate::operation::Access;
use crate::strategy::{Action, Next};

impl Engine {
    /// The worker has been picked and carries out its pending operation.
    #[inline]
    pub(crate) fn begin_step(&mut self, worker: *mut Worker) {
        if self.observers.watch.is_on {
            self.watch_step(worker);
        }
        self.aside.conditions.note_step(worker);
        if let Some(recorder) = &mut self.observers.recorder {
            let ahead_of = std::mem::take(&mut self.time.early.ahead_of);
            // SAFETY: a picked worker is live.
            let worker = unsafe { &mut *worker };
            let kind = (
                self.decision.width.is_choice_point,
                std::mem::take(&mut self.decision.preempts),
            );
            recorder.begin_step(worker, kind, ahead_of);
        }
    }

    /// The step that is recorded next: its number, if the replay is to stop before it.
    pub(super) fn stop_before_step(&mut self) -> Option<u32> {
        self.observers.recorder.as_ref()?;
        self.observers.stops.as_mut()?.next()
    }

    /// The current worker is about to wait. If that is a step, and the replay is to stop before it, a
    /// debugger stops; without one the iteration ends, and this is true.
    pub(super) fn stop_before_wait(&mut self) -> bool {
        // SAFETY: the current worker is live.
        let current = unsafe { &*self.roster.current };
        let recorder = self.observers.recorder.as_ref();
        if recorder.is_none_or(|recorder| recorder.goes_on_waiting(current)) {
            return false;
        }
        let Some(step) = self.stop_before_step() else {
            return false;
        };
        let is_debugged = self.observers.debugged.is_some();
        if is_debugged {
            stop(&reason_before(step, current));
        } else {
            self.iteration.end.get_or_insert(End::stopped(step));
        }
        !is_debugged
    }

    /// The watch is told that the worker has been picked and carries out its pending operation.
    #[inline(never)]
    pub(super) fn watch_step(&mut self, worker: *mut Worker) {
        let early_possible = self.time.early.is_possible();
        let steps = self.steps();
        // SAFETY: a picked worker is live.
        let worker = unsafe { &mut *worker };
        self.observers
            .watch
            .begin_step(worker, steps, early_possible);
    }

    /// The worker goes on, on the stack of another one, and nobody was asked: what it does until its next
    /// point is a step as well for those who watch.
    #[inline]
    pub(crate) fn watch_turn(&mut self, worker: *mut Worker) {
        if self.observers.watch.is_on {
            self.watch_step(worker);
            self.observers.watch.resume_unasked();
            self.note_touched(ObjectId::POLLS);
        }
    }

    /// The step under way, if there is one, is over with what has been done so far, and this is what its
    /// worker does next, at once.
    pub(crate) fn watch_read(&mut self, action: Action) {
        if !self.observers.watch.is_under_way() {
            return;
        }
        self.end_step(Next::Goes(action));
        self.observers.watch.go_on_with(action);
        if self.observers.watch.asks {
            self.decision.driver.tell_read();
        }
    }

    /// The step under way, with which a turn ends, has been carried out, and this is what its worker does
    /// next.
    #[inline]
    pub(crate) fn end_turn(&mut self, next: Next) {
        if self.observers.watch.is_under_way() {
            self.note_touched(ObjectId::POLLS);
            self.end_step(next);
        }
    }

    /// The step under way changes the object, beyond its operation.
    #[inline]
    pub(crate) fn note_touched(&mut self, object: ObjectId) {
        if self.observers.watch.is_on {
            self.observers.watch.touch(object, Access::Writes);
        }
    }

    /// The step under way has been carried out: its worker is at its next point, waits, or has ended.
    #[inline]
    pub(crate) fn tell_step(&mut self) {
        if self.observers.watch.is_under_way() {
            self.tell_watched_step();
        }
    }

    #[cold]
    fn tell_watched_step(&mut self) {
        // SAFETY: the current worker is live.
        let current = unsafe { &*self.roster.current };
        let request = self.decision.request;
        match request {
            Request::End => self.add_touched(current.object),
            Request::Finish => self.add_touched(ObjectId::ITERATION),
            // So does a circle of waiting, when there are others than the one that closes it.
            Request::Wait if self.roster.candidates().len() > 1 => {
                let mut circle = std::mem::take(&mut self.observers.watch.circle);
                let is_closed = self.follow_holders(current, |other| circle.push(other));
                if is_closed {
                    self.add_touched(ObjectId::ITERATION);
                } else {
                    circle.clear();
                }
                self.observers.watch.circle = circle;
            }
            _ => {}
        }
        self.end_step(match request {
            Request::Point | Request::Yield => Next::Goes(current.action()),
            Request::Wait | Request::Idle => Next::Waits(current.action()),
            Request::End | Request::Finish => Next::Ends,
        });
    }

    fn add_touched(&mut self, object: ObjectId) {
        self.observers.watch.touched.push((object, Access::Writes));
    }

    /// The step under way, if there is one, has been carried out, and this is what its worker does next.
    #[cold]
    fn end_step(&mut self, next: Next) {
        if !self.observers.watch.is_under_way() {
            return;
        }
        for stream in self.observers.take_kept_prints().into_iter().flatten() {
            // The lock of the stream is kept, and taking it was no small thing.
            self.note_touched(stream);
        }
        if self.aside.conditions.is_any() {
            self.add_touched(ObjectId::CONDITIONS);
        }
        let watch = &mut self.observers.watch;
        let (asks, is_picked) = (watch.asks, watch.is_picked);
        let ended = watch.end_step(next);
        if let Some((step, beyond)) = ended.filter(|_| asks) {
            let driver = &mut self.decision.driver;
            driver.tell_step(step, &beyond, is_picked);
            watch.circle.clear();
        }
    }

    /// Something happens to the worker that is no step of its own.
    pub(crate) fn record_note(&mut self, worker: *mut Worker, note: &Note<'_>) {
        if let Some(recorder) = &mut self.observers.recorder {
            // SAFETY: the engine's workers are live.
            recorder.add_note(unsafe { &*worker }, note);
        }
    }
}

/// The reason of a stop before the step of this worker.
pub(super) fn reason_before(step: u32, worker: &Worker) -> String {
    let (operation, site) = (worker.operation.name(), worker.site);
    format!("before step {step}, {operation} at {site}")
}
