//! The strategy that follows an outline as far as it fits.

use super::outline::Outline;
use crate::strategy::{
    Beginning, Beyond, Candidates, Executed, Observer, Pick, Reason, Strategy, WorkerId,
};
use crate::trace::Outcome;

/// Runs each worker as far as the outline says. A stretch whose worker cannot run is left out, and so is the
/// rest of one whose worker has to wait. After the last, the worker that runs goes on for as long as it can,
/// and the next one by number follows.
#[derive(Debug)]
pub(super) struct Follow<'a> {
    outline: &'a Outline,
    /// The stretch under way.
    stretch: usize,
    /// The steps that each worker has made of those that somebody was picked for: schedules count these.
    own: Vec<u32>,
    choice: usize,
    /// The last step was one in which its worker lets others go on.
    gave_way: bool,
    /// The workers that were left although they could have gone on, and have not run since.
    left: Vec<WorkerId>,
    preemptions: u64,
}

impl Follow<'_> {
    pub(super) fn new(outline: &Outline) -> Follow<'_> {
        Follow {
            outline,
            stretch: 0,
            own: Vec::new(),
            choice: 0,
            gave_way: false,
            left: Vec::new(),
            preemptions: 0,
        }
    }

    /// How often a worker was left that could have gone on, had not just given way, and went on later: as
    /// reports count.
    pub(super) fn preemptions(&self) -> u64 {
        self.preemptions
    }

    /// The steps that a worker has made.
    fn own(&mut self, worker: u32) -> &mut u32 {
        let worker = worker as usize;
        if self.own.len() <= worker {
            self.own.resize(worker + 1, 0);
        }
        &mut self.own[worker]
    }

    /// The pick that the outline wants, if there is any of it left.
    fn outlined(&mut self, candidates: &dyn Candidates) -> Option<Pick> {
        while let Some(&stretch) = self.outline.stretches.get(self.stretch) {
            let left = stretch.until.saturating_sub(*self.own(stretch.worker));
            let worker = WorkerId(stretch.worker);
            if left > 0 && candidates.contains(worker) {
                return Some(Pick {
                    worker,
                    quantum: left - 1,
                });
            }
            self.stretch += 1;
        }
        None
    }
}

impl Strategy for Follow<'_> {
    fn begin(&mut self, _beginning: &Beginning) {}

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let moment = candidates.moment();
        let goes_on = moment.reason == Reason::Point && candidates.contains(moment.current);
        let pick = self.outlined(candidates).unwrap_or_else(|| Pick {
            worker: if goes_on {
                moment.current
            } else {
                after(moment.current, candidates)
            },
            quantum: u32::MAX - moment.step,
        });
        let is_left = goes_on && pick.worker != moment.current;
        if is_left && !self.gave_way {
            self.left.push(moment.current);
        }
        pick
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        let choice = self.outline.choices.get(self.choice).copied();
        self.choice += 1;
        choice.filter(|&choice| choice < n).unwrap_or(0)
    }

    fn fair_from(&self) -> u32 {
        u32::MAX
    }

    fn observer(&mut self) -> Option<&mut dyn Observer> {
        Some(self)
    }
}

impl Observer for Follow<'_> {
    fn on_step(&mut self, executed: &Executed, _beyond: &Beyond<'_>) {
        *self.own(executed.worker.0) += 1;
        if let Some(left) = self.left.iter().position(|&left| left == executed.worker) {
            self.left.swap_remove(left);
            self.preemptions += 1;
        }
        let waited = matches!(executed.outcome, Outcome::Waits | Outcome::Woken);
        self.gave_way = waited || executed.action.operation.gives_way();
    }
}

/// The candidate that follows this worker by number, in a circle.
fn after(current: WorkerId, candidates: &dyn Candidates) -> WorkerId {
    let all = (0..candidates.len()).map(|index| candidates.nth(index));
    let next = all.min_by_key(|worker| (worker.0 <= current.0, worker.0));
    next.expect("there is always somebody to pick")
}

#[cfg(test)]
mod tests {
    use super::super::outline::Stretch;
    use super::*;
    use crate::strategy::stage::play;

    fn made(stretches: &[(u32, u32)], steps: &[u32]) -> (Vec<u32>, u64) {
        let stretches = stretches
            .iter()
            .map(|&(worker, until)| Stretch { worker, until });
        let outline = Outline {
            stretches: stretches.collect(),
            choices: Vec::new(),
        };
        let mut follow = Follow::new(&outline);
        (play(&mut follow, 0, steps), follow.preemptions())
    }

    #[test]
    fn an_outline_is_followed() {
        let (made, preemptions) = made(&[(0, 2), (1, 1), (0, 3), (1, 3)], &[3, 3]);
        assert_eq!(made, [0, 0, 1, 0, 1, 1]);
        assert_eq!(preemptions, 2);
    }

    #[test]
    fn after_it_nobody_is_preempted() {
        assert_eq!(made(&[(1, 1)], &[2, 2, 2]).0, [1, 1, 2, 2, 0, 0]);
        assert_eq!(made(&[], &[2, 2]), (vec![0, 0, 1, 1], 0));
    }

    #[test]
    fn a_stretch_that_does_not_fit_is_left_out() {
        // Worker 0 ends after two steps, and worker 7 is not there.
        assert_eq!(made(&[(0, 9), (7, 1), (1, 1)], &[2, 2]).0, [0, 0, 1, 1]);
        // The second stretch of 0 makes up for one that is missing.
        assert_eq!(made(&[(1, 1), (0, 3), (1, 2)], &[3, 2]).0, [1, 0, 0, 0, 1]);
    }
}
