//! A poll of a task: it takes the place of the worker that polls it, and gives it back.

use std::ptr::null_mut;

use super::executor::keep_busy;
use crate::engine::decide::tasks::PollEnd;
use crate::engine::decide::{Engine, outside};
use crate::engine::state::driven::{Driven, Stage};
use crate::engine::state::worker::{State, Worker};
use crate::engine::worker::OnWorker;
use crate::operation::Operation;
use crate::strategy::Next;

/// A poll under way; the task gives its place back when that ends, also by unwinding.
pub(super) struct PollUnderWay {
    pub(super) engine: *mut Engine,
    pub(super) on: OnWorker,
    pub(super) task: *mut Worker,
    pub(super) ends: PollEnd,
}

/// How a poll of a task begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Beginning {
    /// The task has been picked already.
    Released,
    /// The strategy is to say whether it goes on.
    Asks,
    /// It stays held back: another one has been picked, and is about to be polled.
    Waits,
}

impl Drop for PollUnderWay {
    fn drop(&mut self) {
        // SAFETY: the poll is on this stack, and the engine and its workers are live.
        unsafe {
            if (*Driven::of(self.task)).is_polled() {
                end_poll(self.engine, self.ends);
            }
            keep_busy((self.engine, self.on));
        }
    }
}

/// The task, which its executor polls, takes the place of the current worker, if it may begin.
///
/// # Safety
///
/// The engine is live and set, and the task is one of its workers.
pub(super) unsafe fn begin_poll(engine: *mut Engine, task: *mut Worker) -> Beginning {
    // SAFETY: the caller's engine and task are live; no switch happens in here.
    outside(|| unsafe {
        let below = (*engine).roster.current;
        let thread = (*below).thread;
        let part = Driven::of(task);
        let home = (*part).home();
        let told = (*engine).tasks.come_to(&mut *part, thread);
        if !home.is_null() && home != thread {
            // It has one task less to wait for.
            (*engine).resume_waiting_executor(home);
        }
        let is_held_back = (*task).state() == State::Enabled;
        if told.is_by_its_waker() && is_held_back && (*engine).tasks.any_released() {
            // Polled since it was woken before it was held back.
            return Beginning::Waits;
        }
        // For whoever asks what it is about.
        (*below).set_operation(Operation::Poll, (*below).site);
        (*engine).end_turn(Next::Waits((*below).action()));
        (*engine).leave(below, State::Away);
        if is_held_back {
            (*engine).change_width();
        } else {
            (*engine).start(task);
        }
        let mut outer = null_mut();
        if let Some(around) = &mut (*below).task {
            around.drives_others = true;
            outer = below;
        }
        // A waker that is left is of one held back and polled all the same: for another reason than that it
        // was picked.
        let before = (*engine).tasks.begin_poll(&mut *part, below, outer);
        (*task).thread = thread;
        (*task).stack = (*below).stack;
        (*engine).run_as(task);
        if matches!(before, Stage::Released) {
            (*engine).watch_turn(task);
            Beginning::Released
        } else {
            Beginning::Asks
        }
    })
}

/// The poll is over: the worker below the current task takes its place back.
///
/// # Safety
///
/// The engine is live and set, and its current worker is a task that is polled.
unsafe fn end_poll(engine: *mut Engine, ends: PollEnd) {
    // SAFETY: the caller's engine is live, and its current worker is a task; no switch happens in here.
    outside(|| unsafe {
        let task = (*engine).roster.current;
        if (*engine).observers.recorder.is_some() {
            (*engine).record_end_of_poll(task, ends);
        }
        let (operation, site) = (*Driven::of(task)).goes_on_with((*task).spawned_at);
        (*task).set_operation(operation, site);
        (*engine).end_turn(if ends == PollEnd::Over {
            Next::Ends
        } else {
            Next::Waits((*task).action())
        });
        let below = (*engine).lay_off(task, ends);
        (*engine).start(below);
        (*engine).run_as(below);
        (*engine).watch_turn(below);
    });
}
