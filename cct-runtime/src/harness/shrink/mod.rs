//! Shrinks a failing schedule: the same failure, by fewer preemptions, fewer switches and fewer steps.
//!
//! An *outline* says who runs and how far, and no more than that, so that it still means something when a
//! part of it is left out. A strategy *follows* it as far as it fits, and from there on leaves no worker that
//! can go on. The *search* leaves parts out, as delta debugging does (Zeller and Hildebrandt, TSE 2002, there
//! for inputs; Jalbert and Sen, FSE 2010, for switches), and then looks for one or two preemptions that are
//! enough by themselves.

mod follow;
mod outline;
mod search;

use std::time::Instant;

use super::head;
use super::runner::Runner;
use crate::config::Resolved;
use crate::engine::{Order, Plan, Record};
use crate::trace::Schedule;
use crate::verdict::{Bug, Verdict};
use crate::wire::{Event, Shrunk};
use follow::Follow;
use outline::Outline;
use search::{Made, shrink};

/// The yield budget that is tried: the largest that schedules have.
const YIELD_BUDGET: u32 = 256;

/// Looks, for as long as the settings say, for schedules with the same failure that are shorter than this
/// one; tells each that is shorter than the ones before, the first being the schedule itself, and at last the
/// shortest again with the number of all executions. Tells none if the schedule, followed by its outline,
/// does not fail.
pub(super) fn run(
    runner: &mut Runner,
    schedule: &Schedule,
    name: &'static str,
    settings: &Resolved,
    body: &dyn Fn() -> Option<Bug>,
    tell: &mut dyn FnMut(Event),
) {
    runner.set_allowance(settings);
    let head = head::of(schedule);
    let began = clock();
    let mut failure: Option<Bug> = None;
    let mut executions = 0;
    let mut make_from = |head: &Schedule, outline: &Outline| {
        if executions > 0 {
            runner.clean_up();
        }
        executions += 1;
        let mut follow = Follow::new(outline);
        let plan = Plan {
            iteration: executions,
            head,
            order: Order::Search(&mut follow),
            record: Record::Schedule,
            classify: false,
            name,
        };
        let end = runner.run(plan, settings, body);
        let preemptions = follow.preemptions();
        let schedule = runner.engine.tape().schedule();
        let fails = match end.verdict {
            Verdict::Failed(bug) => {
                let expected = failure.get_or_insert_with(|| (*bug).clone());
                expected.is_same_here_as(&bug)
            }
            Verdict::Passed | Verdict::CutOff => false,
        };
        Made::new(
            schedule,
            preemptions,
            u64::from(runner.engine.step_count()),
            fails,
        )
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
    let first = make_from(&head, &outline);
    if !first.fails {
        return;
    }
    if is_over() {
        told(&first, 1, Some(false));
        return;
    }
    // A switch that a spent yield budget forces is one that no outline can leave out.
    let patient = Schedule {
        yield_budget: head.yield_budget.max(YIELD_BUDGET),
        ..head.clone()
    };
    let head = if make_from(&patient, &outline).fails {
        patient
    } else {
        head
    };
    let mut make = |outline: &Outline| make_from(&head, outline);
    shrink(&outline, &mut make, &mut told, &mut is_over);
}

#[expect(
    clippy::disallowed_methods,
    reason = "the time that is given is real time"
)]
fn clock() -> Instant {
    Instant::now()
}
