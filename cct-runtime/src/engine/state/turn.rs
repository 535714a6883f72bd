//! The turns that a worker has while nobody changes anything.

/// For so many rounds one that has yielded is taken for one that yields.
pub(crate) const LATELY: u32 = 4;

/// A worker's part in the current stretch without a change.
///
/// Repetition is found as Brent found cycles: each state is compared with one that is kept, and the kept
/// one is replaced at distances that double.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Turn {
    /// The stretch that all this is about; stretches are numbered from 1 in each iteration.
    pub(crate) stretch: u32,
    pub(crate) round: u32,
    pub(crate) steps: u32,
    /// It yielded, or looked again, in this round.
    pub(crate) spins: bool,
    /// The round in which it yielded last, from 1; 0 if it never did.
    yielded: u32,
    /// In this round it has changed something that no look shows.
    has_news: bool,
    /// How many such changes it knows of.
    pub(crate) changes: u32,
    /// Its registers and stack after its last step.
    pub(crate) own: Option<u64>,
    kept_state: u64,
    since_kept: u32,
    reach: u32,
    pub(crate) repeats: bool,
}

impl Turn {
    /// The worker's first turn in this stretch.
    pub(crate) fn first_of(stretch: u32) -> Turn {
        Turn {
            stretch,
            ..Turn::default()
        }
    }

    /// Begins a round.
    pub(crate) fn begin(&mut self, round: u32) {
        self.round = round;
        self.steps = 0;
        (self.spins, self.has_news) = (false, false);
    }

    /// It yielded.
    pub(crate) fn give_way(&mut self) {
        self.yielded = self.round + 1;
    }

    /// Something has changed that no look shows, by this worker or another one: states before it are none
    /// after it.
    pub(crate) fn change(&mut self, changes: u32, is_own: bool) {
        self.changes = changes;
        self.has_news |= is_own;
        self.repeats = false;
        (self.kept_state, self.since_kept, self.reach) = (0, 0, 0);
    }

    /// True if the worker only waits for something.
    pub(crate) fn waits(&self) -> bool {
        if self.has_news {
            self.yields()
        } else {
            self.spins
        }
    }

    /// True if it goes on with work of which no look tells.
    pub(crate) fn works(&self) -> bool {
        self.has_news && !self.yields()
    }

    /// True if it has yielded lately: there may be more steps between two times than a round has.
    fn yields(&self) -> bool {
        self.yielded > 0 && self.round + 1 - self.yielded < LATELY
    }

    /// Notes the state that the worker has come to.
    pub(crate) fn see(&mut self, state: u64) {
        self.repeats |= state == self.kept_state;
        self.since_kept += 1;
        if self.since_kept >= self.reach {
            self.kept_state = state;
            self.since_kept = 0;
            self.reach = (self.reach * 2).max(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Turn;

    #[test]
    fn repetition_is_seen_after_a_few_rounds_of_it() {
        for period in 1..50 {
            let mut turn = Turn::default();
            let states = (0..20).chain((0..4 * period + 64).map(|step| 100 + step % period));
            states.for_each(|state| turn.see(state + 1));
            assert!(turn.repeats, "period {period}");
        }
    }

    #[test]
    fn what_counts_never_repeats() {
        let mut turn = Turn::default();
        (1..10_000).for_each(|state| turn.see(state));
        assert!(!turn.repeats);
    }
}
