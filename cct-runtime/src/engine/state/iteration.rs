//! The iteration: all that it is told, and all that it comes to.

use super::panics::Panics;
use crate::claim::Exceptions;
use crate::strategy::{Rng, derive};
use crate::trace::Schedule;
use crate::verdict::{Bug, Verdict};
use crate::wire::Divergence;

/// Of so many iterations, prints are steps in one.
const PRINTS_ONE_IN: u64 = 4;
/// Which of the numbers that follow from an iteration's seed decides that.
const PRINTS: u64 = 0x5052_494E_5453;

/// Runs a test's body and returns the bug, if there is one.
pub(crate) type Body = &'static dyn Fn() -> Option<Bug>;

/// A panic hook, as std's `set_hook` takes it.
pub type Hook = Box<dyn Fn(&std::panic::PanicHookInfo<'_>) + Sync + Send + 'static>;

/// The iteration under way.
pub(crate) struct Iteration {
    /// Its number in this process, from 1.
    pub(crate) number: u64,
    /// The test's body; only meaningful while the iteration runs.
    pub(crate) body: Option<Body>,
    pub(crate) body_done: bool,
    pub(crate) end: Option<End>,
    /// For hash seeds and `getrandom`.
    pub(crate) value_rng: Rng,
    /// The test's own panic hook.
    pub(crate) hook: Option<Hook>,
    pub(crate) panics: Panics,
    /// The test is expected to panic: failures of actors are its own affair.
    pub(crate) expects_panic: bool,
    /// The slots of worker-locals that it has used, by number.
    pub(crate) local_slots: Vec<usize>,
    /// The exceptions: all that it could not see.
    pub(crate) left_out: Exceptions,
    /// The next print is a step, too.
    pub(crate) prints_are_steps: bool,
    /// The program's last word about its state.
    pub(crate) state_hash: u64,
}

impl Default for Iteration {
    fn default() -> Iteration {
        Iteration {
            number: 0,
            body: None,
            body_done: false,
            end: None,
            value_rng: Rng::new(0),
            hook: None,
            panics: Panics::default(),
            expects_panic: false,
            local_slots: Vec::new(),
            left_out: Exceptions::NONE,
            prints_are_steps: false,
            state_hash: 0,
        }
    }
}

impl Iteration {
    /// A new iteration begins. The hook of the last one lies in the arena: it is forgotten, not dropped.
    pub(crate) fn begin(&mut self, number: u64, head: &Schedule) {
        let Iteration {
            number: own_number,
            body,
            body_done,
            end,
            value_rng,
            hook,
            panics,
            expects_panic,
            local_slots,
            left_out,
            prints_are_steps,
            state_hash,
        } = self;
        *own_number = number;
        *body = None;
        *body_done = false;
        *end = None;
        *value_rng = Rng::new(head.seed);
        std::mem::forget(hook.take());
        panics.clear();
        *expects_panic = false;
        local_slots.clear();
        *left_out = Exceptions::NONE;
        *prints_are_steps = prints_are_steps_with(head.seed);
        *state_hash = 0;
    }
}

impl std::fmt::Debug for Iteration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Iteration")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

/// True if prints are steps in an iteration with this seed.
pub(crate) fn prints_are_steps_with(seed: u64) -> bool {
    derive(seed, PRINTS).is_multiple_of(PRINTS_ONE_IN)
}

/// How an iteration ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct End {
    pub(crate) verdict: Verdict,
    /// Set when it left the schedule that it should repeat; the verdict then means nothing.
    pub(crate) divergence: Option<Box<Divergence>>,
    /// True when the strategy gave it up; the verdict then means nothing.
    pub(crate) abandoned: bool,
    /// The step, from 1, before which a replay stopped as it was told; the verdict then means nothing.
    pub(crate) stopped: Option<u32>,
}

impl End {
    /// The end of an iteration that came to a verdict.
    pub(crate) fn of(verdict: Verdict) -> End {
        End {
            verdict,
            divergence: None,
            abandoned: false,
            stopped: None,
        }
    }

    /// The end of an iteration that found a bug.
    pub(crate) fn failed(bug: Bug) -> End {
        End::of(Verdict::failed(bug))
    }

    /// The end of a replay that left its schedule.
    pub(crate) fn diverged(divergence: Box<Divergence>) -> End {
        End {
            divergence: Some(divergence),
            ..End::of(Verdict::CutOff)
        }
    }

    /// The end of a replay that stops before this step.
    pub(crate) fn stopped(step: u32) -> End {
        End {
            stopped: Some(step),
            ..End::of(Verdict::CutOff)
        }
    }

    /// The end of an iteration that its strategy gave up.
    pub(crate) fn abandoned() -> End {
        End {
            abandoned: true,
            ..End::of(Verdict::CutOff)
        }
    }
}
