//! Finds the step from which on a failure is *certain*: whoever runs after it, the test fails.
//!
//! A *continuation* makes the first steps of the failing schedule and goes on by other decisions. The
//! *search* looks by bisection for the shortest beginning of which no continuation passes: each fails, be it
//! by another panic or at another place. Where a beginning has few continuations all of them are made, else
//! some that are drawn.
//! Antithesis tells causes like this. Executions that may end their process are made *apart*.

#[cfg(test)]
mod brute_force;
mod continuation;
mod search;

use super::apart::{Apart, Notes, clock};
use super::head;
use super::runner::Runner;
use crate::codec::wire_struct;
use crate::config::Resolved;
use crate::engine::{Order, Plan, Record};
use crate::strategy::Limits;
use crate::trace::Schedule;
use crate::verdict::{Bug, Verdict};
use crate::wire::Event;
use continuation::{Continuation, Decision, Onward};
use search::{End, Ended, Made, find};

/// An execution that came to its end.
struct Executed {
    verdict: Verdict,
    /// It did not make the steps that it should.
    is_astray: bool,
    /// Nothing but decisions could have been others.
    is_decided: bool,
}

wire_struct!(Executed {
    verdict,
    is_astray,
    is_decided
});

/// Looks, for as long as the settings say, for the step from which on the failure of this schedule is
/// certain, and tells it; tells nothing if the schedule does not fail when it is followed, or there is
/// no time to find anything. Executions that may end the process have processes of their own, if there
/// is an `apart`.
pub(super) fn run(
    runner: &mut Runner,
    schedule: &Schedule,
    name: &'static str,
    test: (&Resolved, &dyn Fn() -> Option<Bug>),
    apart: Option<Apart>,
    tell: &mut dyn FnMut(Event),
) {
    runner.apply(test.0);
    let began = clock();
    let mut executions = Executions {
        runner,
        schedule,
        head: head::of(schedule),
        name,
        test,
        apart,
        notes: Notes::new(),
        count: 0,
    };
    let time = test.0.time;
    let found = find(schedule.seed, &mut |until, onward| {
        if executions.count > 0 && time.is_some_and(|time| began.elapsed() >= time) {
            return Err(Ended::TimeIsOver);
        }
        executions.make(until, onward)
    });
    if let Some(certain) = found {
        tell(Event::Certain(certain));
    }
}

/// The executions of one search.
struct Executions<'a> {
    runner: &'a mut Runner,
    schedule: &'a Schedule,
    head: Schedule,
    name: &'static str,
    test: (&'a Resolved, &'a dyn Fn() -> Option<Bug>),
    apart: Option<Apart>,
    notes: Box<Notes>,
    count: u64,
}

impl Executions<'_> {
    /// Makes so many steps of the schedule, and goes on like this.
    fn make(&mut self, until: u32, onward: &Onward) -> Result<Made, Ended> {
        if self.count > 0 && self.apart.is_none() {
            self.runner.clean_up();
        }
        self.count += 1;
        let head = Schedule {
            // From the start also with other random numbers, as an exploration has them.
            seed: match onward {
                Onward::Anew(seed) => *seed,
                _ => self.head.seed,
            },
            // A strategy that draws is fair, and a schedule that was fair before stays so.
            fair_from: self.head.fair_from.min(until),
            ..self.head.clone()
        };
        let (iteration, name, (settings, body)) = (self.count, self.name, self.test);
        let schedule = self.schedule;
        let run = |runner: &mut Runner, notes: &Notes| {
            let mut continuation = Continuation::new(schedule, until, onward, notes);
            let plan = Plan {
                iteration,
                head: &head,
                order: Order::Search(&mut continuation),
                record: Record::Schedule,
                classify: false,
                name,
            };
            let verdict = runner.run(plan, settings, body).verdict;
            let is_seen = runner.engine.limits() == Limits::default();
            Executed {
                verdict,
                is_astray: continuation.is_astray(),
                is_decided: is_seen && runner.left_out().is_empty(),
            }
        };
        let (executed, notes) = if let Some(apart) = &mut self.apart {
            let executed = apart.execute(self.runner, run);
            let executed = executed.unwrap_or_else(|died| Executed {
                verdict: died.verdict,
                is_astray: false,
                is_decided: false,
            });
            (executed, apart.notes())
        } else {
            self.notes.clear();
            (run(self.runner, &self.notes), &*self.notes)
        };
        let words = notes.words().filter(|_| !executed.is_astray);
        let decisions = words.ok_or(Ended::Astray)?.into_iter().map(Decision::of);
        let end = match executed.verdict {
            Verdict::Failed(_) => End::Fails,
            Verdict::Passed => End::Passes,
            Verdict::CutOff => End::CutOff,
        };
        Ok(Made {
            end,
            decisions: decisions.collect(),
            is_decided: executed.is_decided,
        })
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn executions_are_read_back() {
        crate::fuzz::law::<super::Executed>();
    }
}
