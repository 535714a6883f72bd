//! Plain decisions: a worker is at a point and could go on, and nothing else has to be looked at.
//!
//! A decision [with care](super::next) asks a dozen questions whose answer is nearly always no. When all of
//! it is quiet it says so, and whoever begins something that is not quiet takes that back.

use super::deadlines::NEVER;
use super::engine::{Engine, Request};
use super::next::{Deciding, LONGEST_FUSE};
use super::{outside, signals};
use crate::engine::state::iteration::End;
use crate::engine::state::worker::Worker;
use crate::strategy::{Pick, Reason};

impl Engine {
    /// True if all that the coming decision has to do is to pick somebody.
    #[inline]
    pub(super) fn decision_is_plain(&self) -> bool {
        debug_assert!(
            !self.decision.is_plain || self.is_quiet(),
            "who begins something says so"
        );
        self.decision.is_plain
            && matches!(self.decision.request, Request::Point | Request::Yield)
            && self.budget.may_go_on()
            && self.roster.undisturbed.is_null()
            && !outside::is_news()
            && !signals::are_handled()
    }

    /// True if nothing is going on that some decision has to check. Code on a worker that makes this false
    /// says so, see [`Engine::attend`].
    pub(super) fn is_quiet(&self) -> bool {
        !self.observers.look_at_steps()
            && !self.aside.conditions.is_any()
            && !self.aside.heats.is_any_hot()
            && self.time.next_deadline == NEVER
            && !self.time.early.is_stale
            && !self.outside.is_used
            && !self.progress.alone.is_on
            && !self.progress.overtime.is_on
            && !self.process.c_locals.is_any()
            && self.iteration.end.is_none()
    }

    /// The next decision looks at everything: something has begun that is not quiet.
    #[inline]
    pub(crate) fn attend(&mut self) {
        self.decision.is_plain = false;
    }

    /// The worker that runs next; `None` when the iteration is over. The result of [`Engine::next`],
    /// where most of it is known to do nothing.
    #[inline]
    pub(super) fn next_plainly(&mut self, deciding: Deciding) -> Option<*mut Worker> {
        self.budget.burn();
        self.budget.count_step();
        let current = self.roster.current;
        let reason = self.reason();
        let step = self.budget.steps();
        let next = if reason == Reason::Point && self.budget.quantum > 0 {
            self.budget.quantum -= 1;
            current
        } else {
            let next = match reason {
                Reason::Point => self.choose_plainly()?,
                _ => self.choose_among(reason, None)?,
            };
            if next != current {
                self.switch_to(next, step, deciding);
            } else if self.roster.anyone_contends() {
                // SAFETY: a picked worker is live.
                unsafe { self.roster.forget_contender(next) };
            }
            next
        };
        self.observers.tape.beat(step);
        if self.budget.quantum > 0 {
            self.budget.light(LONGEST_FUSE.min(self.budget.to_limit()));
        }
        Some(next)
    }

    /// Has the strategy pick among the candidates, all of them.
    #[inline]
    fn choose_plainly(&mut self) -> Option<*mut Worker> {
        let view = self.view(Reason::Point);
        let pick = match self.decision.driver.pick_if_search(&view) {
            Some(pick) if pick.worker != Pick::ABANDON.worker => pick,
            Some(_) => {
                self.iteration.end = Some(End::abandoned());
                return None;
            }
            None => self.ask(Reason::Point, None)?,
        };
        self.budget.quantum = pick.quantum;
        Some(self.roster.worker(pick.worker))
    }
}
