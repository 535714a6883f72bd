//! A future that an executor drives.

use std::panic::Location;
use std::task::{Context, Poll};

use super::executor::{keep_busy, wake_for_ever};
use super::hold::{gives_way, may_go_on};
use super::poll::{Beginning, PollUnderWay, begin_poll};
use super::types::is_made_of;
use super::waker::told_of_wakes;
use crate::engine::decide::tasks::PollEnd;
use crate::engine::decide::{Engine, engine, outside};
use crate::engine::observe::record::Note;
use crate::engine::state::driven::Driven;
use crate::engine::state::iteration::End;
use crate::engine::state::worker::{State, Worker};
use crate::engine::worker::{OnWorker, hand_over, on_worker, point_at};
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::strategy::WorkerId;
use crate::verdict::Verdict;

/// The most tasks and threads of one iteration.
const MAX_TASKS: usize = 1 << 20;

/// A future that an executor drives, as a worker; made where it is handed to the executor.
///
/// Where no engine is it does nothing.
#[derive(Debug)]
pub struct Task {
    iteration: u64,
    id: WorkerId,
    /// Not decided yet: it is no task before its first poll.
    handed: Option<Handed>,
}

/// A future that was handed to a call which may drive it.
#[derive(Clone, Copy, Debug)]
struct Handed {
    iteration: u64,
    site: &'static Location<'static>,
    /// The worker that makes the call, and which of its calls that is.
    by: WorkerId,
    call: u32,
}

impl Task {
    /// A task that the caller spawns, with the scheduling point before it.
    #[track_caller]
    #[must_use]
    pub fn spawned() -> Task {
        let site = Location::caller();
        point_at(Operation::Spawn, ObjectId::NONE, site).done();
        Task::new(site, false)
    }

    /// A future that the caller's thread is going to drive until it is ready: that of a `block_on`.
    #[track_caller]
    #[must_use]
    pub fn root() -> Task {
        Task::new(Location::caller(), true)
    }

    /// A future that the caller hands to a call that may drive it, return a future that does, or do neither.
    ///
    /// Which it is shows at the first poll. It becomes a root if that is during the call, see
    /// [`handing_is_over`], or if what polls it is what the call made of it, and is driven itself: the
    /// future of an executor's `run`. Else somebody polls it by hand, and it stays as it is.
    #[track_caller]
    #[must_use]
    pub fn handed() -> Task {
        let engine = engine();
        // SAFETY: a set engine is live, and its current worker too.
        unsafe {
            if engine.is_null() || (*engine).aside.onlooker().is_some() {
                return Task::none();
            }
            let worker = (*engine).roster.current;
            (*worker).calls += 1;
            let handed = Handed {
                iteration: (*engine).iteration.number,
                site: Location::caller(),
                by: (*worker).id,
                call: (*worker).calls,
            };
            Task {
                handed: Some(handed),
                ..Task::none()
            }
        }
    }

    /// Nothing that the engine knows of: a future that is polled as it is.
    #[must_use]
    pub fn none() -> Task {
        Task {
            iteration: 0,
            id: WorkerId(0),
            handed: None,
        }
    }

    fn new(site: &'static Location<'static>, is_root: bool) -> Task {
        let Some((engine, on)) = on_worker() else {
            return Task::none();
        };
        // SAFETY: a set engine is live; no switch happens in here but that which ends the iteration.
        unsafe {
            if (*engine).aside.onlooker().is_some() {
                return Task::none();
            }
            if (*engine).roster.len() == MAX_TASKS {
                (*engine).finish(End::of(Verdict::CutOff));
                hand_over(engine, on);
            }
            (*engine).tasks.wakes = Some(|| Box::new(wake_for_ever));
            let id = outside(|| (*engine).add_task(site, is_root));
            let iteration = (*engine).iteration.number;
            Task {
                iteration,
                id,
                handed: None,
            }
        }
    }

    /// The task as a worker of the iteration under way, if the caller is controlled.
    #[inline]
    fn worker(&self) -> Option<((*mut Engine, OnWorker), *mut Worker)> {
        let (engine, on) = on_worker()?;
        // SAFETY: a set engine is live; no switch happens in here.
        unsafe {
            let is_its = self.iteration == (*engine).iteration.number
                && (*engine).aside.onlooker().is_none();
            is_its.then(|| ((engine, on), (*engine).roster.worker(self.id)))
        }
    }

    /// Polls the task: runs `inner` in its name, now or in a later poll.
    ///
    /// `own` is the name of the type that the task is part of, `future` that of its future's, and `context`
    /// that of its executor. The future lies at `place`, and has that size.
    pub fn poll<R>(
        &mut self,
        own: &'static str,
        future: &'static str,
        place: (*const u8, usize),
        context: &mut Context<'_>,
        inner: impl FnOnce(&mut Context<'_>) -> Poll<R>,
    ) -> Poll<R> {
        if let Some(handed) = self.handed.take()
            && handed.is_driven(own)
        {
            *self = Task::new(handed.site, true);
        }
        let Some(((engine, on), task)) = self.worker() else {
            return inner(context);
        };
        // SAFETY: the engine is live and set, and the task is one of its workers; no reference is kept.
        unsafe {
            let part = Driven::of(task);
            if (*task).state() == State::Ended || (*part).is_polled() {
                return inner(context);
            }
            let began = begin_poll(engine, task);
            if began == Beginning::Waits {
                keep_busy((engine, on));
                return Poll::Pending;
            }
            let mut poll = PollUnderWay {
                engine,
                on,
                task,
                ends: PollEnd::Unwinds,
            };
            if began == Beginning::Released {
                if (*engine).observers.recorder.is_some() {
                    let note = Note::of((*task).operation, (*task).site);
                    outside(|| (*engine).record_note(task, &note));
                }
            } else if !(*part).polls_executor {
                let (operation, site) = (*part).goes_on_with((*task).spawned_at);
                if !may_go_on((engine, on), operation, site, context.waker()) {
                    return Poll::Pending;
                }
            }
            (*part).awaits = None;
            (*part).polls = future;
            let result = told_of_wakes(engine, task, context, inner);
            if result.is_ready() {
                poll.ends = PollEnd::Over;
                return result;
            }
            // One that was held back on the way is polled again in any case.
            if (*part).polled().is_some_and(|poll| poll.is_woken) {
                gives_way((engine, on), context.waker());
            }
            if (*engine).progress.overtime.is_on {
                outside(|| (*engine).see_future((*task).id, future, place));
            } else if (*engine).looks_at_polls() {
                outside(|| (*engine).note_poll((*task).id, place));
            }
            poll.ends = PollEnd::Pending;
            result
        }
    }
}

impl Handed {
    /// Tells whether the current worker, which polls it for the first time, or whoever drives that one, goes
    /// on with it until it is ready.
    fn is_driven(&self, own: &str) -> bool {
        let engine = engine();
        // SAFETY: a set engine is live, and its workers too.
        unsafe {
            if engine.is_null()
                || self.iteration != (*engine).iteration.number
                || (*engine).aside.onlooker().is_some()
            {
                return false;
            }
            if (*(*engine).roster.worker(self.by)).calls == self.call {
                return true;
            }
            let Some(around) = &mut (*(*engine).roster.current).task else {
                return false;
            };
            around.polls_executor = is_made_of(around.polls, own);
            around.polls_executor
        }
    }
}

/// The call is over that the current worker has handed a future to, see [`Task::handed`].
pub fn handing_is_over() {
    let engine = engine();
    // SAFETY: a set engine is live, and its current worker too.
    unsafe {
        if !engine.is_null() && (*engine).aside.onlooker().is_none() {
            (*(*engine).roster.current).calls += 1;
        }
    }
}

impl Drop for Task {
    /// The future is dropped: the task is over, and what the engine has of it goes.
    fn drop(&mut self) {
        let Some(((engine, _), task)) = self.worker() else {
            return;
        };
        // SAFETY: as in `poll`.
        let waker = unsafe {
            if (*task).state() == State::Ended {
                return;
            }
            outside(|| (*engine).end_task(task))
        };
        // Here, where it may be the last reference to the task.
        drop(waker);
    }
}
