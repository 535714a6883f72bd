//! Plain decisions: somebody can run, and nothing else has to be looked at.
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
            && self.somebody_can_run()
            && self.budget.may_go_on()
            && self.roster.undisturbed.is_null()
            && !outside::is_news()
            && !signals::are_handled()
    }

    /// True if the current worker can go on, or another one instead.
    #[inline]
    fn somebody_can_run(&self) -> bool {
        let request = self.decision.request;
        matches!(request, Request::Point | Request::Yield)
            // It still is a candidate itself.
            || matches!(request, Request::Wait | Request::End)
                && self.roster.candidates().len() > 1
    }

    /// True if nothing is going on that some decision has to check. Code on a worker that makes this false
    /// says so, see [`Engine::attend`].
    pub(super) fn is_quiet(&self) -> bool {
        self.observers.recorder.is_none()
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
        if self.observers.watch.is_on {
            return self.next_watched(deciding);
        }
        let reason = self.count_plainly()?;
        let next = if reason == Reason::Point && self.budget.quantum > 0 {
            self.budget.quantum -= 1;
            self.roster.current
        } else {
            self.pick_plainly(reason, deciding)?
        };
        self.observers.tape.beat(self.budget.steps());
        if self.budget.quantum > 0 {
            self.budget.light(LONGEST_FUSE.min(self.budget.to_limit()));
        }
        Some(next)
    }

    /// [`next_plainly`](Engine::next_plainly) where each step is looked at: no fuse burns, and a strategy
    /// that observes is asked at each.
    #[inline(never)]
    fn next_watched(&mut self, deciding: Deciding) -> Option<*mut Worker> {
        self.tell_step();
        let reason = self.count_plainly()?;
        let may_go_on = reason == Reason::Point && self.budget.quantum > 0;
        let next = if may_go_on && !self.observers.watch.asks {
            self.budget.quantum -= 1;
            self.roster.current
        } else {
            self.pick_plainly(reason, deciding)?
        };
        self.observers.tape.beat(self.budget.steps());
        self.watch_step(next);
        Some(next)
    }

    /// Counts the step that is being declared; returns why the strategy would be asked.
    #[inline]
    fn count_plainly(&mut self) -> Option<Reason> {
        self.budget.burn();
        self.budget.count_step();
        match self.decision.request {
            Request::Point => Some(Reason::Point),
            _ => self.give_way(),
        }
    }

    /// Has somebody picked, who goes on.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "it is most of a decision, and has two callers"
    )]
    fn pick_plainly(&mut self, reason: Reason, deciding: Deciding) -> Option<*mut Worker> {
        let next = match reason {
            Reason::Yield => self.choose_among(reason, None)?,
            _ => self.choose_plainly(reason)?,
        };
        if next != self.roster.current {
            self.switch_to(next, self.budget.steps(), deciding);
        } else if self.roster.anyone_contends() {
            // SAFETY: a picked worker is live.
            unsafe { self.roster.forget_contender(next) };
        }
        Some(next)
    }

    /// The current worker cannot go on, or does not want to; returns why the strategy is asked, and `None`
    /// when a lock cycle is closed.
    #[inline(never)]
    fn give_way(&mut self) -> Option<Reason> {
        if self.decision.request == Request::Yield {
            return Some(self.reason());
        }
        let width = &mut self.decision.width;
        // The step that was just counted is another matter.
        width.count_to(self.budget.steps() - 1);
        if self.decision.request == Request::End {
            self.end_current();
        } else {
            self.begin_wait();
            self.check_lock_cycle();
            if self.iteration.end.is_some() {
                return None;
            }
        }
        self.decision.width.note(self.roster.candidates().len());
        Some(Reason::Stopped)
    }

    /// Has the strategy pick among the candidates, all of them.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as above")]
    fn choose_plainly(&mut self, reason: Reason) -> Option<*mut Worker> {
        let view = self.view(reason);
        let pick = match self.decision.driver.pick_if_search(&view) {
            Some(pick) if pick.worker != Pick::ABANDON.worker => pick,
            Some(_) => {
                self.iteration.end = Some(End::abandoned());
                return None;
            }
            None => self.ask(reason, None)?,
        };
        self.budget.quantum = pick.quantum;
        Some(self.roster.worker(pick.worker))
    }
}
