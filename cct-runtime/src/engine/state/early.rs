//! Which time-outs may come although others can run, in this iteration.

use super::worker::Worker;
use crate::operation::Operation;
use crate::trace::Schedule;

/// The rule of the iteration under way.
#[derive(Debug, Default)]
pub(crate) struct Early {
    /// How many more time-outs may be early.
    pub(crate) left: u32,
    /// How far away they may be, in nanoseconds.
    pub(crate) leap: u64,
    /// Deadlines have come or gone since it was found out whose time-outs may be early.
    pub(crate) is_stale: bool,
    /// How many awaits wait for what is known to be a sleep.
    pub(crate) sleeps: u32,
    /// When the first sleep is over that somebody has begun, and is none for the sake of giving way.
    pub(crate) first_awake: u64,
    /// Code has been seen that tells of its awaits.
    pub(crate) hears_of_awaits: bool,
    /// The workers that could run when the picked one timed out.
    pub(crate) ahead_of: Vec<u32>,
}

impl Early {
    /// A new iteration begins.
    pub(crate) fn begin(&mut self, head: &Schedule) {
        (self.left, self.leap) = (head.early, head.leap);
        self.is_stale = false;
        self.sleeps = 0;
        self.first_awake = u64::MAX;
        self.hears_of_awaits = false;
        self.ahead_of.clear();
    }

    /// True if a time-out may still be early in this iteration.
    #[inline]
    pub(crate) fn is_possible(&self) -> bool {
        self.left > 0
    }

    /// True if time-outs are early wherever they are.
    pub(crate) fn is_everywhere(&self) -> bool {
        self.leap == u64::MAX
    }
}

/// A sleep shorter than this, in nanoseconds, only gives way.
pub(crate) const REAL_SLEEP: u64 = 1_000_000;

/// The operation takes nothing but time.
pub(crate) fn is_sleep(worker: &Worker) -> bool {
    match worker.operation {
        Operation::Sleep => true,
        // For no descriptor at all.
        Operation::PollDescriptors => worker.object.is_none(),
        _ => false,
    }
}
