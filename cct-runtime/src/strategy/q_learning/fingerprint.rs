//! The state that a program is in, as a number, kept up to date step by step.
//!
//! It is a sum of hashes, one for each worker and each object, so that a step changes two terms of it.

use super::super::first_use::mix;
use super::super::{Action, Executed, FirstUse, Next, Origin, WorkerId};
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::trace::{Outcome, Value};

/// How many sites are told apart.
const MOST_SITES: u32 = 1 << 16;

/// The known part of the iteration's state.
#[derive(Debug)]
pub(super) struct Fingerprint {
    sum: u64,
    /// By worker number.
    workers: Vec<Worker>,
    /// By object number.
    states: Vec<Object>,
    objects: FirstUse,
    /// Sites keep their numbers from iteration to iteration.
    sites: FirstUse,
}

#[derive(Clone, Copy, Default, Debug)]
struct Worker {
    /// A hash of its path: the how-manieth child of which worker it is.
    path: u64,
    children: u32,
    /// Its next operation.
    pending: Pending,
    /// Its term of the sum.
    term: u64,
}

/// An action and its numbers, which are looked up once for a row of equal ones.
#[derive(Clone, Copy, Default, Debug)]
struct Pending {
    key: u64,
    object: ObjectId,
    numbers: u64,
}

impl Pending {
    /// The number of the object, if it is the action's.
    #[inline]
    fn number_of(self, object: ObjectId) -> Option<usize> {
        // Numbers are counted from 1 there.
        let number = (self.numbers >> 32) as usize;
        (self.object == object && number > 0).then(|| number - 1)
    }
}

#[derive(Clone, Copy, Debug)]
struct Object {
    /// The number by which it differs from the others.
    salt: u64,
    /// 0 for what it began with.
    state: u64,
    /// Its term of the sum.
    term: u64,
}

impl Fingerprint {
    pub(super) fn new() -> Fingerprint {
        Fingerprint {
            sum: 0,
            workers: Vec::new(),
            states: Vec::new(),
            objects: FirstUse::default(),
            sites: FirstUse::default(),
        }
    }

    /// A new iteration begins.
    pub(super) fn clear(&mut self) {
        self.sum = 0;
        self.workers.clear();
        self.states.clear();
        self.objects.clear();
    }

    /// The state: what workers will do, what objects hold, and what the program says of itself.
    #[inline]
    pub(super) fn of(&self, said: u64) -> u64 {
        match said {
            0 => self.sum,
            said => self.sum.wrapping_add(mix(said)),
        }
    }

    /// A worker has been created. Returns a hash of its path.
    pub(super) fn create(&mut self, worker: WorkerId, origin: Origin) -> u64 {
        let path = match origin.parent {
            None => 0,
            Some(parent) => {
                let parent = &mut self.workers[parent.0 as usize];
                parent.children += 1;
                mix(parent.path ^ mix(u64::from(parent.children)))
            }
        };
        debug_assert_eq!(worker.0 as usize, self.workers.len());
        self.workers.push(Worker {
            path,
            ..Worker::default()
        });
        path
    }

    /// A worker can run, or cannot.
    #[inline]
    pub(super) fn set_enabled(&mut self, worker: WorkerId, is_enabled: bool) {
        let worker = &mut self.workers[worker.0 as usize];
        let does = worker.pending.numbers << 1 | u64::from(is_enabled);
        let term = mix(worker.path.wrapping_add(does));
        self.sum = self.sum.wrapping_sub(worker.term).wrapping_add(term);
        worker.term = term;
    }

    /// A step has been carried out.
    #[inline]
    pub(super) fn step(&mut self, executed: &Executed) {
        let [(object, _), (also, _)] = executed.action.accesses();
        let again = match executed.next {
            Next::Waits(next) => next.operation == executed.action.operation,
            _ => false,
        };
        // A worker that waits for the same thing again was woken in vain.
        let index = executed.worker.0 as usize;
        let known = self.workers[index].pending;
        if !object.is_none() && !again {
            let number = match known.number_of(object) {
                Some(number) => number,
                None => self.number(object),
            };
            let before = self.states[number].state;
            let after = self.after(executed, before);
            self.set(number, after);
        }
        if !also.is_none() {
            // A mutex that is released.
            let number = self.number(also);
            self.set(number, 0);
        }
        self.workers[index].pending = match executed.next {
            Next::Goes(action) | Next::Waits(action) => self.pending(&action, known),
            Next::Ends => Pending::default(),
        };
        self.set_enabled(executed.worker, matches!(executed.next, Next::Goes(_)));
    }

    /// The value of an object after a step; 0 for its first value.
    #[inline]
    fn after(&mut self, executed: &Executed, before: u64) -> u64 {
        use Operation as O;
        let action = &executed.action;
        if executed.outcome == Outcome::Refused {
            return before;
        }
        if let Some(written) = executed.written {
            return match written {
                Value::Pointer(0) => 1,
                // Addresses differ from iteration to iteration.
                Value::Pointer(address) => 2 + self.number(ObjectId::of_key(address)) as u64,
                Value::Bool(value) => 1 + u64::from(value),
                Value::Unsigned(value) | Value::Signed(value) => value.wrapping_add(1),
            };
        }
        match action.operation {
            O::Unlock | O::WriteUnlock | O::Park => 0,
            O::Send | O::TrySend | O::Read | O::TryRead => before.wrapping_add(1),
            O::Recv | O::TryRecv | O::RecvTimeout | O::ReadUnlock => before.wrapping_sub(1),
            O::Disconnect => before.wrapping_add(1 << 32),
            O::Lock | O::TryLock | O::Write | O::TryWrite => u64::MAX,
            O::Unpark | O::End | O::OnceDone => 1,
            O::Store | O::PlainStore | O::Custom => 1 + self.site(action),
            operation if operation.updates_atomic() => 1 + self.site(action),
            _ => before,
        }
    }

    #[inline]
    fn set(&mut self, number: usize, state: u64) {
        let object = &mut self.states[number];
        if object.state != state {
            let term = if state == 0 {
                0
            } else {
                mix(object.salt ^ state)
            };
            self.sum = self.sum.wrapping_sub(object.term).wrapping_add(term);
            (object.state, object.term) = (state, term);
        }
    }

    /// Numbers an action, of which it is known what the worker's last one was.
    #[inline]
    fn pending(&mut self, action: &Action, known: Pending) -> Pending {
        let [(object, _), _] = action.accesses();
        let key = key(action);
        if (key, object) == (known.key, known.object) {
            return known;
        }
        let number = if object.is_none() {
            0
        } else {
            1 + self.number(object) as u64
        };
        Pending {
            key,
            object,
            numbers: number << 32 | self.site(action),
        }
    }

    /// Numbers an operation at a site.
    #[inline]
    fn site(&mut self, action: &Action) -> u64 {
        let number = self.sites.number_up_to(key(action), MOST_SITES);
        u64::from(number.unwrap_or(MOST_SITES))
    }

    #[inline]
    fn number(&mut self, object: ObjectId) -> usize {
        let number = self.objects.number(object.key()) as usize;
        if number == self.states.len() {
            self.states.push(Object {
                salt: mix(!(number as u64)),
                state: 0,
                term: 0,
            });
        }
        number
    }
}

#[inline]
fn key(action: &Action) -> u64 {
    let site = std::ptr::from_ref(action.site) as u64;
    site << 8 | action.operation as u64
}

#[cfg(test)]
mod tests {
    use super::super::super::ChainId;
    use super::*;
    use crate::trace::WorkerKind;
    use std::panic::Location;

    fn action(operation: Operation, object: usize) -> Action {
        Action {
            operation,
            object: ObjectId::sample(object),
            also: ObjectId::NONE,
            site: Location::caller(),
        }
    }

    /// A fingerprint of some workers that have made these steps.
    fn after(steps: &[(u32, Operation, usize, Option<Value>)]) -> u64 {
        let mut fingerprint = Fingerprint::new();
        for worker in 0..3 {
            let origin = Origin {
                parent: (worker > 0).then_some(WorkerId(0)),
                chain: ChainId(worker),
                kind: WorkerKind::Thread,
            };
            fingerprint.create(WorkerId(worker), origin);
            fingerprint.set_enabled(WorkerId(worker), true);
        }
        // Objects are numbered in one order.
        fingerprint.number(ObjectId::sample(8));
        fingerprint.number(ObjectId::sample(16));
        for &(worker, operation, object, written) in steps {
            fingerprint.step(&Executed {
                step: 0,
                worker: WorkerId(worker),
                action: action(operation, object),
                outcome: Outcome::Done,
                read: None,
                written,
                resumed: false,
                next: Next::Goes(action(Operation::Load, 8)),
            });
        }
        fingerprint.of(0)
    }

    #[test]
    fn what_comes_to_the_same_is_one_state() {
        use Operation::{FetchAdd, Lock, Recv, Send, Unlock};
        let one = Some(Value::Unsigned(1));
        let two = Some(Value::Unsigned(2));
        let plain = after(&[(1, Operation::Load, 8, None), (2, Operation::Load, 8, None)]);
        let held = after(&[(1, Lock, 8, None), (2, Operation::Load, 8, None)]);
        let freed = after(&[(1, Lock, 8, None), (2, Unlock, 8, None)]);
        assert_eq!(freed, plain);
        assert_ne!(held, plain);
        let emptied = after(&[(1, Send, 8, None), (2, Recv, 8, None)]);
        assert_eq!(emptied, plain);
        let added = [(1, FetchAdd, 8, one), (2, FetchAdd, 8, two)];
        let swapped = [(2, FetchAdd, 8, one), (1, FetchAdd, 8, two)];
        assert_eq!(after(&added), after(&swapped));
        assert_ne!(after(&added), after(&[added[1], added[0]]));
        assert_ne!(after(&added), plain);
    }

    #[test]
    fn objects_and_workers_are_told_apart() {
        let one = Some(Value::Unsigned(1));
        let step = |worker, object| after(&[(worker, Operation::Store, object, one)]);
        assert_ne!(step(1, 8), step(1, 16));
        assert_ne!(step(1, 8), step(2, 8));
    }

    #[test]
    fn what_the_program_says_counts() {
        let fingerprint = Fingerprint::new();
        assert_ne!(fingerprint.of(1), fingerprint.of(2));
    }
}
