//! All tasks of an iteration together.

use std::ptr::null_mut;
use std::sync::atomic::Ordering;

use super::driven::Driven;
use super::relays::Relays;
use super::worker::Worker;
use crate::strategy::WorkerId;

/// Makes what a worker runs.
pub(crate) type MakeBody = fn() -> Box<dyn FnOnce()>;

/// The tasks of an iteration, and those who wake them.
#[derive(Debug)]
pub(crate) struct Tasks {
    /// Executors of this iteration may let clocks of their own jump when there is nothing to do.
    pub(crate) executors_have_clocks: bool,
    /// Tasks that their executors know they have to poll: new ones, those picked, and those woken.
    queued: u32,
    /// The last of them to become one.
    pub(crate) last_queued: WorkerId,
    /// Tasks that were picked while they were held back, and have not been polled since.
    released: u32,
    pub(crate) relays: Relays,
    /// Workers that wake tasks, with nothing to do.
    pub(crate) idle_wakers: Vec<*mut Worker>,
    /// Makes what such a worker runs; known once there is a task.
    pub(crate) wakes: Option<MakeBody>,
}

impl Default for Tasks {
    fn default() -> Tasks {
        Tasks {
            executors_have_clocks: false,
            queued: 0,
            last_queued: WorkerId(u32::MAX),
            released: 0,
            relays: Relays::default(),
            idle_wakers: Vec::new(),
            wakes: None,
        }
    }
}

impl Tasks {
    /// A new iteration begins: there are no tasks.
    pub(crate) fn begin(&mut self) {
        let Tasks {
            executors_have_clocks,
            queued,
            last_queued,
            released,
            relays,
            idle_wakers,
            wakes: _,
        } = self;
        *executors_have_clocks = false;
        *queued = 0;
        *last_queued = WorkerId(u32::MAX);
        *released = 0;
        relays.clear();
        idle_wakers.clear();
    }

    /// How many tasks their executors know they have to poll.
    #[inline]
    pub(crate) fn queued(&self) -> u32 {
        self.queued
    }

    /// True if a task was picked while it was held back, and has not been polled since.
    #[inline]
    pub(crate) fn any_released(&self) -> bool {
        self.released > 0
    }

    /// The task's executor knows that it is to be polled.
    pub(crate) fn queue(&mut self, id: WorkerId, part: &mut Driven) {
        self.queued += u32::from(!part.is_queued);
        part.is_queued = true;
        self.last_queued = id;
    }

    /// The task is polled, or over.
    pub(crate) fn forget_queued(&mut self, part: &mut Driven) {
        self.queued -= u32::from(part.is_queued);
        part.is_queued = false;
    }

    /// The task was picked while it was held back.
    pub(crate) fn release(&mut self, part: &mut Driven) {
        self.released += u32::from(!part.is_released);
        part.is_released = true;
    }

    /// The task is polled, or over. True if it had been picked for that.
    pub(crate) fn forget_released(&mut self, part: &mut Driven) -> bool {
        self.released -= u32::from(part.is_released);
        std::mem::take(&mut part.is_released)
    }

    /// The task is over, or polled with another waker from here on. The caller is outside.
    ///
    /// # Safety
    ///
    /// The task's relay, if it has one, is of this iteration.
    pub(crate) unsafe fn give_back(&mut self, part: &mut Driven) {
        let relay = std::mem::replace(&mut part.relay, null_mut());
        if relay.is_null() {
            return;
        }
        // SAFETY: the caller's; relays stay where they are.
        unsafe {
            (*relay).lent -= 1;
            if (*relay).lent == 0 && (*relay).clones.load(Ordering::Relaxed) == 0 {
                self.relays.release(relay);
            }
        }
    }
}
