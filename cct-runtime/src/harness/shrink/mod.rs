//! Shrinks a failing schedule: the same failure, by fewer preemptions, fewer switches and fewer steps.
//!
//! An *outline* says who runs and how far, and no more than that, so that it still means something when a
//! part of it is left out. A strategy *follows* it as far as it fits, and from there on leaves no worker that
//! can go on. The *search* leaves parts out, as delta debugging does (Zeller and Hildebrandt, TSE 2002, there
//! for inputs; Jalbert and Sen, FSE 2010, for switches), and looks among the schedules with fewer
//! preemptions, *bounded* by 0, 1, 2 and 3 of them, where the *points* come first at which a switch may
//! matter. Executions that may end their process are made *apart*.

mod bounded;
#[cfg(test)]
mod brute_force;
mod follow;
mod outline;
mod points;
mod search;

use std::sync::atomic::Ordering;

use super::apart::{Apart, Notes, clock};
use super::head;
use super::runner::Runner;
use crate::codec::wire_struct;
use crate::config::{Granularity, Resolved};
use crate::engine::{Order, Plan, Record};
use crate::trace::Schedule;
use crate::verdict::{Bug, BugKind, Verdict};
use crate::wire::{Event, Shrunk};
use follow::Follow;
use outline::Outline;
use points::Point;
use search::{Made, shrink};

/// An execution that came to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Executed {
    verdict: Verdict,
    /// Where else another worker could have run; none if there was no room for all of them.
    points: Option<Vec<Point>>,
    preemptions: u64,
    steps: u64,
}

wire_struct!(Executed {
    verdict,
    points,
    preemptions,
    steps
});

/// Looks, for as long as the settings say, for schedules with the same failure that are shorter than this
/// one; tells each that is shorter than the ones before, the first being the schedule itself, and at last the
/// shortest again with the number of all executions. Tells none if the schedule, followed by its outline,
/// does not fail. The executions are those from a number on: with another one, others are drawn.
/// Executions that may end the process have processes of their own, if there is an `apart`.
pub(super) fn run(
    runner: &mut Runner,
    (schedule, from): (&Schedule, u64),
    name: &'static str,
    (settings, body): (&Resolved, &dyn Fn() -> Option<Bug>),
    mut apart: Option<Apart>,
    tell: &mut dyn FnMut(Event),
) {
    runner.apply(settings);
    let head = head::of(schedule);
    let began = clock();
    let notes = Notes::new();
    let mut failure: Option<Bug> = None;
    let mut executions = 0;
    let mut make = |outline: &Outline| {
        if executions > 0 && apart.is_none() {
            runner.clean_up();
        }
        executions += 1;
        let head = Schedule {
            yield_budget: outline.yield_budget.unwrap_or(head.yield_budget),
            coarse: outline.coarse,
            ..head.clone()
        };
        let run = |runner: &mut Runner, notes: &Notes| {
            let mut follow = Follow::new(outline, notes);
            let plan = Plan {
                iteration: executions,
                head: &head,
                order: Order::Search(&mut follow),
                record: Record::Schedule,
                classify: false,
                name,
            };
            let verdict = runner.run(plan, settings, body).verdict;
            Executed {
                verdict,
                points: Some(follow.points()),
                preemptions: notes.number.load(Ordering::Relaxed),
                steps: u64::from(runner.engine.step_count()),
            }
        };
        let executed = match &mut apart {
            Some(apart) => apart.execute(runner, run).unwrap_or_else(|died| Executed {
                verdict: died.verdict,
                points: Point::noted(apart.notes()),
                preemptions: apart.notes().number.load(Ordering::Relaxed),
                steps: died.steps,
            }),
            None => run(runner, &notes),
        };
        let mut is_race = false;
        let fails = match executed.verdict {
            Verdict::Failed(bug) => {
                is_race = matches!(bug.kind, BugKind::Race | BugKind::Violation);
                let expected = failure.get_or_insert_with(|| (*bug).clone());
                expected.is_same_here_as(&bug)
            }
            Verdict::Passed | Verdict::CutOff => false,
        };
        let schedule = runner.engine.tape().schedule();
        let lengths = (executed.preemptions, executed.steps);
        Made {
            is_race,
            ..Made::new(schedule, executed.points, lengths, fails)
        }
    };
    let mut told = |made: &Made, executions: u64, is_complete: Option<bool>| {
        tell(Event::Shrunk(Shrunk {
            schedule: made.schedule.clone(),
            executions,
            is_complete,
        }));
    };
    let mut is_over = || settings.time.is_some_and(|time| began.elapsed() >= time);
    let outline = Outline::of(schedule);
    let may_be_coarse = settings.granularity == Granularity::Mix;
    let first = (&outline, may_be_coarse);
    shrink(first, from, &mut make, &mut told, &mut is_over);
}

#[cfg(test)]
mod tests {
    #[test]
    fn executions_are_read_back() {
        crate::fuzz::law::<super::Executed>();
    }
}
