//! The virtual clock, and the deadlines that are set by it.

use super::early::Early;
use crate::strategy::derive;
use crate::trace::Schedule;

/// The latest time that there is: 146 years. Time stops here, and later deadlines never come, so that no
/// clock overflows, whatever it counts from.
pub(crate) const LAST: u64 = 1 << 62;
/// An iteration begins before this time, in nanoseconds.
const LATEST_START: u64 = 1 << 20;
/// Which of the numbers that follow from the seed says when; the first two are std's hash keys.
const START: u64 = 2;

/// Time in virtual nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct Time {
    /// The time: nanoseconds since the iteration began, up to a millisecond late.
    pub(crate) now: u64,
    /// No waiting worker has an earlier deadline than this.
    pub(crate) next_deadline: u64,
    /// The step at which the next sleep ends whatever the others do.
    pub(crate) sleep_ends_by: u32,
    /// Nanoseconds between the Unix epoch and virtual time 0.
    pub(crate) wall_clock: u64,
    /// Which time-outs may be early.
    pub(crate) early: Early,
}

impl Time {
    /// A new iteration begins, at a moment that follows from its seed: programs that draw random numbers from
    /// the clock draw others in each iteration.
    pub(crate) fn begin(&mut self, head: &Schedule) {
        let Time {
            now,
            next_deadline,
            sleep_ends_by,
            wall_clock,
            early,
        } = self;
        *now = derive(head.seed, START) % LATEST_START;
        *next_deadline = u64::MAX;
        *sleep_ends_by = 0;
        *wall_clock = head.wall_clock;
        early.begin(head);
    }

    /// Lets this much time pass, whose deadlines may come later than they should.
    #[inline]
    pub(crate) fn pass(&mut self, nanos: u64) {
        self.now = self.now.saturating_add(nanos).min(LAST);
    }
}
