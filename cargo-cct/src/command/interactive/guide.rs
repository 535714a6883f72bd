//! The schedule that an interactive execution follows until somebody leaves it.

use cct::trace::Schedule;

/// A schedule, and whether the execution is still on it.
#[derive(Clone, Debug)]
pub(super) struct Guide {
    schedule: Schedule,
    choice: usize,
    is_left: bool,
    is_told: bool,
}

impl Guide {
    /// At its beginning.
    pub(super) fn new(schedule: Schedule) -> Guide {
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

    /// The worker that comes after so many steps.
    pub(super) fn worker(&self, steps: usize) -> Option<u32> {
        if self.is_left {
            return None;
        }
        let mut end = 0;
        let runs = &self.schedule.runs;
        let run = runs.iter().find(|run| {
            end += usize::try_from(run.steps.max(1)).unwrap_or(usize::MAX);
            steps < end
        });
        // The last run goes on for as long as the execution does.
        run.or(runs.last()).map(|run| run.worker)
    }

    /// The value that is chosen next.
    pub(super) fn value(&self) -> Option<u32> {
        let choice = self.schedule.choices.get(self.choice).copied();
        choice.filter(|_| !self.is_left)
    }

    /// A worker was picked after so many steps.
    pub(super) fn picked(&mut self, steps: usize, worker: u32) {
        self.is_left |= self.worker(steps) != Some(worker);
    }

    /// A value was chosen.
    pub(super) fn chosen(&mut self, value: u32) {
        self.is_left |= self.value() != Some(value);
        self.choice += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guide_is_followed_until_it_is_left() {
        let mut guide = Guide::new(Schedule {
            runs: vec![(0, 2).into(), (1, 1).into(), (0, 4).into()],
            choices: vec![3],
            ..Schedule::default()
        });
        let workers: Vec<_> = (1..9).filter_map(|steps| guide.worker(steps)).collect();
        assert_eq!(workers, [0, 1, 0, 0, 0, 0, 0, 0]);
        guide.picked(1, 0);
        guide.chosen(3);
        assert!(!guide.is_news_that_left());
        guide.picked(2, 0);
        assert!(guide.is_news_that_left() && !guide.is_news_that_left());
        assert_eq!((guide.worker(3), guide.value()), (None, None));
        guide.restart();
        assert_eq!((guide.worker(2), guide.value()), (Some(1), Some(3)));
    }
}
