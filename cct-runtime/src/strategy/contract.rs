//! The contract between the engine and its strategies: a strategy decides, and may observe or enumerate.

use super::{Candidates, ChainId, Executed, Origin, Pick, WorkerId};
use crate::object::ObjectId;
use crate::operation::Access;

/// A rule that picks who runs next.
///
/// The calls of one iteration: [`begin`](Strategy::begin); then, in the order in which it happens,
/// `on_created`, `on_enabled` and `on_disabled` as workers come and go, [`Observer::on_step`] for each step
/// if the strategy observes, `choose_index` inside a step, `pick` between two; and at last
/// [`end`](Strategy::end).
pub trait Strategy {
    /// A new iteration begins; everything in it must follow from `beginning`, and from earlier iterations.
    fn begin(&mut self, beginning: &Beginning);

    /// Picks one of the candidates.
    fn pick(&mut self, candidates: &dyn Candidates) -> Pick;

    /// Picks a number in `0..n`; `n` is at least 2.
    fn choose_index(&mut self, n: u32) -> u32;

    /// Picks one of the `n` stores that a load may read, from the latest on; `n` is at least 2. `drawn` is
    /// one at random. Strategies that make a certain schedule choose as always.
    fn choose_store(&mut self, _n: u32, drawn: u32) -> u32 {
        drawn
    }

    /// The iteration has ended.
    fn end(&mut self, _ending: &Ending) {}

    /// A worker has been created; `on_enabled` follows when it can run.
    fn on_created(&mut self, _worker: WorkerId, _origin: Origin) {}

    /// A worker that is no candidate was woken by one of this chain, and goes on as a part of it.
    fn on_continued(&mut self, _worker: WorkerId, _chain: ChainId) {}

    /// True for a strategy that wants to know by [`on_moved`](Strategy::on_moved) which chains actors' events
    /// belong to.
    fn heeds_chains(&self) -> bool {
        false
    }

    /// A candidate goes on with the work of another chain: an actor is about to take an event. True as for
    /// `on_enabled`.
    fn on_moved(&mut self, _worker: WorkerId, _chain: ChainId) -> bool {
        false
    }

    /// A worker has become a candidate: a new one, or one that waited. True if the strategy wants to be
    /// asked at the next scheduling point, whatever quantum it gave.
    fn on_enabled(&mut self, _worker: WorkerId) -> bool {
        true
    }

    /// A worker is no longer a candidate: it waits, or has ended. One that only gives way stays one.
    fn on_disabled(&mut self, _worker: WorkerId) {}

    /// The step from which on every candidate is picked again and again, with probability 1; asked after
    /// `begin`. 0 for a fair strategy, `u32::MAX` for one that never becomes fair.
    fn fair_from(&self) -> u32;

    /// False if an iteration follows from its seed alone: not from earlier ones, nor from
    /// [`Beginning::index`] and [`Beginning::longest`]. Then iterations of one exploration can be spread
    /// over processes.
    fn learns(&self) -> bool {
        true
    }

    /// Itself, if it wants to see each step of this iteration; asked after `begin`. It is then asked at each
    /// scheduling point, too.
    fn observer(&mut self) -> Option<&mut dyn Observer> {
        None
    }

    /// Itself, if it enumerates schedules: its iterations then differ in nothing but the picks and choices
    /// that it makes itself, since all have one seed and one yield budget.
    fn enumerator(&self) -> Option<&dyn Enumerator> {
        None
    }

    /// Itself, if it enumerates and can be [resumed](Enumerator::resume).
    fn enumerator_mut(&mut self) -> Option<&mut dyn Enumerator> {
        None
    }
}

/// A strategy that sees each step.
pub trait Observer: Strategy {
    /// A step has been carried out, and did this as well.
    fn on_step(&mut self, executed: &Executed, beyond: &Beyond<'_>);

    /// As [`on_step`](Observer::on_step), of a step that was not picked: of a task that is polled some time
    /// after its pick, or of the thread that polled it, when the poll is over.
    fn on_unpicked(&mut self, _executed: &Executed, _beyond: &Beyond<'_>) {}

    /// The step under way goes on with a read that counts as a step of its own: `on_step` or `on_unpicked`
    /// came for the operations before, and `on_unpicked` follows for the read.
    fn on_read(&mut self) {}

    /// The time-out of a worker that waits may come: it is a candidate, and picking it ends its wait. True as
    /// for `on_enabled`.
    fn on_early(&mut self, worker: WorkerId) -> bool {
        self.on_enabled(worker)
    }

    /// The time-out may no longer come: the worker is woken, which is told next, or waits on.
    fn on_late(&mut self, worker: WorkerId) {
        self.on_disabled(worker);
    }

    /// Says what a worker finds that checks whether another is over, which has done its last step: 0 if it
    /// is, 1 if not yet. The latter is worth a schedule only if the last step came before the check anyway.
    fn choose_end(&mut self, _over: WorkerId, _by: WorkerId) -> u32 {
        self.choose_index(2)
    }
}

/// The effects of a step beyond its operation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beyond<'a> {
    /// Objects, each with what it does to them.
    pub touched: &'a [(ObjectId, Access)],
    /// Workers that with the step and its worker wait for each other in a circle, which ends the iteration
    /// although others could go on.
    pub circle: &'a [WorkerId],
}

/// A strategy that makes each schedule once. All is asked after `end`.
pub trait Enumerator {
    /// True once there is no schedule left that the strategy would make. If it is begun again all the same
    /// it starts over.
    fn is_exhausted(&self) -> bool;

    /// True if its schedules have steps in every order that there is, also of steps that have no object in
    /// common.
    fn makes_every_order(&self) -> bool {
        false
    }

    /// How far it is, if it keeps count.
    fn progress(&self) -> Option<Progress> {
        None
    }

    /// All that it knows, for another process to go on from; none if it cannot do that.
    fn save(&self) -> Option<Vec<u8>> {
        None
    }

    /// Goes on from what was saved by a strategy of the same name, before the first `begin`. False if it
    /// cannot read that.
    fn resume(&mut self, _saved: &[u8]) -> bool {
        false
    }
}

/// The methods that follow from the parts of a strategy.
impl dyn Strategy + '_ {
    /// True if it wants to see each step of this iteration.
    pub fn observes(&mut self) -> bool {
        self.observer().is_some()
    }

    /// See [`Observer::on_early`].
    pub fn on_early(&mut self, worker: WorkerId) -> bool {
        match self.observer() {
            Some(observer) => observer.on_early(worker),
            None => self.on_enabled(worker),
        }
    }

    /// See [`Observer::on_late`].
    pub fn on_late(&mut self, worker: WorkerId) {
        match self.observer() {
            Some(observer) => observer.on_late(worker),
            None => self.on_disabled(worker),
        }
    }

    /// See [`Observer::choose_end`].
    pub fn choose_end(&mut self, over: WorkerId, by: WorkerId) -> u32 {
        match self.observer() {
            Some(observer) => observer.choose_end(over, by),
            None => self.choose_index(2),
        }
    }

    /// True if it enumerates schedules.
    pub fn enumerates(&self) -> bool {
        self.enumerator().is_some()
    }

    /// See [`Enumerator::is_exhausted`]; never true for one that does not enumerate.
    pub fn is_exhausted(&self) -> bool {
        self.enumerator().is_some_and(Enumerator::is_exhausted)
    }

    /// See [`Enumerator::progress`].
    pub fn progress(&self) -> Option<Progress> {
        self.enumerator()?.progress()
    }

    /// See [`Enumerator::save`].
    pub fn save(&self) -> Option<Vec<u8>> {
        self.enumerator()?.save()
    }

    /// See [`Enumerator::resume`].
    pub fn resume(&mut self, saved: &[u8]) -> bool {
        let enumerator = self.enumerator_mut();
        enumerator.is_some_and(|enumerator| enumerator.resume(saved))
    }
}

/// The facts about an iteration that a strategy is told.
#[derive(Clone, Copy, Debug)]
pub struct Beginning {
    /// The seed of this iteration.
    pub seed: u64,
    /// The number of this iteration among those of this strategy, from 0.
    pub index: u64,
    /// The most steps that any iteration of this strategy has had so far; 0 in the first.
    pub longest: u32,
    /// The step after which an unfair strategy must have become fair.
    pub fair_after: u32,
}

/// How an iteration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// Its result.
    pub result: IterationResult,
    /// The number of its steps.
    pub steps: u32,
    /// The engine's decisions in it.
    pub limits: Limits,
}

/// The result of an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IterationResult {
    /// The body finished as it should.
    Passed,
    /// A bug was found.
    Failed,
    /// The step bound was reached.
    CutOff,
    /// The strategy gave it up, see [`Pick::ABANDON`].
    Abandoned,
}

/// Decisions of the engine in an iteration: schedules that exist were out of the strategy's reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Limits {
    /// A worker that spins or yields had to let another run.
    pub yields: bool,
    /// The engine gave turns because nobody made progress.
    pub stalls: bool,
    /// Time passed: deadlines come in one order only.
    pub time: bool,
    /// A step bound was reached.
    pub steps: bool,
    /// The body's thread went on alone for as long as the tool waits.
    #[cfg_attr(feature = "serde", serde(default))]
    pub alone: bool,
}

impl Limits {
    /// The decisions in either.
    #[must_use]
    pub fn and(self, other: Limits) -> Limits {
        Limits {
            yields: self.yields | other.yields,
            stalls: self.stalls | other.stalls,
            time: self.time | other.time,
            steps: self.steps | other.steps,
            alone: self.alone | other.alone,
        }
    }
}

/// How far a strategy that enumerates is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Progress {
    /// Schedules made, in earlier processes too if the search was resumed. All are distinct, unless the
    /// program does not repeat itself or they are [plans](Progress::plans).
    pub made: u64,
    /// Alternatives that were seen and are yet to be taken: at least that many schedules are left.
    pub open: u64,
    /// How many schedules are expected to be left, as far as one can tell from those made. For a
    /// strategy with a bound: within the one that the search is at.
    pub expected: u64,
    /// For a strategy with a bound that grows: all schedules up to this one have been made.
    pub bound: Option<u32>,
    /// There are schedules that it leaves out, because of its bound for example: once it is exhausted,
    /// those made are not all there are.
    pub leaves_out: bool,
    /// It carries out plans, of which several may come to the same schedule: what was made is counted in
    /// plans.
    pub plans: bool,
    /// Each schedule made stands for all that differ from it in the order of independent steps.
    pub reduces: bool,
    /// How often the program did not repeat itself: the same decisions led elsewhere. If ever, nothing is
    /// known about what is left.
    pub astray: u64,
}
