//! Tasks that only poll: time passes for them before the step bound is reached.
//!
//! A task that looks whether something is done and yields, over and over, changes nothing; but its executor
//! counts what it does, so no stretch without a change shows it, and no deadline is known either where
//! timers are the executor's own. So beyond a quarter of the steps each poll that ends is looked at: when
//! nobody else could run, and all futures are as they were after their last poll, for many polls in a row,
//! time passes, by leaps that double. A replay comes to the same, so nothing of this is recorded.

use super::children;
use super::engine::Engine;
use super::shared_memory::words_of;
use crate::memory::arena;
use crate::strategy::WorkerId;

/// After so many polls in vain time begins to pass.
const TRIAL: u32 = 64;
/// And again after so many more.
const BETWEEN: u32 = 32;
/// How much time passes first, in nanoseconds.
const FIRST_LEAP: u64 = 8_000_000;
/// Leaps double up to an hour.
const LONGEST_LEAP: u64 = 3_600_000_000_000;

/// The count of polls late in an iteration.
#[derive(Debug, Default)]
pub(crate) struct Vain {
    /// The last state of each task's future, as a hash.
    last: Vec<(WorkerId, u64)>,
    /// How many polls in a row changed none.
    polls: u32,
    /// How much time passed last.
    leap: u64,
}

impl Vain {
    /// A new iteration begins.
    pub(crate) fn begin(&mut self) {
        let Vain { last, polls, leap } = self;
        last.clear();
        (*polls, *leap) = (0, 0);
    }

    /// Notes the state of a task after a poll; true if it is the one that it had.
    fn is_known(&mut self, task: WorkerId, state: u64) -> bool {
        if let Some((_, last)) = self.last.iter_mut().find(|(known, _)| *known == task) {
            return std::mem::replace(last, state) == state;
        }
        self.last.push((task, state));
        false
    }
}

impl Engine {
    /// True if ends of polls are looked at.
    #[inline]
    pub(crate) fn looks_at_polls(&self) -> bool {
        let left = self.budget.limit.saturating_sub(self.steps());
        left < self.budget.bound / 4 * 3 && !self.iteration.body_done
    }

    /// A poll of the task's future, at this address and of this size, has ended in vain.
    #[cold]
    pub(crate) fn note_poll(&mut self, task: WorkerId, place: (*const u8, usize)) {
        if self.progress.alone.is_on || self.outside.is_used {
            return;
        }
        let mut words = Vec::new();
        words_of(place, &mut words);
        arena::small_blocks(&mut words);
        let state = super::suspended::hash_of(&words);
        if !self.progress.vain.is_known(task, state) || self.roster.candidates().len() > 1 {
            (self.progress.vain.polls, self.progress.vain.leap) = (0, 0);
            return;
        }
        self.progress.vain.polls += 1;
        let since = self.progress.vain.polls.checked_sub(TRIAL);
        if since.is_none_or(|since| !since.is_multiple_of(BETWEEN)) {
            return;
        }
        self.progress.vain.leap = (self.progress.vain.leap * 2).clamp(FIRST_LEAP, LONGEST_LEAP);
        (self.decision.limits.time, self.decision.limits.stalls) = (true, true);
        let until = self.time.now.saturating_add(self.progress.vain.leap);
        if !children::keep_pace(self, until) {
            self.time.pass(self.progress.vain.leap);
            self.end_waits_until(self.time.now);
        }
    }
}
