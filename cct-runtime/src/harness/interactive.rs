//! One iteration, led by somebody who answers at the other end of a pipe.

use super::channel::Answers;
use super::head;
use super::listener::send;
use super::runner::Runner;
use crate::config::Resolved;
use crate::engine::{Order, Plan, Record};
use crate::strategy::Interactive;
use crate::trace::Schedule;
use crate::verdict::Bug;
use crate::wire::{Asks, Event, Question, Replayed};

/// Runs one iteration with the head of `schedule`, or with one that follows from the settings. A last
/// question, which wants no answer, tells what happened since the one before.
pub(super) fn run(
    runner: &mut Runner,
    schedule: Option<&Schedule>,
    name: &'static str,
    settings: &Resolved,
    body: &dyn Fn() -> Option<Bug>,
    answers: Answers,
) -> Replayed {
    let head = schedule.map_or_else(|| head::led(settings), head::of);
    let mut answer = |question: Question| {
        send(&Event::Asked(question));
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
    let end = runner.run(plan, settings, body);
    send(&Event::Asked(strategy.question(Vec::new(), Asks::Nothing)));
    runner.replayed(end.verdict, None)
}
