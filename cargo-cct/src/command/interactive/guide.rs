//! The schedule that an interactive execution follows until somebody leaves it.

use cct::trace::Schedule;
use cct::wire::{Asks, Question};

/// A schedule, and whether the execution is still on it.
#[derive(Clone, Debug)]
pub(super) struct Guide {
    /// None in a program that has changed: there the test process proposes the answers.
    schedule: Option<Schedule>,
    choice: usize,
    is_left: bool,
    is_told: bool,
}

impl Guide {
    /// At its beginning.
    pub(super) fn new(schedule: Option<Schedule>) -> Guide {
        Guide {
            schedule,
            choice: 0,
            is_left: false,
            is_told: false,
        }
    }

    /// The execution begins anew.
    pub(super) fn restart(&mut self) {
        (self.choice, self.is_left, self.is_told) = (0, false, false);
    }

    /// True once, when the execution has done something else.
    pub(super) fn is_news_that_left(&mut self) -> bool {
        self.is_left && !std::mem::replace(&mut self.is_told, true)
    }

    /// The answer with which the execution stays on the schedule, after so many steps.
    pub(super) fn answer(&self, question: &Question, steps: usize) -> Option<u32> {
        if self.is_left {
            return None;
        }
        let Some(schedule) = &self.schedule else {
            return question.advice;
        };
        match question.asks {
            Asks::Worker(_) => worker(schedule, steps),
            Asks::Index(_) => schedule.choices.get(self.choice).copied(),
            Asks::Nothing => None,
        }
    }

    /// This was answered, where that would have been the guide's answer.
    pub(super) fn answered(&mut self, asks: &Asks, guided: Option<u32>, answer: u32) {
        self.is_left |= guided != Some(answer);
        self.choice += usize::from(matches!(asks, Asks::Index(_)));
    }
}

/// The worker that comes after so many steps.
fn worker(schedule: &Schedule, steps: usize) -> Option<u32> {
    let mut end = 0;
    let runs = &schedule.runs;
    let run = runs.iter().find(|run| {
        end += usize::try_from(run.steps.max(1)).unwrap_or(usize::MAX);
        steps < end
    });
    // The last run goes on for as long as the execution does.
    run.or(runs.last()).map(|run| run.worker)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(asks: Asks, advice: Option<u32>) -> Question {
        Question {
            workers: Vec::new(),
            happened: Vec::new(),
            waits: Vec::new(),
            asks,
            advice,
        }
    }

    #[test]
    fn a_guide_is_followed_until_it_is_left() {
        let mut guide = Guide::new(Some(Schedule {
            runs: vec![(0, 2).into(), (1, 1).into(), (0, 4).into()],
            choices: vec![3],
            ..Schedule::default()
        }));
        let (who, which) = (
            asked(Asks::Worker(Vec::new()), None),
            asked(Asks::Index(5), None),
        );
        let workers: Vec<_> = (1..9).filter_map(|n| guide.answer(&who, n)).collect();
        assert_eq!(workers, [0, 1, 0, 0, 0, 0, 0, 0]);
        guide.answered(&who.asks, guide.answer(&who, 1), 0);
        guide.answered(&which.asks, guide.answer(&which, 1), 3);
        assert!(!guide.is_news_that_left());
        guide.answered(&who.asks, guide.answer(&who, 2), 0);
        assert!(guide.is_news_that_left() && !guide.is_news_that_left());
        assert_eq!(
            (guide.answer(&who, 3), guide.answer(&which, 3)),
            (None, None)
        );
        guide.restart();
        assert_eq!(guide.answer(&who, 2), Some(1));
        assert_eq!(guide.answer(&which, 2), Some(3));
    }

    #[test]
    fn in_a_program_that_has_changed_the_process_proposes() {
        let mut guide = Guide::new(None);
        let who = asked(Asks::Worker(Vec::new()), Some(2));
        assert_eq!(guide.answer(&who, 7), Some(2));
        guide.answered(&who.asks, Some(2), 2);
        assert_eq!(guide.answer(&who, 8), Some(2));
        guide.answered(&who.asks, Some(2), 1);
        assert_eq!(guide.answer(&who, 9), None);
    }
}
