//! The turn of a task on a thread: it takes the place of the worker that polls it, and gives it back.

use std::ptr::null_mut;

use super::executor::keep_busy;
use crate::engine::decide::tasks::TurnEnd;
use crate::engine::decide::{Engine, outside};
use crate::engine::state::driven::Driven;
use crate::engine::state::worker::{State, Worker};
use crate::engine::worker::OnWorker;
use crate::operation::Operation;
use crate::strategy::Next;

/// The task's turn on a thread; ends when the poll does, also by unwinding.
pub(super) struct Turn {
    pub(super) engine: *mut Engine,
    pub(super) on: OnWorker,
    pub(super) task: *mut Worker,
    pub(super) ends: TurnEnd,
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

impl Drop for Turn {
    fn drop(&mut self) {
        // SAFETY: the poll is on this stack, and the engine and its workers are live.
        unsafe {
            if !Driven::of(self.task).below.is_null() {
                give_place_back(self.engine, self.ends);
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
pub(super) unsafe fn take_place(engine: *mut Engine, task: *mut Worker) -> Beginning {
    // SAFETY: the caller's engine and task are live; no switch happens in here.
    outside(|| unsafe {
        let below = (*engine).roster.current;
        let part = Driven::of(task);
        (*engine).tasks.forget_queued(part);
        let home = std::mem::replace(&mut part.home, (*below).thread);
        if !home.is_null() && home != part.home {
            // It has one task less to wait for.
            (*engine).resume_waiting_executor(home);
        }
        let was_told = std::mem::take(&mut part.is_told);
        if was_told && (*task).state() == State::Enabled && (*engine).tasks.any_released() {
            // Polled since it was woken before it was held back.
            return Beginning::Waits;
        }
        // For whoever asks what it is about.
        (*below).set_operation(Operation::Poll, (*below).site);
        (*engine).end_turn(Next::Waits((*below).action()));
        (*engine).leave(below, State::Away);
        if (*task).state() == State::Away {
            (*engine).start(task);
        } else {
            // Held back, and polled all the same: for another reason than that it was picked.
            drop(part.waker.take());
        }
        part.is_woken_in_poll = false;
        part.outer = null_mut();
        if let Some(outer) = &mut (*below).task {
            outer.drives_others = true;
            part.outer = below;
        }
        part.below = below;
        (*task).thread = (*below).thread;
        (*task).stack = (*below).stack;
        (*engine).run_as(task);
        if (*engine).tasks.forget_released(part) {
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
/// The engine is live and set, and its current worker is a task.
unsafe fn give_place_back(engine: *mut Engine, ends: TurnEnd) {
    // SAFETY: the caller's engine is live, and its current worker is a task; no switch happens in here.
    outside(|| unsafe {
        let task = (*engine).roster.current;
        let is_over = ends == TurnEnd::Over;
        (*engine).record_end_of_turn(task, ends);
        let (operation, site) = Driven::of(task).goes_on_with((*task).spawned_at);
        (*task).set_operation(operation, site);
        (*engine).end_turn(if is_over {
            Next::Ends
        } else {
            Next::Waits((*task).action())
        });
        let below = (*engine).lay_off(task, is_over);
        (*engine).start(below);
        (*engine).run_as(below);
        (*engine).watch_turn(below);
    });
}
