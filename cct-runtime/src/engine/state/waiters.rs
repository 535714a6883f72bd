//! The waiters of objects: a hash table of chains through the workers themselves.

use std::ptr::null_mut;

use super::worker::Worker;
use crate::object::ObjectId;

const BUCKETS: usize = 256;

/// The waiting workers by object.
#[derive(Debug)]
pub(crate) struct Waiters {
    buckets: Box<[*mut Worker; BUCKETS]>,
    count: usize,
}

impl Default for Waiters {
    fn default() -> Self {
        Waiters {
            buckets: Box::new([null_mut(); BUCKETS]),
            count: 0,
        }
    }
}

fn bucket(object: ObjectId) -> usize {
    let hash = (object.key() >> 2).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (hash >> (u64::BITS - BUCKETS.trailing_zeros())) as usize
}

impl Waiters {
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn clear(&mut self) {
        if self.count > 0 {
            self.buckets.fill(null_mut());
            self.count = 0;
        }
    }

    /// Adds a worker that waits for its `object`.
    ///
    /// # Safety
    ///
    /// `worker` must be live and in no chain, and stay live until it is taken out.
    pub(crate) unsafe fn insert(&mut self, worker: *mut Worker) {
        // SAFETY: as said above; members of chains are live.
        unsafe {
            let mut link = &raw mut self.buckets[bucket((*worker).object)];
            while !(*link).is_null() {
                link = &raw mut (**link).next_waiter;
            }
            (*worker).next_waiter = null_mut();
            *link = worker;
        }
        self.count += 1;
    }

    /// Takes out the first worker that waits for `object` and of whom this holds, by order of waiting.
    pub(crate) fn take_first_of(
        &mut self,
        object: ObjectId,
        wanted: impl Fn(*mut Worker) -> bool,
    ) -> Option<*mut Worker> {
        // SAFETY: members of chains are live.
        unsafe {
            self.unlink(object, |worker| {
                (*worker).object == object && wanted(worker)
            })
        }
    }

    /// Takes out this worker.
    pub(crate) fn take(&mut self, worker: *mut Worker) {
        // SAFETY: a member is live.
        unsafe { self.unlink((*worker).object, |other| other == worker) };
    }

    /// The number of workers that wait for `object`.
    pub(crate) fn count(&self, object: ObjectId) -> usize {
        self.chain(object).count()
    }

    /// The `index`-th worker that waits for `object`, by order of waiting.
    pub(crate) fn nth(&self, object: ObjectId, index: usize) -> *mut Worker {
        self.chain(object).nth(index).unwrap_or(null_mut())
    }

    fn chain(&self, object: ObjectId) -> impl Iterator<Item = *mut Worker> {
        let mut next = self.buckets[bucket(object)];
        std::iter::from_fn(move || {
            while !next.is_null() {
                let worker = next;
                // SAFETY: members of chains are live.
                unsafe {
                    next = (*worker).next_waiter;
                    if (*worker).object == object {
                        return Some(worker);
                    }
                }
            }
            None
        })
    }

    /// Takes out the first worker in the chain of `object` that is wanted.
    ///
    /// # Safety
    ///
    /// All members of chains are live.
    unsafe fn unlink(
        &mut self,
        object: ObjectId,
        wanted: impl Fn(*mut Worker) -> bool,
    ) -> Option<*mut Worker> {
        // SAFETY: members of chains are live.
        unsafe {
            let mut link = &raw mut self.buckets[bucket(object)];
            while !(*link).is_null() {
                let worker = *link;
                if wanted(worker) {
                    *link = (*worker).next_waiter;
                    (*worker).next_waiter = null_mut();
                    self.count -= 1;
                    return Some(worker);
                }
                link = &raw mut (*worker).next_waiter;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::*;
    use crate::engine::state::roster::Roster;
    use crate::engine::switch::Stack;

    #[test]
    fn waiters_leave_in_order_of_waiting_whatever_shares_their_bucket() {
        let mut roster = Roster::default();
        // More objects than buckets: some chains have waiters of several.
        let objects: Vec<ObjectId> = (1..=3 * BUCKETS).map(ObjectId::sample).collect();
        let mut waiters = Waiters::default();
        let mut waiting = Vec::new();
        for &object in objects.iter().chain(&objects) {
            let worker = roster.add(|id| Worker::new(id, Stack::NONE, Location::caller()));
            // SAFETY: the worker was just made, and the roster outlives the table.
            unsafe {
                (*worker).object = object;
                waiters.insert(worker);
            }
            waiting.push(worker);
        }
        let (first, second) = waiting.split_at(objects.len());
        for (index, &object) in objects.iter().enumerate() {
            assert_eq!(waiters.count(object), 2);
            assert_eq!(waiters.nth(object, 1), second[index]);
            let mut take_first = || waiters.take_first_of(object, |_| true);
            assert_eq!(take_first(), Some(first[index]));
            if index % 2 == 0 {
                waiters.take(second[index]);
            } else {
                assert_eq!(take_first(), Some(second[index]));
            }
            assert_eq!(waiters.take_first_of(object, |_| true), None);
        }
        assert!(waiters.is_empty());
    }
}
