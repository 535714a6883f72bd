//! The part of a worker that makes it a task: a future that an executor drives.

use std::panic::Location;
use std::ptr::null_mut;
use std::task::Waker;

use super::relays::Relay;
use super::worker::{State, Worker};
use crate::operation::Operation;

/// The engine's knowledge of a worker that is a task.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Driven {
    /// The worker in whose place it runs, while it is polled.
    pub(crate) below: *mut Worker,
    /// The task that drives it, as part of its own future; null if an executor's thread does.
    pub(crate) outer: *mut Worker,
    /// It drives tasks itself.
    pub(crate) drives_others: bool,
    /// It is at a scheduling point where it may be held back.
    pub(crate) is_at_gate: bool,
    /// There the worker below is a candidate as well: it would go on with other tasks.
    pub(crate) offers_place: bool,
    /// It was picked while it was held back, and has not been polled since.
    pub(crate) is_released: bool,
    /// Its executor is being told to poll it, which may take some steps.
    pub(crate) is_being_woken: bool,
    /// Its executor has been told to poll it: it is new, it was picked, or somebody woke it.
    pub(crate) is_queued: bool,
    /// Its executor has been told by the waker that it was polled with last, and has not polled it since:
    /// that is enough, by the contract of wakers, for a poll to come.
    pub(crate) is_told: bool,
    /// Somebody woke it while it is polled.
    pub(crate) is_woken_in_poll: bool,
    /// The thread that drives it until it is ready, if it is what a `block_on` was given; else null.
    pub(crate) root_of: *mut Worker,
    /// The thread that polled it last.
    pub(crate) home: *mut Worker,
    /// The thread that made it.
    pub(crate) made_on: *mut Worker,
    /// It panicked: there will be no more of it.
    pub(crate) panicked: bool,
    /// The waker for it, while it is held back.
    pub(crate) waker: Option<Waker>,
    /// The relay that its futures have for its executor's waker ([`super::relays`]); null before its first
    /// poll.
    pub(crate) relay: *mut Relay,
    /// The name of the type of the future that it polls.
    pub(crate) polls: &'static str,
    /// That is an executor, and drives what it was handed.
    pub(crate) polls_executor: bool,
    /// The innermost await whose future was not ready in the last poll; none from when it goes on.
    pub(crate) awaits: Option<&'static Location<'static>>,
    /// Where it went on last, unless it has changed something since.
    pub(crate) went_on_at: Option<&'static Location<'static>>,
}

impl Driven {
    /// The part of the worker that makes it a task; panics if it is none.
    ///
    /// # Safety
    ///
    /// The worker is live, and the reference is not kept across a switch, nor while another one is used.
    #[inline]
    #[track_caller]
    pub(crate) unsafe fn of<'a>(task: *mut Worker) -> &'a mut Driven {
        // SAFETY: the caller's.
        let part = unsafe { (*task).task.as_mut() };
        part.expect("only a task is asked for what it drives")
    }

    /// That of a task which was just made on this thread, and which that task is expected to drive.
    pub(crate) fn made(made_on: *mut Worker, outer: *mut Worker) -> Driven {
        Driven {
            below: null_mut(),
            outer,
            drives_others: false,
            is_at_gate: false,
            offers_place: false,
            is_released: false,
            is_being_woken: false,
            is_queued: false,
            is_told: false,
            is_woken_in_poll: false,
            root_of: null_mut(),
            home: null_mut(),
            made_on,
            panicked: false,
            waker: None,
            relay: null_mut(),
            polls: "",
            polls_executor: false,
            awaits: None,
            went_on_at: None,
        }
    }

    /// The task that is going to drive one which `maker` makes: a future that is driven on the spot is part
    /// of its maker, and others are most often polled by whoever polls tasks there already.
    ///
    /// # Safety
    ///
    /// The worker is live.
    pub(crate) unsafe fn expected_outer(maker: *mut Worker, is_root: bool) -> *mut Worker {
        // SAFETY: the caller's.
        match unsafe { &(*maker).task } {
            Some(part) if is_root || part.drives_others => maker,
            Some(part) => part.outer,
            None => null_mut(),
        }
    }

    /// True while it is polled.
    #[inline]
    pub(crate) fn is_polled(&self) -> bool {
        !self.below.is_null()
    }

    /// The task is over: its thread no longer drives it.
    ///
    /// # Safety
    ///
    /// Its thread is live.
    pub(crate) unsafe fn forget_root(&mut self) {
        let thread = std::mem::replace(&mut self.root_of, null_mut());
        if !thread.is_null() {
            // SAFETY: the caller's.
            unsafe { (*thread).roots -= 1 };
        }
    }

    /// True if the task that drives this one, or one that drives that, is held back: nobody can poll it now.
    ///
    /// # Safety
    ///
    /// The workers of the iteration are live.
    pub(crate) unsafe fn is_out_of_reach(&self) -> bool {
        let mut outer = self.outer;
        // SAFETY: workers of the iteration stay where they are.
        while let Some(worker) = unsafe { outer.as_ref() } {
            let Some(part) = &worker.task else {
                return false;
            };
            if part.is_being_woken || worker.state() == State::Enabled && worker.is_held_back() {
                return true;
            }
            outer = part.outer;
        }
        false
    }

    /// Returns the task's next operation, when its executor polls it, and its site.
    pub(crate) fn goes_on_with(
        &self,
        spawned_at: &'static Location<'static>,
    ) -> (Operation, &'static Location<'static>) {
        match self.awaits {
            Some(site) => (Operation::Await, site),
            None if self.polls.is_empty() => (Operation::Start, spawned_at),
            // A spawned future waits without an await.
            None => (Operation::Await, spawned_at),
        }
    }
}
