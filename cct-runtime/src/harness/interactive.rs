//! One iteration, led by whoever answers at the other end of a pipe.

use super::channel::{Answers, Channel};
use super::explore::{Explorer, fail_on_unobserved, head_for};
use super::replay::{head_of, trace_of};
use super::timeouts::allowance;
use crate::config::Resolved;
use crate::engine::{Order, Plan, Record};
use crate::strategy::{self, Interactive};
use crate::trace::Schedule;
use crate::verdict::Bug;
use crate::wire::{Asks, Event, Question, Replayed};

/// After how many yields of a worker another has to run: enough to look at a spin, and not for ever.
const YIELD_BUDGET: u32 = 16;

/// Runs one iteration with the head of `schedule`, or with one that follows from the settings. What has
/// happened since the last question is told at the end as well.
pub(super) fn run(
    explorer: &mut Explorer,
    schedule: Option<&Schedule>,
    name: &str,
    settings: &Resolved,
    body: &dyn Fn() -> Option<Bug>,
    (channel, answers): (Channel, Answers),
) {
    let head = schedule.map_or_else(|| fresh_head(settings), head_of);
    let (surroundings, engine) = explorer.parts();
    surroundings.restore(head.seed);
    let mut answer = |question: Question| {
        channel.send(&Event::Asked(question));
        answers.next()
    };
    let mut strategy = Interactive::new(&mut answer);
    let plan = Plan {
        iteration: 1,
        head: &head,
        order: Order::Search(&mut strategy),
        record: Record::Calls,
        classify: false,
        name,
    };
    let end = engine.run(plan, body);
    channel.send(&Event::Asked(strategy.question(Vec::new(), Asks::Nothing)));
    channel.send(&Event::Replayed(Replayed {
        verdict: fail_on_unobserved(end.verdict, engine, settings),
        trace: trace_of(engine, surroundings),
        divergence: None,
        unobserved_panics: engine.unobserved_panics(),
    }));
}

fn fresh_head(settings: &Resolved) -> Schedule {
    // A person who picks sees the time-outs, if they want to.
    let allowed = allowance(settings.timeouts, settings.seed, true);
    Schedule {
        seed: strategy::derive(settings.seed, 0),
        early: allowed.early,
        leap: allowed.leap,
        yield_budget: YIELD_BUDGET,
        fair_from: u32::MAX,
        ..head_for(settings, "interactive".to_owned())
    }
}
