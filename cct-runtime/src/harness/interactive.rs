//! One iteration, led by somebody who answers at the other end of a pipe.

use super::channel::Answers;
use super::guided::Guided;
use super::head;
use super::listener::send;
use super::request::Led;
use super::runner::Runner;
use crate::config::Resolved;
use crate::engine::{Order, Plan, Record};
use crate::strategy::{
    Beginning, Beyond, Candidates, Executed, Interactive, Observer, Origin, Pick, Strategy,
    WorkerId,
};
use crate::verdict::Bug;
use crate::wire::{Asks, Event, Question, Replayed};

/// Runs one iteration with the head of a schedule, or with one that follows from the settings. A last
/// question, which wants no answer, tells what happened since the one before.
pub(super) fn run(
    runner: &mut Runner,
    led: &Led,
    name: &'static str,
    settings: &Resolved,
    body: &dyn Fn() -> Option<Bug>,
    answers: Answers,
) -> Replayed {
    let head = match led {
        Led::Fresh => head::led(settings),
        Led::Like(schedule) => head::of(schedule),
        Led::After(guide) => head::of(&guide.schedule),
    };
    let mut answer = |question: Question| {
        send(&Event::Asked(question));
        answers.next()
    };
    let mut interactive = Interactive::new(&mut answer);
    let mut advised;
    let order: &mut dyn Strategy = match led {
        Led::After(guide) => {
            advised = Advised {
                guided: Guided::new(guide),
                interactive: &mut interactive,
            };
            &mut advised
        }
        Led::Fresh | Led::Like(_) => &mut interactive,
    };
    let plan = Plan {
        iteration: 1,
        head: &head,
        order: Order::Search(order),
        record: Record::Calls,
        classify: false,
        name,
    };
    let end = runner.run(plan, settings, body);
    send(&Event::Asked(
        interactive.question(Vec::new(), Asks::Nothing),
    ));
    runner.replayed(end)
}

/// Somebody answers, and a guide proposes.
#[derive(Debug)]
struct Advised<'a, 'b> {
    guided: Guided<'a>,
    interactive: &'a mut Interactive<'b>,
}

impl Strategy for Advised<'_, '_> {
    fn begin(&mut self, beginning: &Beginning) {
        self.guided.begin(beginning);
        self.interactive.begin(beginning);
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let proposed = self.guided.propose(candidates);
        self.interactive.advise(proposed.0);
        let pick = self.interactive.pick(candidates);
        self.guided.picked(pick.worker, candidates);
        pick
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        let proposed = self.guided.choose_index(n);
        self.interactive.advise(proposed);
        self.interactive.choose_index(n)
    }

    fn on_created(&mut self, worker: WorkerId, origin: Origin) {
        self.guided.on_created(worker, origin);
        self.interactive.on_created(worker, origin);
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        self.guided.on_enabled(worker)
    }

    fn choose_store(&mut self, n: u32, _drawn: u32) -> u32 {
        self.choose_index(n)
    }

    fn fair_from(&self) -> u32 {
        u32::MAX
    }

    fn observer(&mut self) -> Option<&mut dyn Observer> {
        Some(self)
    }
}

impl Observer for Advised<'_, '_> {
    fn on_step(&mut self, executed: &Executed, beyond: &Beyond<'_>) {
        self.guided.on_step(executed, beyond);
        self.interactive.on_step(executed, beyond);
    }

    fn on_early(&mut self, worker: WorkerId) -> bool {
        self.guided.on_early(worker)
    }

    fn on_late(&mut self, worker: WorkerId) {
        self.guided.on_late(worker);
    }
}
