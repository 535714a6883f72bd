//! The candidates and what they will do next, kept in dense arrays.
//!
//! A strategy that compares what all candidates will do, at every step, cannot ask for each of them each
//! time. But only a worker that ran can have come to another operation: a step costs one question, and
//! a comparison is a loop over numbers.

use super::{Action, Candidates, Moment, Pick, WorkerId};
use crate::operation::Access;

/// The place of a worker that is no candidate.
const NOWHERE: u32 = u32::MAX;

/// The candidates, each at a place from 0; when one leaves, the last takes its place.
///
/// Their next operations are kept only if they are to be compared.
#[derive(Debug)]
pub(super) struct Pending<const COMPARES: bool> {
    /// By place.
    workers: Vec<WorkerId>,
    /// By place: what it will do.
    footprints: Vec<Footprint>,
    /// By worker.
    places: Vec<u32>,
    /// How many footprints have a second object.
    with_second: u32,
    /// Workers that have become candidates since the last look.
    entered: Vec<WorkerId>,
    /// The worker that was picked last.
    picked: WorkerId,
    /// The step at which the strategy is asked next unless the engine picks by itself in between; 0 if
    /// the last pick stands for as long as there is no other candidate.
    expected: u32,
}

/// A worker has come to an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival<'a> {
    pub(super) place: usize,
    pub(super) worker: WorkerId,
    pub(super) action: &'a Action,
    pub(super) footprint: Footprint,
}

impl<const COMPARES: bool> Default for Pending<COMPARES> {
    fn default() -> Self {
        Pending {
            workers: Vec::new(),
            footprints: Vec::new(),
            places: Vec::new(),
            with_second: 0,
            entered: Vec::new(),
            picked: WorkerId(0),
            expected: 0,
        }
    }
}

impl<const COMPARES: bool> Pending<COMPARES> {
    /// A new iteration begins.
    pub(super) fn begin(&mut self) {
        self.workers.clear();
        self.footprints.clear();
        self.places.clear();
        self.with_second = 0;
        self.entered.clear();
        self.picked = WorkerId(0);
        self.expected = 0;
    }

    /// A worker becomes a candidate, at the last place. True if the strategy must be asked because the
    /// worker picked last was the only candidate.
    pub(super) fn enter(&mut self, worker: WorkerId) -> bool {
        let index = worker.0 as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, NOWHERE);
        }
        self.places[index] = self.workers.len() as u32;
        self.workers.push(worker);
        self.footprints.push(Footprint::NONE);
        self.entered.push(worker);
        self.expected == 0
    }

    /// A worker is no longer a candidate; returns the place that it had.
    pub(super) fn leave(&mut self, worker: WorkerId) -> usize {
        let place = std::mem::replace(&mut self.places[worker.0 as usize], NOWHERE) as usize;
        self.workers.swap_remove(place);
        let footprint = self.footprints.swap_remove(place);
        self.with_second -= u32::from(footprint.has_second());
        if let Some(moved) = self.workers.get(place) {
            self.places[moved.0 as usize] = place as u32;
        }
        place
    }

    /// The worker at a place.
    #[inline]
    pub(super) fn worker(&self, place: usize) -> WorkerId {
        self.workers[place]
    }

    /// The place of a worker, if it is a candidate; a task that nobody has polled yet never was one.
    #[inline]
    pub(super) fn place(&self, worker: WorkerId) -> Option<usize> {
        let place = *self.places.get(worker.0 as usize)?;
        (place != NOWHERE).then_some(place as usize)
    }

    /// Brings everything up to date, as the strategy is asked about a step after one of the current worker;
    /// tells each place whose worker has come to an operation, and which.
    #[inline]
    pub(super) fn look(
        &mut self,
        moment: &Moment,
        candidates: &dyn Candidates,
        mut arrived: impl FnMut(&Arrival<'_>),
    ) {
        let current = moment.current;
        let has_moved_alone =
            current == self.picked && (self.expected == 0 || self.expected == moment.step);
        if has_moved_alone && self.entered.is_empty() {
            if let Some(place) = self.place(current) {
                arrived(&self.arrive(place, &moment.pending));
            }
        } else {
            self.look_at_many(current, candidates, has_moved_alone, &mut arrived);
        }
    }

    /// There are new candidates, or the engine has picked by itself, and anybody may have moved.
    #[cold]
    fn look_at_many(
        &mut self,
        current: WorkerId,
        candidates: &dyn Candidates,
        has_moved_alone: bool,
        arrived: &mut dyn FnMut(&Arrival<'_>),
    ) {
        for place in 0..self.workers.len() {
            let worker = self.workers[place];
            if worker == current || !has_moved_alone || self.entered.contains(&worker) {
                arrived(&self.arrive(place, &candidates.pending(worker)));
            }
        }
        self.entered.clear();
    }

    #[inline]
    fn arrive<'a>(&mut self, place: usize, action: &'a Action) -> Arrival<'a> {
        let footprint = if COMPARES {
            Footprint::of(action)
        } else {
            Footprint::NONE
        };
        let before = std::mem::replace(&mut self.footprints[place], footprint);
        self.with_second += u32::from(footprint.has_second());
        self.with_second -= u32::from(before.has_second());
        Arrival {
            place,
            worker: self.workers[place],
            action,
            footprint,
        }
    }

    /// The next operation of the worker at a place.
    #[inline]
    pub(super) fn footprint(&self, place: usize) -> Footprint {
        self.footprints[place]
    }

    /// Calls `races` with the place of each other worker whose operation conflicts with that of the worker
    /// at this place.
    #[inline]
    pub(super) fn each_race(
        &self,
        place: usize,
        candidates: &dyn Candidates,
        mut races: impl FnMut(usize),
    ) {
        let executed = self.footprints[place];
        if self.with_second > 0 {
            self.each_race_exactly(place, candidates, &mut races);
        } else if executed != Footprint::NONE {
            for (other, &footprint) in self.footprints.iter().enumerate() {
                if executed.conflicts_with(footprint) && other != place {
                    races(other);
                }
            }
        }
    }

    /// As above, when there are operations with two objects.
    #[cold]
    fn each_race_exactly(
        &self,
        place: usize,
        candidates: &dyn Candidates,
        races: &mut dyn FnMut(usize),
    ) {
        let executed = candidates.pending(self.workers[place]);
        for (other, &worker) in self.workers.iter().enumerate() {
            if other != place && executed.conflicts_with(&candidates.pending(worker)) {
                races(other);
            }
        }
    }

    /// The strategy's answer at a step: the worker at this place, for that step; if there is nobody else,
    /// for up to so many further points.
    #[inline]
    pub(super) fn pick(&mut self, place: usize, step: u32, most: u32) -> Pick {
        let worker = self.workers[place];
        self.picked = worker;
        if self.workers.len() == 1 {
            self.expected = 0;
            let quantum = most;
            return Pick { worker, quantum };
        }
        self.expected = step + 1;
        Pick { worker, quantum: 0 }
    }
}

/// The parts of an action by which two are compared, in one number: its object, its access to it, and
/// whether there is a second object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Footprint(u64);

/// Two that have such a bit in common commute.
const READS: u64 = 1;
/// As above.
const ADDS: u64 = 2;
const SECOND: u64 = 1 << 63;

impl Footprint {
    /// That of an action that conflicts with none.
    pub(super) const NONE: Footprint = Footprint(0);

    /// That of an action.
    #[inline]
    pub(super) fn of(action: &Action) -> Footprint {
        let [(object, access), (second, _)] = action.accesses();
        let object = object.key() << 2 & !SECOND;
        let access = match access {
            Access::Reads => READS,
            Access::Adds => ADDS,
            Access::Writes => 0,
        };
        let second = if second.is_none() { 0 } else { SECOND };
        match object {
            0 => Footprint(second),
            object => Footprint(object | access | second),
        }
    }

    /// True if it conflicts with its like, and has no second object.
    pub(super) fn excludes_its_like(self) -> bool {
        self != Footprint::NONE && !self.has_second() && self.conflicts_with(self)
    }

    fn has_second(self) -> bool {
        self.0 & SECOND != 0
    }

    /// True if the two actions conflict, neither of which is [none](Footprint::NONE) or has a second
    /// object.
    #[inline]
    fn conflicts_with(self, other: Footprint) -> bool {
        let commutes = READS | ADDS;
        (self.0 ^ other.0) & !commutes == 0 && self.0 & other.0 & commutes == 0
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::super::Reason;
    use super::super::stage::Scene;
    use super::*;
    use crate::object::ObjectId;
    use crate::operation::Operation;

    #[test]
    fn footprints_conflict_as_actions_do() {
        let lock = ObjectId::at(0x7FFF_0000_1000);
        let objects = [ObjectId::NONE, lock, ObjectId::poison_of(lock)];
        let with = |operation, object| Action {
            operation,
            object,
            also: ObjectId::NONE,
            site: Location::caller(),
        };
        let of_all = |object| Operation::ALL.iter().map(move |&op| with(op, object));
        let actions: Vec<Action> = objects.into_iter().flat_map(of_all).collect();
        for one in &actions {
            for other in &actions {
                let (left, right) = (Footprint::of(one), Footprint::of(other));
                let conflict = left != Footprint::NONE && left.conflicts_with(right);
                assert_eq!(conflict, one.conflicts_with(other), "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn places_stay_dense() {
        let mut pending = Pending::<true>::default();
        pending.begin();
        for worker in [4, 0, 7, 2] {
            pending.enter(WorkerId(worker));
        }
        assert_eq!(pending.leave(WorkerId(0)), 1);
        assert_eq!(pending.leave(WorkerId(7)), 2);
        assert_eq!(pending.place(WorkerId(2)), Some(1));
        assert_eq!(pending.place(WorkerId(7)), None);
        assert_eq!(pending.place(WorkerId(1000)), None);
        assert_eq!(pending.worker(0), WorkerId(4));
        assert_eq!(pending.workers.len(), 2);
    }

    #[test]
    fn those_who_moved_are_looked_at() {
        let mut pending = Pending::<true>::default();
        pending.begin();
        (0..4).for_each(|worker| _ = pending.enter(WorkerId(worker)));
        let mut look_at = |current, step| {
            let scene = Scene {
                enabled: (0..4).collect(),
                current,
                step,
                reason: Reason::Point,
            };
            let mut seen = Vec::new();
            pending.look(&scene.moment(), &scene, |arrival| {
                seen.push(arrival.place);
            });
            pending.pick(2, step, 100);
            seen
        };
        assert_eq!(look_at(0, 1), [0, 1, 2, 3]);
        assert_eq!(look_at(2, 2), [2]);
        // Others have made steps unseen.
        assert_eq!(look_at(3, 7), [0, 1, 2, 3]);
    }

    #[test]
    fn one_who_ran_on_alone_is_looked_at_after_another() {
        let mut pending = Pending::<true>::default();
        pending.begin();
        let look_at = |pending: &mut Pending<true>, enabled: &[u32], current, step| {
            let scene = Scene {
                enabled: enabled.to_vec(),
                current,
                step,
                reason: Reason::Point,
            };
            let mut seen = Vec::new();
            pending.look(&scene.moment(), &scene, |arrival| {
                seen.push(arrival.place);
            });
            seen
        };
        pending.enter(WorkerId(0));
        assert_eq!(look_at(&mut pending, &[0], 0, 1), [0]);
        pending.pick(0, 1, 100);
        pending.enter(WorkerId(1));
        // The engine let the new one run by itself, after further steps of the only one before it.
        assert_eq!(look_at(&mut pending, &[0, 1], 1, 9), [0, 1]);
    }
}
