//! Tasks, as workers that need no stack: who drives them, who is told to poll them, and on which stack they
//! are woken.

use std::panic::Location;
use std::ptr::null_mut;
use std::task::Waker;

use super::engine::Engine;
use super::next::Deciding;
use crate::engine::observe::record::Note;
use crate::engine::state::driven::{Driven, Stage};
use crate::engine::state::tasks::Tasks;
use crate::engine::state::worker::{State, Worker};
use crate::engine::switch::Stack;
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::origin;
use crate::strategy::WorkerId;
use crate::trace::{Outcome, WorkerKind};
use crate::verdict::{BugKind, Unpolled};

/// The recorder's note at the end of a task whose future was dropped before it was ready.
pub(crate) const DROPPED: &str = "dropped";

/// How a poll of a task ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PollEnd {
    /// Its future is ready: so ends the task.
    Over,
    /// Its future is not ready.
    Pending,
    /// It panics.
    Unwinds,
}

/// Tasks come and go.
impl Engine {
    /// A task that the current worker makes; if it `is_root`, its thread is going to drive it until it is
    /// ready.
    pub(crate) fn add_task(&mut self, site: &'static Location<'static>, is_root: bool) -> WorkerId {
        self.progress.overtime.is_broken = true;
        let task = self.add_entry(Stack::NONE, site);
        // SAFETY: the current worker is live, and runs on a thread; the task was just made.
        let id = unsafe {
            let maker = self.roster.current;
            let made_on = (*maker).thread;
            let outer = Driven::expected_outer(maker, is_root);
            let id = (*task).id;
            let mut part = self.tasks.make(id, made_on, outer);
            if is_root {
                part.root_of = made_on;
                (*made_on).roots += 1;
            }
            (*task).task = Some(part);
            id
        };
        self.note_touched(ObjectId::POLLS);
        // Roots and threads are numbered alike.
        self.note_touched(ObjectId::WORKERS);
        let kind = if is_root {
            // SAFETY: as above.
            WorkerKind::Root(unsafe { (*(*self.roster.current).thread).id.0 })
        } else {
            WorkerKind::Task
        };
        self.introduce(id, None, kind);
        id
    }

    /// The task is over. Returns what the engine had to wake it.
    ///
    /// # Safety
    ///
    /// The worker is a task of this iteration that has not ended.
    pub(crate) unsafe fn end_task(&mut self, task: *mut Worker) -> Option<Waker> {
        // SAFETY: the caller's.
        unsafe {
            let part = Driven::of(task);
            if !matches!((*part).stage(), Stage::Panicked) {
                let note = Note::of(Operation::End, (*task).spawned_at).saying(DROPPED);
                self.record_note(task, &note);
            }
            if (*task).state() == State::Away {
                self.roster.leave(task, State::Ended);
            } else {
                self.leave(task, State::Ended);
                self.change_width();
            }
            self.note_touched(ObjectId::POLLS);
            let waker = self.tasks.forget(&mut *part);
            self.tasks.give_back(&mut *part);
            (*part).forget_root();
            let home = (*part).home();
            if !home.is_null() {
                self.resume_waiting_executor(home);
            }
            waker
        }
    }

    /// A thread that goes on with other tasks does so in the chain of one that it is going to poll.
    ///
    /// # Safety
    ///
    /// The thread is one of this iteration.
    pub(crate) unsafe fn go_on_in_chain(&mut self, thread: *mut Worker) {
        let Some(&task) = self.roster.live().get(self.tasks.last_queued.0 as usize) else {
            return;
        };
        // SAFETY: the engine's workers are live; the thread is no candidate.
        unsafe {
            if (*task)
                .task
                .as_ref()
                .is_some_and(|part| part.told().is_queued())
            {
                (*thread).chain = (*task).chain;
                self.decision
                    .driver
                    .tell_continued((*thread).id, (*task).chain);
            }
        }
    }

    /// True if the current worker's executor goes on whatever its tasks return: a thread was made for it, or
    /// it drives a future until that is ready. Another one may tell its caller that nothing can be done, or
    /// let its own clock jump, which must not be so because of tasks that are held back. So may one that a
    /// task polls by hand.
    ///
    /// # Safety
    ///
    /// The engine has a current worker.
    pub(crate) unsafe fn executor_waits_in_vain(&self) -> bool {
        // SAFETY: the engine's workers are live.
        unsafe {
            let worker = self.roster.current;
            let thread = (*worker).thread;
            if let Some(task) = &(*worker).task
                && !task.polls_executor
            {
                return false;
            }
            let was_made = (*thread).id.0 > 0 && origin::is_foreign((*thread).spawned_at);
            (was_made || (*thread).roots > 0) && !self.tasks.executors_have_clocks
        }
    }

    /// True if some tasks of the executor that runs on this worker are held back, or are yet to be put into
    /// its queue, and it is not about to poll another.
    ///
    /// # Safety
    ///
    /// The worker is one of this iteration, and runs on a thread.
    #[inline]
    pub(crate) unsafe fn has_only_held_back(&self, executor: *mut Worker) -> bool {
        // SAFETY: the engine's workers are live.
        unsafe {
            let task = (*executor).task.as_ref();
            if task.is_some_and(|task| !task.polls_executor) {
                // The poller is told of the steps of its own tasks, and of none elsewhere.
                return self.tasks.any_nested_kept()
                    && self.has_only_held_back_of(|part| part.outer() == executor);
            }
            let thread = (*executor).thread;
            let own = (*thread).tasks;
            if own.next > 0 {
                return false;
            }
            if !self.tasks.nested_matter(own.kept > 0) {
                return own.kept > 0;
            }
            self.has_only_held_back_of(|part| part.executor() == thread)
        }
    }

    /// [`Engine::has_only_held_back`] of the executor with these tasks, found out by a look at each.
    #[cold]
    fn has_only_held_back_of(&self, is_its: impl Fn(&Driven) -> bool) -> bool {
        let tasks = self.roster.iter().filter_map(|worker| worker.task.as_ref());
        let mut is_any_held_back = false;
        for part in tasks.filter(|part| is_its(part)) {
            // SAFETY: the engine's workers are live.
            if part.is_next() && unsafe { !part.is_out_of_reach() } {
                return false;
            }
            is_any_held_back |= part.is_kept();
        }
        is_any_held_back
    }

    /// The executor that waits on this thread for one of its tasks to be picked has something else to do.
    ///
    /// # Safety
    ///
    /// The thread is one of this iteration.
    #[inline]
    pub(crate) unsafe fn resume_waiting_executor(&mut self, thread: *mut Worker) {
        // SAFETY: the caller's thread is live, and so is who waits on it.
        unsafe {
            let waits = std::mem::replace(&mut (*thread).executor_waits, null_mut());
            if !waits.is_null() {
                self.start(waits);
            }
        }
    }

    /// The poll of the task is over; the recorder makes a note of why.
    ///
    /// # Safety
    ///
    /// The worker is a task of this iteration.
    #[cold]
    pub(crate) unsafe fn record_end_of_poll(&mut self, task: *mut Worker, ends: PollEnd) {
        // SAFETY: the caller's task is live and is the current worker.
        let (_, site) = unsafe { (*Driven::of(task)).goes_on_with((*task).spawned_at) };
        match ends {
            PollEnd::Over => self.record_note(task, &Note::of(Operation::End, site)),
            PollEnd::Pending => {
                let note = Note {
                    outcome: Outcome::Waits,
                    ..Note::of(Operation::Await, site)
                };
                self.record_note(task, &note);
            }
            // The panic has a note of its own.
            PollEnd::Unwinds => {}
        }
    }

    /// The task leaves its thread and is no candidate any more. Returns the worker below.
    ///
    /// # Safety
    ///
    /// The task is the current worker, and is polled.
    pub(crate) unsafe fn lay_off(&mut self, task: *mut Worker, ends: PollEnd) -> *mut Worker {
        // SAFETY: the caller's task is live and is the current worker.
        unsafe {
            let part = Driven::of(task);
            let below = Tasks::end_poll(&mut *part, ends == PollEnd::Unwinds);
            let state = if ends == PollEnd::Over {
                self.tasks.forget(&mut *part);
                self.tasks.give_back(&mut *part);
                (*part).forget_root();
                State::Ended
            } else {
                State::Away
            };
            self.leave(task, state);
            (*task).thread = null_mut();
            below
        }
    }

    /// The current worker is another one from here on, on the same stack. The caller says how many candidates
    /// there are now.
    ///
    /// # Safety
    ///
    /// The worker is one of this iteration, and a candidate.
    #[inline]
    pub(crate) unsafe fn run_as(&mut self, worker: *mut Worker) {
        self.roster.run(worker);
        self.budget.interrupt();
        // SAFETY: the caller's worker is live.
        let id = unsafe { (*worker).id };
        if !self.progress.overtime.is_on {
            self.observers.tape.rename(self.steps() + 1, id);
        }
    }

    /// The worker, which has been picked, is a task that was held back: gives it a stack to be woken on.
    ///
    /// # Safety
    ///
    /// The worker is a task of this iteration that was polled before.
    #[inline(never)]
    pub(crate) unsafe fn provide_stack(&mut self, task: *mut Worker, _: Deciding) {
        // SAFETY: the caller's; the engine's workers are live.
        unsafe {
            let home = (*Driven::of(task)).home();
            let waits = (*home).executor_waits;
            if !waits.is_null() {
                Worker::share_stack(task, waits, home);
                return;
            }
            let current = self.roster.current;
            let is_at_gate = |part: &mut Driven| part.polled().is_some_and(|poll| poll.is_at_gate);
            let is_at_gate = (*current).task.as_mut().is_some_and(is_at_gate);
            if is_at_gate && (home == (*current).thread || self.executor_waits_in_vain()) {
                Worker::share_stack(task, current, (*current).thread);
                return;
            }
            let waker = match self.tasks.idle_wakers.pop() {
                Some(waker) => waker,
                None => self.add_waker(task),
            };
            Worker::share_stack(task, waker, waker);
        }
    }

    /// A new worker that wakes tasks, `task` first.
    ///
    /// # Safety
    ///
    /// The worker is a task of this iteration.
    #[cold]
    unsafe fn add_waker(&mut self, task: *mut Worker) -> *mut Worker {
        let site = Location::caller();
        let name = Some("executor's wake-up".to_owned());
        let body = self.tasks.wakes;
        let body = body.expect("whoever makes tasks says how they are woken");
        let waker = self.add_thread(name, None, site, body());
        let waker = waker.expect("there is a stack for one more worker");
        // SAFETY: the worker was just made, and the caller's task is live.
        unsafe {
            // It begins in the task's name.
            (*task).body = (*waker).body.take();
            let id = (*waker).id;
            self.introduce(id, None, WorkerKind::WakeUp);
        }
        waker
    }
}

impl Worker {
    /// Why the worker, if it is a task that nobody polls, does not go on. One that could is of interest only
    /// when the question is why nothing happens.
    pub(crate) fn unpolled(&self, kind: BugKind) -> Option<Unpolled> {
        let task = self.task.as_ref().filter(|task| !task.is_polled())?;
        match self.state() {
            State::Away if matches!(task.stage(), Stage::Released) => Some(Unpolled::Woken),
            State::Away if task.polls.is_empty() => Some(Unpolled::Never),
            State::Away => Some(Unpolled::Awaits),
            State::Enabled if matches!(kind, BugKind::Livelock | BugKind::Liveness) => {
                Some(Unpolled::HeldBack)
            }
            State::Enabled | State::Waiting | State::Ended => None,
        }
    }
}
