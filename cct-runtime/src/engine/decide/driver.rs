//! The driver: a strategy decides, a schedule that is repeated, or nobody.
//!
//! All that a strategy is asked and told goes through here.

use super::replay::Replay;
use crate::strategy::{
    Beyond, Candidates, ChainId, Ending, Enumerator, Executed, Observer, Origin, Pick, Strategy,
    WorkerId,
};
use crate::wire::Divergence;

/// The driver of an iteration.
pub(crate) enum Driver {
    /// A strategy, owned by whoever explores.
    Search(*mut dyn Strategy),
    /// A schedule that is to be repeated.
    Replay(Replay),
    /// Nobody outside the engine: before the first iteration, and in overtime.
    Nobody,
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Driver::Search(_) => "Search",
            Driver::Replay(_) => "Replay",
            Driver::Nobody => "Nobody",
        })
    }
}

impl Driver {
    /// The strategy, if one decides.
    #[inline]
    fn strategy(&mut self) -> Option<&mut dyn Strategy> {
        match self {
            // SAFETY: whoever explores owns the strategy, has lent it for the iteration and is suspended.
            Driver::Search(strategy) => Some(unsafe { &mut **strategy }),
            Driver::Replay(_) | Driver::Nobody => None,
        }
    }

    /// The strategy, if one decides that wants to see each step.
    #[inline]
    fn observer(&mut self) -> Option<&mut dyn Observer> {
        self.strategy()?.observer()
    }

    /// Picks one of the candidates; the schedule that is repeated may not be able to. A strategy is not asked
    /// where the engine has picked one itself, since nobody makes progress; a schedule names it all the same.
    #[inline]
    pub(crate) fn pick(
        &mut self,
        candidates: &dyn Candidates,
        stalled: Option<Pick>,
    ) -> Result<Pick, Box<Divergence>> {
        match self {
            Driver::Search(strategy) => Ok(match stalled {
                Some(pick) => pick,
                // SAFETY: as in `strategy`.
                None => unsafe { (**strategy).pick(candidates) },
            }),
            Driver::Replay(replay) => replay.pick(candidates).map_err(Box::new),
            Driver::Nobody => unreachable!("the engine itself picks when nobody decides"),
        }
    }

    /// The strategy's pick; none if it is not a strategy that decides.
    #[inline]
    pub(crate) fn pick_if_search(&mut self, candidates: &dyn Candidates) -> Option<Pick> {
        self.strategy().map(|strategy| strategy.pick(candidates))
    }

    /// The worker that a repeated schedule names for this step, if it is known.
    pub(crate) fn expected(&self, step: u32) -> Option<WorkerId> {
        match self {
            Driver::Replay(replay) => replay.expected(step),
            Driver::Search(_) | Driver::Nobody => None,
        }
    }

    /// True if a strategy decides that makes schedules with steps in every order.
    pub(crate) fn makes_every_order(&mut self) -> bool {
        let enumerator = self.strategy().and_then(|strategy| strategy.enumerator());
        enumerator.is_some_and(Enumerator::makes_every_order)
    }

    /// One of `0..n` at this step; `choose` is how a strategy chooses.
    pub(crate) fn choose(
        &mut self,
        step: u32,
        n: u32,
        choose: impl FnOnce(&mut dyn Strategy) -> u32,
    ) -> Result<u32, Divergence> {
        match self {
            // SAFETY: as in `strategy`.
            Driver::Search(strategy) => Ok(choose(unsafe { &mut **strategy })),
            Driver::Replay(replay) => replay.choose_index(step, n),
            Driver::Nobody => Ok(0),
        }
    }

    /// True if each step is to be told.
    pub(crate) fn observes(&mut self) -> bool {
        self.observer().is_some()
    }

    /// A worker has been created.
    pub(crate) fn tell_created(&mut self, worker: WorkerId, origin: Origin) {
        if let Some(strategy) = self.strategy() {
            strategy.on_created(worker, origin);
        }
    }

    /// A worker has become a candidate. True if the next point is to be a decision.
    pub(crate) fn tell_enabled(&mut self, worker: WorkerId) -> bool {
        self.strategy()
            .is_some_and(|strategy| strategy.on_enabled(worker))
    }

    /// A worker is no longer a candidate.
    pub(crate) fn tell_disabled(&mut self, worker: WorkerId) {
        if let Some(strategy) = self.strategy() {
            strategy.on_disabled(worker);
        }
    }

    /// The time-out of a worker that waits may come. True as for [`Driver::tell_enabled`].
    pub(crate) fn tell_early(&mut self, worker: WorkerId) -> bool {
        self.strategy()
            .is_some_and(|strategy| strategy.on_early(worker))
    }

    /// That time-out may not come any more.
    pub(crate) fn tell_late(&mut self, worker: WorkerId) {
        if let Some(strategy) = self.strategy() {
            strategy.on_late(worker);
        }
    }

    /// A worker that is no candidate goes on as part of this chain.
    pub(crate) fn tell_continued(&mut self, worker: WorkerId, chain: ChainId) {
        if let Some(strategy) = self.strategy() {
            strategy.on_continued(worker, chain);
        }
    }

    /// True if the strategy wants to know the chains of events.
    pub(crate) fn heeds_chains(&mut self) -> bool {
        self.strategy()
            .is_some_and(|strategy| strategy.heeds_chains())
    }

    /// A candidate goes on as part of this chain. True as for [`Driver::tell_enabled`].
    pub(crate) fn tell_moved(&mut self, worker: WorkerId, chain: ChainId) -> bool {
        self.strategy()
            .is_some_and(|strategy| strategy.on_moved(worker, chain))
    }

    /// A step has been carried out, and did this as well. `is_picked` is false for what nobody was asked for.
    pub(crate) fn tell_step(&mut self, step: &Executed, beyond: &Beyond<'_>, is_picked: bool) {
        match self.observer() {
            Some(observer) if is_picked => observer.on_step(step, beyond),
            Some(observer) => observer.on_unpicked(step, beyond),
            None => {}
        }
    }

    /// The step under way goes on with a look that counts as a step of its own.
    pub(crate) fn tell_read(&mut self) {
        if let Some(observer) = self.observer() {
            observer.on_read();
        }
    }

    /// The iteration has ended.
    pub(crate) fn tell_end(&mut self, ending: &Ending) {
        if let Some(strategy) = self.strategy() {
            strategy.end(ending);
        }
    }
}
