//! Steps: how many there have been, and how many may pass before a decision is due.
//!
//! A strategy answers with a worker and a *quantum*: for how many further points it need not be asked. The
//! engine turns part of that into a *fuse*, which burns down by one at each point; while it burns nothing
//! else happens. The *horizon* is the step at which it will have burnt down, so the number of steps so far is
//! their difference, and the fast path of a point changes one word.

/// The fuse, the quantum behind it, and the step bound.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    /// How many points may pass before a decision is due.
    fuse: u32,
    /// How many steps in a row changed nothing that others can see.
    pub(crate) idle: u32,
    /// The number of the step at which the fuse will have burnt down.
    horizon: u32,
    /// How many points the strategy's last answer still covers, beyond the fuse.
    pub(crate) quantum: u32,
    /// The fuse that is kept back while code of the program's allocator runs.
    withheld: u32,
    /// The step at which the iteration is over whatever happens.
    pub(crate) limit: u32,
    /// How many steps there are from when the second worker is made.
    pub(crate) bound: u32,
    /// How far the limit is from the step at which the body returned.
    pub(crate) detached_steps: u32,
}

/// How many steps without a change there are before the engine looks, and then looks at each step: what it
/// does must not depend on where the fuse happened to end, or a replay would differ.
pub(crate) const STALLED: u32 = 128;

impl Budget {
    /// That of an iteration with this step bound, and so many steps after its body returned.
    pub(crate) fn of(bound: u32, detached_steps: u32) -> Budget {
        Budget {
            limit: bound,
            bound,
            detached_steps,
            ..Budget::default()
        }
    }

    /// The number of steps so far.
    #[inline]
    pub(crate) fn steps(&self) -> u32 {
        self.horizon - self.fuse
    }

    /// Takes a point off the fuse; false if a decision is due.
    #[inline]
    pub(crate) fn spend(&mut self) -> bool {
        if self.fuse > 0 && self.idle < STALLED {
            self.fuse -= 1;
            true
        } else {
            false
        }
    }

    /// True if neither the limit has been reached nor nothing has changed for long, when the coming step is
    /// one for which a decision is made.
    #[inline]
    pub(crate) fn may_go_on(&self) -> bool {
        self.idle < STALLED && self.steps() + 1 < self.limit
    }

    /// Makes the next point a decision; the quantum stays as it is.
    #[inline]
    pub(crate) fn burn(&mut self) {
        self.horizon -= self.fuse;
        self.quantum = self.quantum.saturating_add(self.fuse);
        self.fuse = 0;
    }

    /// Makes the next point a decision for which the strategy is asked.
    #[inline]
    pub(crate) fn interrupt(&mut self) {
        self.horizon -= self.fuse;
        self.fuse = 0;
        self.withheld = 0;
        self.quantum = 0;
    }

    /// Counts a step for which a decision is made; there is no fuse.
    #[inline]
    pub(crate) fn count_step(&mut self) {
        debug_assert_eq!(
            self.fuse, 0,
            "a decision takes back what is left of the fuse"
        );
        self.horizon += 1;
    }

    /// Lets so many points of the quantum pass undecided.
    #[inline]
    pub(crate) fn light(&mut self, most: u32) {
        debug_assert_eq!(self.fuse, 0, "one fuse burns at a time");
        self.fuse = self.quantum.min(most);
        self.quantum -= self.fuse;
        self.horizon += self.fuse;
    }

    /// How many steps are left before the limit, after the coming one.
    #[inline]
    pub(crate) fn to_limit(&self) -> u32 {
        self.limit.saturating_sub(self.steps() + 1)
    }

    /// The number of steps is that of the limit from here on, and each point is a decision.
    pub(crate) fn stay_at_limit(&mut self) {
        self.interrupt();
        self.horizon = self.limit;
    }

    /// Keeps the fuse back: points are decisions until [`Budget::give_back`].
    #[inline]
    pub(crate) fn withhold(&mut self) {
        self.withheld = self.fuse;
        self.horizon -= self.fuse;
        self.fuse = 0;
    }

    /// Gives back what was kept, unless there has been an interruption.
    #[inline]
    pub(crate) fn give_back(&mut self) {
        self.fuse = std::mem::take(&mut self.withheld);
        self.horizon += self.fuse;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lit(quantum: u32, most: u32) -> Budget {
        let mut budget = Budget::of(1000, 10);
        budget.quantum = quantum;
        budget.light(most);
        budget
    }

    #[test]
    fn steps_count_whatever_happens_to_the_fuse() {
        let mut budget = lit(20, 8);
        assert!((0..5).all(|_| budget.spend()));
        assert_eq!((budget.steps(), budget.quantum), (5, 12));
        budget.burn();
        assert_eq!((budget.steps(), budget.quantum), (5, 15));
        assert!(!budget.spend(), "a decision is due");
        budget.count_step();
        assert_eq!(budget.steps(), 6);
    }

    #[test]
    fn an_interruption_reaches_a_fuse_that_is_kept_back() {
        let mut budget = lit(8, 8);
        budget.withhold();
        assert!(!budget.spend());
        budget.give_back();
        assert!(budget.spend());
        budget.withhold();
        budget.interrupt();
        budget.give_back();
        assert_eq!((budget.steps(), budget.spend()), (1, false));
    }
}
