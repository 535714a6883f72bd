//! The accesses of workers to objects in an earlier iteration.

use super::{Action, Executed, Origin, Rng, WorkerId};
use crate::object::ObjectId;
use crate::operation::Operation;

/// The number of a worker of another iteration when it has no counterpart.
const UNKNOWN: u32 = u32::MAX;

/// There is room for so many accesses before an iteration begins: an iteration has 20,000 steps at most,
/// unless more are asked for.
const ROOM: usize = 20_000;

/// The accesses of one iteration that was observed, worker by worker, and which workers of the iteration
/// under way correspond to them.
///
/// Objects are known by their addresses, which an iteration repeats unless it allocates in another order.
/// Workers are known by descent: the second child of the first child of the test's body.
#[derive(Debug, Default)]
pub(super) struct Census {
    /// Every access of the iteration being observed; no more than it has steps.
    accesses: Vec<Access>,
    /// How many accesses the iteration that counts had.
    most: usize,
    /// The accesses that were counted: by object, then by worker.
    counts: Vec<Count>,
    /// The objects that several workers touched, and one wrote: their stretches of `counts`.
    shared: Vec<Shared>,
    /// Which of them was drawn.
    drawn: Option<usize>,
    /// By worker that was counted: its children in order.
    children: Vec<Vec<u32>>,
    /// By worker that was counted: how often it and those that descend from it touch the chosen object.
    share: Vec<u32>,

    /// By worker of the iteration under way: its parent, its counterpart, and its children so far.
    present: Vec<Descent>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Access {
    object: ObjectId,
    worker: u32,
    writes: bool,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    worker: u32,
    accesses: u32,
}

#[derive(Clone, Debug)]
struct Shared {
    object: ObjectId,
    counts: std::ops::Range<usize>,
    accesses: u32,
}

#[derive(Clone, Copy, Debug)]
struct Descent {
    parent: u32,
    known_as: u32,
    children: u32,
}

impl Census {
    /// A new iteration begins.
    pub(super) fn begin(&mut self) {
        self.present.clear();
        self.accesses.clear();
        // The test may measure how much memory its process has, which is not to grow meanwhile.
        self.accesses.reserve(ROOM);
    }

    /// Draws one of the shared objects, with a probability in proportion to its accesses; none if there
    /// are none.
    pub(super) fn draw(&mut self, rng: &mut Rng) -> Option<ObjectId> {
        let total = self.shared.iter().map(|shared| shared.accesses).sum();
        let mut left = if total == 0 { 0 } else { rng.below(total) };
        self.drawn = self.shared.iter().position(|shared| {
            let is_here = left < shared.accesses;
            left = left.wrapping_sub(shared.accesses);
            is_here
        });
        let chosen = &self.shared[self.drawn?];
        self.share.clear();
        self.share.resize(self.children.len(), 0);
        for count in &self.counts[chosen.counts.clone()] {
            self.share[count.worker as usize] = count.accesses;
        }
        // Children have higher numbers than their parents.
        for worker in (0..self.children.len()).rev() {
            for &child in &self.children[worker] {
                self.share[worker] += self.share[child as usize];
            }
        }
        Some(chosen.object)
    }

    /// A worker has been created. Returns how often its counterpart, and those that descend from that,
    /// touch the object drawn; 0 if it has none.
    pub(super) fn create(&mut self, worker: WorkerId, origin: Origin) -> u32 {
        debug_assert_eq!(worker.0 as usize, self.present.len());
        let known_as = match origin.parent {
            None => 0,
            Some(parent) => {
                let parent = &mut self.present[parent.0 as usize];
                let children = self.children.get(parent.known_as as usize);
                let number = parent.children as usize;
                parent.children += 1;
                let known = children.and_then(|children| children.get(number));
                known.copied().unwrap_or(UNKNOWN)
            }
        };
        self.present.push(Descent {
            parent: origin.parent.map_or(UNKNOWN, |parent| parent.0),
            known_as,
            children: 0,
        });
        self.share.get(known_as as usize).copied().unwrap_or(0)
    }

    /// Notes a step of an iteration that is observed.
    pub(super) fn see(&mut self, executed: &Executed) {
        let action = &executed.action;
        if let Some(object) = accessed(action) {
            self.accesses.push(Access {
                object,
                worker: executed.worker.0,
                writes: !action.only_reads(),
            });
        }
    }

    /// A worker has touched the object drawn so often: from now on that is expected of its counterpart, if
    /// it is more than before.
    pub(super) fn raise(&mut self, worker: WorkerId, accesses: u32) {
        let Some(drawn) = self.drawn else { return };
        let shared = &mut self.shared[drawn];
        let counts = &mut self.counts[shared.counts.clone()];
        let known_as = self.present[worker.0 as usize].known_as;
        if let Ok(place) = counts.binary_search_by_key(&known_as, |count| count.worker) {
            let more = accesses.saturating_sub(counts[place].accesses);
            counts[place].accesses += more;
            shared.accesses += more;
        }
    }

    /// The observed iteration has ended: it is what counts from now on, unless there was one with more
    /// accesses. A loop that waits is short in most schedules, and a short one would not be seen to be
    /// long if it were not expected to be.
    pub(super) fn settle(&mut self) {
        if self.accesses.len() < self.most {
            return;
        }
        self.most = self.accesses.len();
        self.accesses.sort_unstable();
        self.counts.clear();
        self.shared.clear();
        for of_object in self
            .accesses
            .chunk_by(|one, other| one.object == other.object)
        {
            let start = self.counts.len();
            let of_workers = of_object.chunk_by(|one, other| one.worker == other.worker);
            self.counts.extend(of_workers.map(|accesses| Count {
                worker: accesses[0].worker,
                accesses: accesses.len() as u32,
            }));
            let is_shared = self.counts.len() - start > 1;
            if is_shared && of_object.iter().any(|access| access.writes) {
                self.shared.push(Shared {
                    object: of_object[0].object,
                    counts: start..self.counts.len(),
                    accesses: of_object.len() as u32,
                });
            } else {
                self.counts.truncate(start);
            }
        }
        self.children.iter_mut().for_each(Vec::clear);
        self.children.resize(self.present.len(), Vec::new());
        for (worker, descent) in self.present.iter().enumerate().skip(1) {
            self.children[descent.parent as usize].push(worker as u32);
        }
    }
}

/// The object of an action whose order to others on that object is what a test explores. None for those
/// that begin and end workers, and for releases: a release comes where its lock was acquired.
#[inline]
pub(super) fn accessed(action: &Action) -> Option<ObjectId> {
    let operation = action.operation;
    let is_aside = operation.is_of_workers()
        || operation.releases()
        || matches!(operation, Operation::IsFinished | Operation::ClockRead);
    let [(object, _), _] = action.accesses();
    (!object.is_none() && !is_aside).then_some(object)
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::super::{ChainId, Next};
    use super::*;
    use crate::trace::{Outcome, WorkerKind};

    fn create(census: &mut Census, worker: u32, parent: Option<u32>) -> u32 {
        let origin = Origin {
            parent: parent.map(WorkerId),
            chain: ChainId(worker),
            kind: WorkerKind::Thread,
        };
        census.create(WorkerId(worker), origin)
    }

    fn see(census: &mut Census, worker: u32, operation: Operation, object: usize) {
        census.see(&Executed {
            step: 0,
            worker: WorkerId(worker),
            action: Action {
                operation,
                object: ObjectId::sample(object),
                also: ObjectId::NONE,
                site: Location::caller(),
            },
            outcome: Outcome::Done,
            read: None,
            written: None,
            resumed: false,
            next: Next::Ends,
        });
    }

    /// Body 0 with children 1 and 2, and 3 a child of 1.
    fn observed() -> Census {
        let mut census = Census::default();
        census.begin();
        for (worker, parent) in [(0, None), (1, Some(0)), (2, Some(0)), (3, Some(1))] {
            assert_eq!(create(&mut census, worker, parent), 0);
        }
        (0..2).for_each(|_| see(&mut census, 1, Operation::Store, 8));
        (0..5).for_each(|_| see(&mut census, 3, Operation::Load, 8));
        see(&mut census, 2, Operation::Unlock, 8);
        // Nobody writes it; one worker only; no access.
        (0..3).for_each(|worker| see(&mut census, worker, Operation::Load, 16));
        see(&mut census, 2, Operation::Store, 24);
        (0..3).for_each(|worker| see(&mut census, worker, Operation::Start, 32));
        census.settle();
        census
    }

    #[test]
    fn descendants_are_counted_with_their_ancestors() {
        let mut census = observed();
        let mut rng = Rng::new(1);
        assert_eq!(census.draw(&mut rng), Some(ObjectId::sample(8)));
        census.begin();
        assert_eq!(create(&mut census, 0, None), 7);
        // The children of 0 and of 1 come in another order; each is known by its own parent's.
        assert_eq!(create(&mut census, 1, Some(0)), 7);
        assert_eq!(create(&mut census, 2, Some(1)), 5);
        assert_eq!(create(&mut census, 3, Some(0)), 0);
        assert_eq!(create(&mut census, 4, Some(3)), 0);
        assert_eq!(create(&mut census, 5, Some(4)), 0);
    }

    #[test]
    fn objects_are_drawn_in_proportion_to_their_accesses() {
        let mut census = Census::default();
        census.begin();
        create(&mut census, 0, None);
        create(&mut census, 1, Some(0));
        for (object, times) in [(8, 1), (16, 3)] {
            for worker in 0..2 {
                (0..times).for_each(|_| see(&mut census, worker, Operation::FetchAdd, object));
            }
        }
        census.settle();
        // 2,500 of 10,000 with a standard deviation of 43.
        let mut rng = Rng::new(1);
        let drawn = (0..10_000).filter(|_| census.draw(&mut rng) == Some(ObjectId::sample(8)));
        assert!(drawn.count().abs_diff(2500) < 5 * 43);
    }

    #[test]
    fn more_accesses_than_counted_are_expected_from_then_on() {
        let mut census = observed();
        for expected in [7, 9] {
            census.draw(&mut Rng::new(1));
            census.begin();
            assert_eq!(create(&mut census, 0, None), expected);
            create(&mut census, 1, Some(0));
            census.raise(WorkerId(1), 4);
            census.raise(WorkerId(0), 4);
        }
    }

    #[test]
    fn the_iteration_with_the_most_accesses_counts() {
        let mut census = observed();
        for (times, drawn) in [(3, 8), (20, 16)] {
            census.begin();
            create(&mut census, 0, None);
            create(&mut census, 1, Some(0));
            for worker in 0..2 {
                (0..times).for_each(|_| see(&mut census, worker, Operation::FetchAdd, 16));
            }
            census.settle();
            assert_eq!(census.draw(&mut Rng::new(1)), Some(ObjectId::sample(drawn)));
        }
    }

    #[test]
    fn without_shared_objects_none_is_drawn() {
        let mut census = Census::default();
        assert_eq!(census.draw(&mut Rng::new(1)), None);
        census.settle();
        assert_eq!(census.draw(&mut Rng::new(1)), None);
    }
}
