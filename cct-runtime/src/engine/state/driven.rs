//! The part of a worker that makes it a task: a future that an executor drives.

use std::panic::Location;
use std::ptr::null_mut;
use std::task::Waker;

use super::relays::Relay;
use super::worker::Worker;
use crate::operation::Operation;

/// The engine's knowledge of a worker that is a task.
///
/// Only [`super::tasks`] changes the stage, the news that the executor has had and the drivers, since it
/// counts tasks by these.
#[derive(Debug)]
pub(crate) struct Driven {
    pub(super) stage: Stage,
    pub(super) told: Told,
    /// A call is under way by which its executor is told, since it was picked. That may take some steps, and
    /// a poll may begin meanwhile.
    pub(super) is_being_woken: bool,
    /// The task that drives it, as part of its own future; null if an executor's thread does.
    pub(super) outer: *mut Worker,
    /// The thread that polled it last; null before its first poll.
    pub(super) home: *mut Worker,
    /// The thread that made it.
    pub(super) made_on: *mut Worker,
    /// It drives tasks itself.
    pub(crate) drives_others: bool,
    /// The thread that drives it until it is ready, if it is what a `block_on` was given; else null.
    pub(crate) root_of: *mut Worker,
    /// The relay that its futures have for its executor's waker ([`super::relays`]); null before its first
    /// poll.
    pub(crate) relay: *mut Relay,
    /// The name of the type of the future that it polls.
    pub(crate) polls: &'static str,
    /// That future is an executor, and drives the futures that it was handed.
    pub(crate) polls_executor: bool,
    /// How many awaits of its own it is in.
    pub(crate) depth: u32,
    /// The innermost await whose future was not ready in the last poll; none from when it goes on.
    pub(crate) awaits: Option<&'static Location<'static>>,
    /// The await at which it went on last, unless it has changed something since.
    pub(crate) went_on_at: Option<&'static Location<'static>>,
}

/// The stage of a task, between its executor and the engine.
#[derive(Debug)]
pub(crate) enum Stage {
    /// Nobody polls it: it is new, or waits until it is woken.
    Rests,
    /// It is polled.
    Polled(Polled),
    /// It is held back: a candidate, whose executor is told by this waker when it is picked.
    HeldBack(Waker),
    /// It was picked while it was held back, and has not been polled since.
    Released,
    /// It panicked: there will be no more of it.
    Panicked,
}

/// A poll under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polled {
    /// The worker in whose place the task runs.
    pub(crate) below: *mut Worker,
    /// The task is at a scheduling point where it may be held back.
    pub(crate) is_at_gate: bool,
    /// Somebody has woken the task during this poll.
    pub(crate) is_woken: bool,
}

/// The news that a task's executor has had since it polled the task last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Told {
    /// Nothing.
    Nothing,
    /// To poll it: it is new, it was picked, or somebody has woken it by an older waker.
    ToPoll,
    /// To poll it, by the waker that it was polled with last: that is enough, by the contract of wakers, for
    /// a poll to come.
    ByItsWaker,
    /// The same, but before the task was held back: it counts as held back, and not as one that its executor
    /// is going to poll.
    BeforeHeldBack,
}

impl Told {
    /// True if the executor knows that it has to poll the task.
    #[inline]
    pub(crate) fn is_queued(self) -> bool {
        matches!(self, Told::ToPoll | Told::ByItsWaker)
    }

    /// True if the task's own waker has said so.
    #[inline]
    pub(crate) fn is_by_its_waker(self) -> bool {
        matches!(self, Told::ByItsWaker | Told::BeforeHeldBack)
    }
}

impl Driven {
    /// The part of the worker that makes it a task.
    ///
    /// # Safety
    ///
    /// The worker is live, and a task. No reference that is made of the result is kept across a call that may
    /// reach the same task.
    #[inline]
    pub(crate) unsafe fn of(task: *mut Worker) -> *mut Driven {
        // SAFETY: the caller's.
        unsafe {
            let part = (*task).task.as_mut();
            debug_assert!(part.is_some(), "only a task is asked for what it drives");
            part.unwrap_unchecked()
        }
    }

    /// The part of a task which was just made on this thread, and which `outer` is expected to drive.
    pub(super) fn made(made_on: *mut Worker, outer: *mut Worker) -> Driven {
        Driven {
            stage: Stage::Rests,
            told: Told::Nothing,
            is_being_woken: false,
            outer,
            home: null_mut(),
            made_on,
            drives_others: false,
            root_of: null_mut(),
            relay: null_mut(),
            polls: "",
            polls_executor: false,
            depth: 0,
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

    /// Its stage.
    #[inline]
    pub(crate) fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The news that its executor has had.
    #[inline]
    pub(crate) fn told(&self) -> Told {
        self.told
    }

    /// The thread that polled it last; null before its first poll.
    #[inline]
    pub(crate) fn home(&self) -> *mut Worker {
        self.home
    }

    /// The task that drives it; null if an executor's thread does.
    #[inline]
    pub(crate) fn outer(&self) -> *mut Worker {
        self.outer
    }

    /// The poll under way, if there is one.
    #[inline]
    pub(crate) fn polled(&mut self) -> Option<&mut Polled> {
        match &mut self.stage {
            Stage::Polled(polled) => Some(polled),
            _ => None,
        }
    }

    /// True while it is polled.
    #[inline]
    pub(crate) fn is_polled(&self) -> bool {
        matches!(self.stage, Stage::Polled(_))
    }

    /// True if the engine keeps it from its executor, which may not know of the task when it looks.
    #[inline]
    pub(crate) fn is_kept(&self) -> bool {
        self.is_being_woken || self.is_held_back()
    }

    /// True while a call is under way by which its executor is told, since it was picked.
    #[inline]
    pub(crate) fn is_being_woken(&self) -> bool {
        self.is_being_woken
    }

    #[inline]
    pub(super) fn is_held_back(&self) -> bool {
        matches!(self.stage, Stage::HeldBack(_))
    }

    /// True if its executor is about to poll it, as far as that can reach it.
    #[inline]
    pub(crate) fn is_next(&self) -> bool {
        self.told.is_queued() && !self.is_being_woken
    }

    /// The thread of its executor; one that nobody has polled is taken for that of the thread that made it.
    #[inline]
    pub(crate) fn executor(&self) -> *mut Worker {
        if self.home.is_null() {
            self.made_on
        } else {
            self.home
        }
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
            if part.is_kept() {
                return true;
            }
            outer = part.outer;
        }
        false
    }

    /// Returns the task's next operation, when its executor polls it, and its site.
    #[inline]
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
