//! The points of an execution at which another worker could have gone on, and which of them may matter.

use std::collections::BTreeMap;

use crate::codec::wire_struct;
use crate::harness::apart::Notes;
use crate::object::ObjectId;
use crate::operation::{Access, Operation};
use crate::strategy::{Action, Candidates, Executed, Moment, Reason, WorkerId};

/// A point at which there was more than one candidate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Point {
    /// The steps before it.
    pub(super) steps: u32,
    /// Another worker than the one that ran before it would have preempted that.
    pub(super) preempts: bool,
    /// A switch there makes a difference: nobody could go on, or the operation that was about to be carried
    /// out conflicts with a step of another worker. Otherwise the switch may as well come later. Clones and
    /// drops of references conflict with those that look at their number: seldom does a failure depend on who
    /// is the last to drop one.
    pub(super) matters: bool,
    /// The workers that could run and did not.
    pub(super) others: Vec<u32>,
}

/// The points of one execution.
#[derive(Debug)]
pub(super) struct Points<'a> {
    /// Each is noted there, too, so that it is known also where the process ends.
    notes: &'a Notes,
    all: Vec<Point>,
    /// For each of them the worker before it, and what that was about to do.
    pending: Vec<(u32, Uses)>,
    /// For each object, the workers that used it, and how.
    uses: BTreeMap<ObjectId, Vec<(u32, Use)>>,
}

/// An access, and whether it is a clone or drop of a reference.
type Use = (Access, bool);
type Uses = [(ObjectId, Use); 2];

impl Point {
    /// Adds it to the notes, in words.
    fn note(&self, notes: &Notes) {
        let head = u64::from(self.preempts) << 32 | self.others.len() as u64;
        notes.add(u64::from(self.steps));
        notes.add(head);
        for &other in &self.others {
            notes.add(u64::from(other));
        }
    }

    /// The points that are noted; none if there was no room for all. Nobody knows which of them matter, so
    /// all may.
    pub(super) fn noted(notes: &Notes) -> Option<Vec<Point>> {
        let words = notes.words()?;
        let mut words = words.into_iter();
        let mut all = Vec::new();
        while let (Some(steps), Some(head)) = (words.next(), words.next()) {
            let count = head as u32 as usize;
            let others: Vec<u32> = words.by_ref().take(count).map(|word| word as u32).collect();
            if others.len() == count {
                all.push(Point {
                    steps: steps as u32,
                    preempts: head >> 32 != 0,
                    matters: true,
                    others,
                });
            }
        }
        Some(all)
    }
}

impl<'a> Points<'a> {
    /// None yet.
    pub(super) fn new(notes: &'a Notes) -> Points<'a> {
        Points {
            notes,
            all: Vec::new(),
            pending: Vec::new(),
            uses: BTreeMap::new(),
        }
    }

    /// The strategy is asked, and answers with this worker.
    pub(super) fn add(
        &mut self,
        candidates: &dyn Candidates,
        moment: &Moment,
        picked: WorkerId,
        lets_go: bool,
    ) {
        if moment.count < 2 {
            return;
        }
        let goes_on = moment.reason == Reason::Point && candidates.contains(moment.current);
        let all = (0..moment.count).map(|index| candidates.nth(index));
        let point = Point {
            steps: moment.step,
            preempts: goes_on && !lets_go,
            matters: !goes_on || lets_go,
            others: all
                .filter(|&other| other != picked)
                .map(|other| other.0)
                .collect(),
        };
        point.note(self.notes);
        self.all.push(point);
        let pending = uses(&moment.pending);
        self.pending.push((moment.current.0, pending));
    }

    /// A step has been carried out.
    pub(super) fn note(&mut self, executed: &Executed) {
        let worker = executed.worker.0;
        for (object, how) in uses(&executed.action) {
            if object.is_none() {
                continue;
            }
            let uses = self.uses.entry(object).or_default();
            if !uses.contains(&(worker, how)) {
                uses.push((worker, how));
            }
        }
    }

    /// The points, now that the execution is over and it is known which of them matter.
    pub(super) fn settle(mut self) -> Vec<Point> {
        for (point, (current, pending)) in self.all.iter_mut().zip(&self.pending) {
            let meets = |&(object, (access, counts)): &(ObjectId, Use)| {
                let mut uses = self.uses.get(&object).into_iter().flatten();
                uses.any(|&(worker, (other, also_counts))| {
                    worker != *current && !access.commutes_with(other) && !(counts && also_counts)
                })
            };
            point.matters = point.matters || pending.iter().any(meets);
        }
        self.all
    }
}

fn uses(action: &Action) -> Uses {
    use Operation::{CountDown, CountUp, WeakDown, WeakUp};
    let counts = matches!(action.operation, CountUp | CountDown | WeakUp | WeakDown);
    action
        .accesses()
        .map(|(object, access)| (object, (access, counts)))
}

wire_struct!(Point {
    steps,
    preempts,
    matters,
    others
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_from_notes() {
        let notes = Notes::new();
        let point = |steps, preempts, others| Point {
            steps,
            preempts,
            matters: true,
            others,
        };
        let all = vec![point(3, true, vec![1, 2]), point(9, false, vec![0])];
        for point in &all {
            point.note(&notes);
        }
        assert_eq!(Point::noted(&notes), Some(all.clone()));
        // The process ended in the middle of one.
        notes.add(12);
        assert_eq!(Point::noted(&notes), Some(all));
        for _ in 0..1 << 17 {
            notes.add(0);
        }
        assert_eq!(Point::noted(&notes), None);
    }
}
