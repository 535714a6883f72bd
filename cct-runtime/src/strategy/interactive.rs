//! Interactive: somebody else answers each question.

use super::{Beginning, Beyond, Candidates, Executed, Observer, Origin, Pick, Strategy, WorkerId};
use crate::operation::Operation;
use crate::trace::WorkerKind;
use crate::wire::{Act, Asks, Happened, Offer, Question};

/// Asks at each point, and does as it is told.
///
/// # Idea
///
/// A person who has a suspicion knows better than any search where to go. At each scheduling point, and
/// for each value to be chosen, a question tells what the workers are about to do and what has happened
/// since the last one; the answer is carried out.
///
/// # Guarantee
///
/// None but that of repetition: the same answers make the same execution.
///
/// # Parameters
///
/// The person who answers: `cargo cct` hands on the typed text, see `docs/interactive.md`.
///
/// # Departures
///
/// Where nobody makes progress the engine itself gives the workers turns, and nobody is asked. A worker
/// that gives way is on no offer for once, as with any other strategy.
pub struct Interactive<'a> {
    answer: &'a mut dyn FnMut(Question) -> u32,
    happened: Vec<Happened>,
    /// The kinds of the workers, and how many of them the last question told.
    workers: Vec<WorkerKind>,
    told: usize,
    advice: Option<u32>,
}

impl<'a> Interactive<'a> {
    /// A strategy that does what `answer` says: the number of one of the offered workers, or of a value.
    pub fn new(answer: &'a mut dyn FnMut(Question) -> u32) -> Interactive<'a> {
        Interactive {
            answer,
            happened: Vec::new(),
            workers: Vec::new(),
            told: 0,
            advice: None,
        }
    }

    /// The next question proposes this answer.
    pub fn advise(&mut self, answer: u32) {
        self.advice = Some(answer);
    }

    /// A question, with what has happened since the last one.
    pub fn question(&mut self, waits: Vec<Offer>, asks: Asks) -> Question {
        let workers = self.workers[self.told..].to_vec();
        self.told = self.workers.len();
        Question {
            workers,
            happened: std::mem::take(&mut self.happened),
            waits,
            asks,
            advice: self.advice.take(),
        }
    }

    fn ask(&mut self, waits: Vec<Offer>, asks: Asks) -> u32 {
        let question = self.question(waits, asks);
        (self.answer)(question)
    }

    /// True for a worker that has something of its own to do.
    fn is_of_interest(&self, wait: &Offer) -> bool {
        let kind = self.workers.get(wait.worker as usize);
        kind != Some(&WorkerKind::WakeUp) && wait.act.operation != Operation::End as u8
    }
}

impl std::fmt::Debug for Interactive<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interactive").finish_non_exhaustive()
    }
}

impl Strategy for Interactive<'_> {
    fn begin(&mut self, _beginning: &Beginning) {
        self.happened.clear();
        self.workers.clear();
        self.told = 0;
        self.advice = None;
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let offers = (0..self.workers.len() as u32).map(|worker| Offer {
            worker,
            act: Act::from(&candidates.pending(WorkerId(worker))),
        });
        let (offers, mut waits): (Vec<_>, Vec<_>) =
            offers.partition(|offer| candidates.contains(WorkerId(offer.worker)));
        waits.retain(|wait| self.is_of_interest(wait));
        let worker = WorkerId(self.ask(waits, Asks::Worker(offers)));
        // An answer that is none of those offered is no reason to do what cannot be done.
        let worker = if candidates.contains(worker) {
            worker
        } else {
            candidates.nth(0)
        };
        Pick { worker, quantum: 0 }
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.ask(Vec::new(), Asks::Index(n)).min(n - 1)
    }

    fn fair_from(&self) -> u32 {
        u32::MAX
    }

    fn on_enabled(&mut self, _worker: WorkerId) -> bool {
        false
    }

    fn on_created(&mut self, _worker: WorkerId, origin: Origin) {
        self.workers.push(origin.kind);
    }

    fn observer(&mut self) -> Option<&mut dyn Observer> {
        Some(self)
    }
}

impl Observer for Interactive<'_> {
    fn on_step(&mut self, executed: &Executed, _beyond: &Beyond<'_>) {
        self.happened.push(Happened {
            worker: executed.worker.0,
            act: Act::from(&executed.action),
            outcome: executed.outcome,
            read: executed.read,
            written: executed.written,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::stage::play;

    #[test]
    fn answers_are_carried_out() {
        let mut answers = [1, 1, 0, 7].into_iter();
        let mut asked = Vec::new();
        let mut answer = |question: Question| {
            let Asks::Worker(offers) = question.asks else {
                panic!("nobody chooses a value here")
            };
            asked.push(offers.len());
            answers.next().unwrap_or(0)
        };
        let made = play(&mut Interactive::new(&mut answer), 1, &[2, 3]);
        // The last answer, 7, is nobody: the first candidate goes on.
        assert_eq!(made, [1, 1, 0, 0, 1]);
        assert_eq!(asked, [2, 2, 2, 2, 1]);
    }
}
