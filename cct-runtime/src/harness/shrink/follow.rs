//! The strategy that follows an outline as far as it fits.

use std::sync::atomic::Ordering;

use super::outline::{Outline, of_worker};
use super::points::{Point, Points};
use crate::harness::apart::Notes;
use crate::harness::ring::distance;
use crate::strategy::{
    Beginning, Beyond, Candidates, Executed, Observer, Pick, Reason, Strategy, WorkerId,
};
use crate::trace::lets_go;

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
    lets_go: bool,
    /// Their number is how often a worker was left that could have gone on and had not just let others go
    /// on: as reports count.
    notes: &'a Notes,
    points: Points<'a>,
}

impl Follow<'_> {
    /// Follows the outline, and notes preemptions and points there.
    pub(super) fn new<'a>(outline: &'a Outline, notes: &'a Notes) -> Follow<'a> {
        notes.clear();
        Follow {
            outline,
            stretch: 0,
            own: Vec::new(),
            choice: 0,
            lets_go: false,
            notes,
            points: Points::new(notes),
        }
    }

    /// Where else another worker could have run.
    pub(super) fn points(self) -> Vec<Point> {
        self.points.settle()
    }

    /// The worker that the outline wants, if there is any of it left.
    fn outlined(&mut self, candidates: &dyn Candidates) -> Option<WorkerId> {
        while let Some(&stretch) = self.outline.stretches.get(self.stretch) {
            let is_over = stretch.until <= *of_worker(&mut self.own, stretch.worker);
            let worker = WorkerId(stretch.worker);
            if !is_over && candidates.contains(worker) {
                return Some(worker);
            }
            self.stretch += 1;
        }
        None
    }

    /// The candidate that follows this worker by number, in a circle; those that are put off come last.
    fn after(&self, current: WorkerId, candidates: &dyn Candidates) -> WorkerId {
        let all = (0..candidates.len()).map(|index| candidates.nth(index));
        let is_put_off = |worker: &WorkerId| self.outline.put_off.contains(&worker.0);
        let distance = |worker: &WorkerId| distance(current, *worker, self.outline.descends);
        let next = all.min_by_key(|worker| (is_put_off(worker), distance(worker)));
        next.expect("there is always somebody to pick")
    }
}

impl Strategy for Follow<'_> {
    fn begin(&mut self, _beginning: &Beginning) {}

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let moment = candidates.moment();
        let goes_on = moment.reason == Reason::Point && candidates.contains(moment.current);
        let worker = match self.outlined(candidates) {
            Some(worker) => worker,
            None if goes_on => moment.current,
            None => self.after(moment.current, candidates),
        };
        self.points.add(candidates, &moment, worker, self.lets_go);
        if goes_on && worker != moment.current && !self.lets_go {
            self.notes.number.fetch_add(1, Ordering::Relaxed);
        }
        // It observes, and is asked at each point.
        Pick { worker, quantum: 0 }
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        let choice = self.outline.choices.get(self.choice).copied();
        self.choice += 1;
        choice.filter(|&choice| choice < n).unwrap_or(0)
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

impl Observer for Follow<'_> {
    fn on_step(&mut self, executed: &Executed, _beyond: &Beyond<'_>) {
        *of_worker(&mut self.own, executed.worker.0) += 1;
        self.lets_go = lets_go(executed.action.operation, executed.outcome);
        self.points.note(executed);
    }

    fn on_unpicked(&mut self, executed: &Executed, _beyond: &Beyond<'_>) {
        self.points.note(executed);
    }
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
            ..Outline::default()
        };
        let notes = Notes::new();
        let made = play(&mut Follow::new(&outline, &notes), 0, steps);
        (made, notes.number.load(Ordering::Relaxed))
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
    fn the_others_follow_in_either_direction() {
        let outline = Outline {
            descends: true,
            stretches: vec![Stretch::whole(1)],
            ..Outline::default()
        };
        let notes = Notes::new();
        let made = play(&mut Follow::new(&outline, &notes), 0, &[1, 1, 1, 1]);
        assert_eq!(made, [1, 0, 3, 2]);
    }

    #[test]
    fn a_stretch_that_does_not_fit_is_left_out() {
        // Worker 0 ends after two steps, and worker 7 is not there.
        assert_eq!(made(&[(0, 9), (7, 1), (1, 1)], &[2, 2]).0, [0, 0, 1, 1]);
        // The second stretch of 0 makes up for one that is missing.
        assert_eq!(made(&[(1, 1), (0, 3), (1, 2)], &[3, 2]).0, [1, 0, 0, 0, 1]);
    }
}
