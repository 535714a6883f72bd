//! The candidates as those see them who pick one.

use super::engine::Engine;
use crate::engine::state::roster::Roster;
use crate::strategy::{Action, Candidates, Moment, Reason, WorkerId};

impl Engine {
    /// The candidates, for whoever picks one.
    #[inline]
    pub(super) fn view(&self, reason: Reason) -> View {
        View {
            engine: std::ptr::from_ref(self),
            reason,
        }
    }
}

/// The candidates as a strategy sees them, for the time of one question.
pub(super) struct View {
    /// Not a reference: the strategy that is asked lies behind another part of the engine.
    engine: *const Engine,
    reason: Reason,
}

impl View {
    #[inline]
    fn roster(&self) -> &Roster {
        // SAFETY: whoever asks has the engine, and changes nothing while the strategy answers.
        unsafe { &(*self.engine).roster }
    }
}

impl Candidates for View {
    #[inline]
    fn len(&self) -> u32 {
        self.roster().candidates().len() as u32
    }

    fn nth(&self, index: u32) -> WorkerId {
        // SAFETY: candidates are live.
        unsafe { (*self.roster().candidates()[index as usize]).id }
    }

    fn contains(&self, worker: WorkerId) -> bool {
        let found = self.roster().get(worker);
        // SAFETY: the engine's workers are live.
        found.is_some_and(|worker| unsafe { (*worker).is_candidate() })
    }

    #[inline]
    fn pending(&self, worker: WorkerId) -> Action {
        // SAFETY: the engine's workers are live.
        unsafe { (*self.roster().worker(worker)).action() }
    }

    #[inline]
    fn current(&self) -> WorkerId {
        // SAFETY: the current worker is live.
        unsafe { (*self.roster().current).id }
    }

    #[inline]
    fn reason(&self) -> Reason {
        self.reason
    }

    #[inline]
    fn step(&self) -> u32 {
        // SAFETY: as in `roster`.
        unsafe { (*self.engine).budget.steps() }
    }

    fn state_hash(&self) -> u64 {
        // SAFETY: as in `roster`.
        unsafe { (*self.engine).iteration.state_hash }
    }

    #[inline]
    fn moment(&self) -> Moment {
        // SAFETY: the current worker is live.
        let current = unsafe { &*self.roster().current };
        Moment {
            step: self.step(),
            current: current.id,
            reason: self.reason,
            count: self.len(),
            pending: current.action(),
        }
    }
}
