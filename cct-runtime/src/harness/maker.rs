//! Makes schedules of one test, one at a time, and counts them.

use super::head;
use super::portfolio::Member;
use super::runner::Runner;
use super::tally::Tally;
use crate::config::Resolved;
use crate::engine::{End, Order, Plan, Record, Replay};
use crate::trace::Schedule;
use crate::verdict::{Bug, Verdict};

/// So many schedules are all watched; of later ones only some are, since it takes time.
const WATCHED_AT_FIRST: u64 = 64;

/// A schedule of a survey.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// How it ended; `None` if the strategy gave it up.
    pub verdict: Option<Verdict>,
    /// Its happens-before hash, which tells its behaviour from others.
    pub behaviour: u64,
}

/// Runs iterations of one test.
pub(super) struct Maker<'a> {
    pub(super) runner: &'a mut Runner,
    /// The name of the test.
    pub(super) name: &'static str,
    pub(super) settings: Resolved,
    pub(super) tally: Tally,
    /// See [`Schedule::shared_stacks`].
    pub(super) shared_stacks: u64,
    /// Receives each schedule.
    pub(super) each: Option<&'a mut dyn FnMut(Schedule)>,
    /// Is told how each schedule ended; a bug does not end the search then.
    pub(super) witness: Option<&'a mut dyn FnMut(&Seen)>,
}

impl Maker<'_> {
    /// Makes the next schedule of this member of the portfolio, as the iteration with this number, from 1.
    pub(super) fn make(
        &mut self,
        member: &mut Member,
        iteration: u64,
        record: Record,
        body: &dyn Fn() -> Option<Bug>,
    ) -> Verdict {
        member.prepare(&self.settings, iteration - 1);
        member.head.shared_stacks = self.shared_stacks;
        let plan = Plan {
            iteration,
            head: &member.head,
            order: Order::Search(&mut *member.strategy),
            record,
            classify: is_watched(iteration, self.settings.watch),
            name: self.name,
        };
        let mut end = self.runner.run(plan, &self.settings, body);
        self.shared_stacks |= self.runner.engine.shared_stacks();
        let is_over = !matches!(end.verdict, Verdict::Passed) || end.abandoned;
        // One that is recorded may be compared with a repetition first.
        if !is_over && record == Record::Schedule && self.has_to_look(&member.head) {
            end = self.look_again(end, iteration, body);
        }
        self.runner.engine.observers.covered.keep();
        let (runner, verdict) = (&*self.runner, end.verdict);
        member.longest = member.longest.max(runner.engine.step_count());
        member.limits = member.limits.and(runner.engine.limits());
        member.left_out = member.left_out.and(runner.left_out());
        self.tally.count(iteration, runner, &verdict, end.abandoned);
        if let Some(each) = &mut self.each {
            each(runner.engine.tape().schedule());
        }
        if let Some(witness) = &mut self.witness {
            witness(&Seen {
                verdict: (!end.abandoned).then(|| verdict.clone()),
                behaviour: runner.engine.happens_before_hash().unwrap_or_default(),
            });
        }
        verdict
    }

    /// True if a thread came to stacks where a schedule with this head has not looked at their own accesses.
    pub(super) fn has_to_look(&self, head: &Schedule) -> bool {
        self.shared_stacks != head.shared_stacks
    }

    /// Repeats the schedule that ended like this, and looks at threads' accesses to their own stacks where
    /// another thread came.
    pub(super) fn look_again(
        &mut self,
        end: End,
        iteration: u64,
        body: &dyn Fn() -> Option<Bug>,
    ) -> End {
        let schedule = Schedule {
            shared_stacks: self.shared_stacks,
            ..self.runner.engine.tape().schedule()
        };
        let head = head::of(&schedule);
        self.runner.clean_up();
        let plan = Plan {
            iteration,
            head: &head,
            order: Order::Replay(Replay::new(schedule)),
            record: Record::Schedule,
            classify: is_watched(iteration, self.settings.watch),
            name: self.name,
        };
        let again = self.runner.run(plan, &self.settings, body);
        match again.verdict {
            Verdict::Failed(_) => again,
            _ => end,
        }
    }

    /// True if a schedule that ended like this is the last, or there is no more time.
    pub(super) fn is_over(&mut self, verdict: &Verdict) -> bool {
        let is_found = matches!(verdict, Verdict::Failed(_)) && self.witness.is_none();
        let time = self.settings.time;
        is_found || time.is_some_and(|time| self.tally.elapsed() >= time)
    }
}

/// True if the iteration with this number, from 1, is watched; `every` is 0 in measurements, and none is.
fn is_watched(iteration: u64, every: u32) -> bool {
    every > 0 && (iteration <= WATCHED_AT_FIRST || iteration.is_multiple_of(every.into()))
}
