//! Strategies: the rules that pick who runs next.
//!
//! One algorithm a file. A strategy is a pure oracle: it sees the candidates and its own history, and
//! knows no locks, clocks or terminals. Everything it does follows from the seed it is given.

mod action;
mod bounded;
mod census;
mod delay;
mod dpor;
mod execution;
mod first_use;
mod graph;
mod interactive;
mod keys;
mod lengths;
mod pct;
mod pending;
mod period;
mod plan;
mod pos;
mod priorities;
mod q_learning;
mod races;
mod random;
mod rff;
mod rng;
#[cfg(test)]
mod script;
mod spec;
#[cfg(test)]
pub(crate) mod stage;
mod sticky;
mod suggest;
mod surw;
mod task_pct;
mod then;
mod ticks;
mod tree;
mod turns;
mod walk;

pub use action::{Action, Executed, Next};
#[cfg(feature = "engine")]
pub(crate) use action::{CLOCK, CONDITIONS, MONITORS, RANDOM_BYTES, WORKERS, poison_object};
pub(crate) use action::{ITERATION, TURNS};
pub use bounded::Bounded;
pub use delay::Delay;
pub use dpor::Dpor;
pub(crate) use first_use::FirstUse;
pub use graph::Graph;
pub use interactive::Interactive;
pub use pct::Pct;
pub use period::Period;
pub use pos::Pos;
pub use q_learning::QLearning;
pub use random::Random;
pub use rff::Rff;
pub use rng::{Rng, derive};
pub use spec::{InvalidSpec, Kind, Member, Part, Spec};
pub use sticky::Sticky;
pub use surw::Surw;
pub use task_pct::TaskPct;
pub use then::Then;

use crate::operation::Access;
use crate::trace::WorkerKind;

/// A worker's number, in order of creation; the test's body is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WorkerId(pub u32);

/// A rule that picks who runs next.
///
/// The calls of one iteration: [`begin`](Strategy::begin); then, in the order in which it happens,
/// `on_created`, `on_enabled` and `on_disabled` as workers come and go, `on_step` for each step if the
/// strategy observes, `choose_index` inside a step, `pick` between two; and at last
/// [`end`](Strategy::end).
pub trait Strategy {
    /// A new iteration begins; everything in it must follow from `beginning`, and from earlier iterations.
    fn begin(&mut self, beginning: &Beginning);

    /// Picks one of the candidates.
    fn pick(&mut self, candidates: &dyn Candidates) -> Pick;

    /// A worker has become a candidate: a new one, or one that waited. True if the strategy wants to be
    /// asked at the next scheduling point, whatever quantum it gave.
    fn on_enabled(&mut self, worker: WorkerId) -> bool;

    /// Picks a number in `0..n`; `n` is at least 2.
    fn choose_index(&mut self, n: u32) -> u32;

    /// Says what a worker finds that looks whether another is over, which has done its last step: 0 if it is,
    /// 1 if not yet. That it is not is worth a schedule only if the last step came before the look anyway.
    fn choose_end(&mut self, _over: WorkerId, _by: WorkerId) -> u32 {
        self.choose_index(2)
    }

    /// The step from which on every candidate is picked again and again, with probability 1; asked after
    /// `begin`. 0 for a fair strategy, `u32::MAX` for one that never becomes fair.
    fn fair_from(&self) -> u32;

    /// A worker has been created; `on_enabled` follows.
    fn on_created(&mut self, _worker: WorkerId, _origin: Origin) {}

    /// A worker that is no candidate was woken by one of this chain, and goes on as a part of it.
    fn on_continued(&mut self, _worker: WorkerId, _chain: ChainId) {}

    /// A worker is no candidate any more: it waits, or has ended. One that only gives way stays one.
    fn on_disabled(&mut self, _worker: WorkerId) {}

    /// The time-out of a worker that waits may come: it is a candidate, and picking it ends its wait. True as
    /// for `on_enabled`.
    fn on_early(&mut self, worker: WorkerId) -> bool {
        self.on_enabled(worker)
    }

    /// That time-out may not come any more: the worker is woken, which is told next, or waits on.
    fn on_late(&mut self, worker: WorkerId) {
        self.on_disabled(worker);
    }

    /// True if the strategy wants to see each step, and to be asked at each scheduling point.
    fn observes(&self) -> bool {
        false
    }

    /// The step under way does this as well, beyond its operation; `on_step` follows. Only for a strategy
    /// that observes.
    fn on_touched(&mut self, _object: usize, _access: Access) {}

    /// With the step under way its worker and this one, and others that are told as well, wait for each other
    /// in a circle, which ends the iteration although others could go on; `on_step` follows.
    fn on_circle(&mut self, _with: WorkerId) {}

    /// A step has been carried out; only for a strategy that observes.
    fn on_step(&mut self, _executed: &Executed) {}

    /// As [`on_step`](Strategy::on_step), of what a worker has done that went on without being picked: a task
    /// that is polled some time after it was, or who polled it, when that is over.
    fn on_turn(&mut self, _executed: &Executed) {}

    /// The step under way goes on with a look that those who observe take for a step of its own: `on_step` or
    /// `on_turn` came for what was done before, and `on_turn` follows for the look.
    fn on_look(&mut self) {}

    /// The iteration has ended.
    fn end(&mut self, _ending: &Ending) {}

    /// True if the strategy enumerates schedules: its iterations then differ in nothing but the picks and
    /// choices that it makes itself, since all have one seed and one yield budget.
    fn enumerates(&self) -> bool {
        false
    }

    /// False if an iteration follows from its seed alone: not from earlier ones, nor from
    /// [`Beginning::index`] and [`Beginning::longest`]. Then iterations of one exploration can be spread
    /// over processes.
    fn learns(&self) -> bool {
        true
    }

    /// True once there is no schedule left that the strategy would make; asked after `end`. If it is
    /// begun again all the same it starts over.
    fn is_exhausted(&self) -> bool {
        false
    }

    /// How far it is, if it enumerates and keeps count; asked after `end`.
    fn progress(&self) -> Option<Progress> {
        None
    }

    /// All that it knows, for another process to go on from; none if it cannot do that. Asked after `end`.
    fn save(&self) -> Option<Vec<u8>> {
        None
    }

    /// Goes on from what was saved by a strategy of the same name, before the first `begin`. False if it
    /// cannot read that.
    fn resume(&mut self, _saved: &[u8]) -> bool {
        false
    }
}

/// What a strategy is told about an iteration.
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

/// Where a worker comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The worker that created it; none for the test's body.
    pub parent: Option<WorkerId>,
    /// Its chain: work of which each piece made the next one runnable. A thread is a chain of its own; a
    /// continuation belongs to the chain of the work that it goes on with.
    pub chain: ChainId,
    /// What it is.
    pub kind: WorkerKind,
}

/// A chain's number, in order of creation; that of the test's body is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChainId(pub u32);

/// How an iteration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// What came of it.
    pub result: IterationResult,
    /// The number of its steps.
    pub steps: u32,
    /// What besides the strategy decided in it.
    pub limits: Limits,
}

/// What came of an iteration.
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

/// What besides the strategy decided in an iteration: schedules that exist were out of its reach.
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
    pub patience: bool,
}

impl Limits {
    /// What decided in either.
    #[must_use]
    pub fn and(self, other: Limits) -> Limits {
        Limits {
            yields: self.yields | other.yields,
            stalls: self.stalls | other.stalls,
            time: self.time | other.time,
            steps: self.steps | other.steps,
            patience: self.patience | other.patience,
        }
    }
}

/// How far a strategy that enumerates is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Progress {
    /// Schedules made, in earlier processes too if the search was resumed. All are distinct, unless the
    /// program does not repeat itself.
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
    /// Each schedule made stands for all that differ from it in the order of independent steps.
    pub reduces: bool,
    /// How often the program did not repeat itself: the same decisions led elsewhere. If ever, nothing is
    /// known about what is left.
    pub astray: u64,
}

/// A strategy's answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pick {
    /// The worker that runs next.
    pub worker: WorkerId,
    /// For how many further scheduling points it keeps running without the strategy being asked, as long
    /// as it can. This is what makes strategies that switch seldom fast. A strategy that observes is
    /// asked at each point all the same.
    pub quantum: u32,
}

impl Pick {
    /// Any of the candidates, for one step.
    #[inline]
    fn uniform(candidates: &dyn Candidates, rng: &mut Rng) -> Pick {
        Pick {
            worker: candidates.nth(rng.below(candidates.len())),
            quantum: 0,
        }
    }

    /// Nobody: the strategy gives the iteration up, since whatever follows has been seen. It ends at once,
    /// and counts as neither passed nor cut off. A worker that has failed by then has failed.
    pub const ABANDON: Pick = Pick {
        worker: WorkerId(u32::MAX),
        quantum: 0,
    };
}

/// The workers that can run, as a strategy sees them; never empty.
pub trait Candidates {
    /// How many there are.
    fn len(&self) -> u32;
    /// The `index`-th of them, in an order that follows from the execution so far.
    fn nth(&self, index: u32) -> WorkerId;
    /// True if this worker is one of them.
    fn contains(&self, worker: WorkerId) -> bool;
    /// What a worker will do next, candidate or not; the last step of one that has ended.
    fn pending(&self, worker: WorkerId) -> Action;
    /// The worker that ran last; it need not be a candidate.
    fn current(&self) -> WorkerId;
    /// Why the strategy is asked.
    fn reason(&self) -> Reason;
    /// The number of the coming step.
    fn step(&self) -> u32;
    /// What the program said last about its state, see `cct::state_hash`; 0 if nothing.
    fn state_hash(&self) -> u64 {
        0
    }
    /// All about the worker that ran last, in one question: at each step every question counts.
    fn moment(&self) -> Moment {
        let current = self.current();
        Moment {
            step: self.step(),
            current,
            reason: self.reason(),
            pending: self.pending(current),
        }
    }
    /// Never: there is always somebody to pick.
    fn is_empty(&self) -> bool {
        false
    }
}

/// When a strategy is asked, after whom, and why; see [`Candidates`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// The number of the coming step.
    pub step: u32,
    /// The worker that ran last.
    pub current: WorkerId,
    /// Why the strategy is asked.
    pub reason: Reason,
    /// What that worker will do next.
    pub pending: Action,
}

/// Why a strategy is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The current worker is at a scheduling point and could go on.
    Point,
    /// The current worker spins or yields and its budget says that another must run now.
    Yield,
    /// The current worker waits or has ended.
    Stopped,
}
