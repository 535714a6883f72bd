//! Executors: what is asked of them, and what stands in for one where no stack of its own is free.

use std::ptr::null_mut;

use super::hold::wake;
use crate::engine::decide::{Engine, Request, engine, outside};
use crate::engine::state::worker::State;
use crate::engine::worker::interrupt::take_signals;
use crate::engine::worker::{OnWorker, controlled, hand_over, touch};
use crate::object::ObjectId;
use crate::operation::{Access, Operation};
use crate::strategy::Next;

/// There is an executor with a clock of its own, which jumps when there is nothing to do: from here on none
/// goes on while what it could do is held back.
pub fn own_clock() {
    let engine = engine();
    // SAFETY: a set engine is live.
    unsafe {
        if !engine.is_null() {
            (*engine).tasks.executors_have_clocks = true;
        }
    }
}

/// A poll is over. If the executor knows of no other task, but has some that are held back, it goes on when
/// one of these is picked, and not before: natively it would not find that there is nothing to do.
///
/// # Safety
///
/// The engine is live and set.
pub(super) unsafe fn keep_busy((engine, on): (*mut Engine, OnWorker)) {
    // SAFETY: the caller's engine is live; no reference is kept across a switch.
    unsafe {
        let worker = (*engine).roster.current;
        let thread = (*worker).thread;
        while (*engine).has_only_held_back(worker) && !(*engine).executor_waits_in_vain() {
            outside(|| {
                (*worker).set_operation(Operation::Poll, (*worker).site);
                (*engine).end_turn(Next::Waits((*worker).action()));
                (*engine).leave(worker, State::Away);
                (*engine).change_width();
            });
            (*thread).executor_waits = worker;
            (*engine).decision.request = Request::Idle;
            hand_over(engine, on);
            touch(ObjectId::POLLS, Access::Writes);
            let current = (*engine).roster.current;
            if current != worker {
                (*thread).executor_waits = null_mut();
                wake((engine, on), current, worker);
            }
            take_signals(engine);
        }
    }
}

/// The body of a worker that wakes tasks.
pub(super) fn wake_for_ever() {
    let (engine, on) = controlled();
    loop {
        // SAFETY: a worker runs only while its engine is live; no reference is kept across a switch.
        unsafe {
            let task = (*engine).roster.current;
            let waker = (*task).thread;
            // Perhaps it was made for this.
            touch(ObjectId::WORKERS, Access::Writes);
            wake((engine, on), task, waker);
            outside(|| {
                (*waker).set_operation(Operation::Poll, (*waker).site);
                (*engine).end_turn(Next::Waits((*waker).action()));
                (*engine).leave(waker, State::Away);
                (*engine).tasks.idle_wakers.push(waker);
            });
            (*engine).decision.request = Request::Idle;
            hand_over(engine, on);
        }
    }
}
