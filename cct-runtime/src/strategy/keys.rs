//! Key points: the places where workers touch what they share.

use super::{Action, FirstUse, WorkerId};
use crate::object::ObjectId;
use crate::operation::{Access, Operation};

/// The places where workers touch what they share, as far as executions have shown.
///
/// A place is a site with an operation, since addresses are others in other executions. Memory: 16 bytes
/// for each step of the longest iteration, and for each place.
#[derive(Debug, Default)]
pub(super) struct Keys {
    places: FirstUse,
    /// The objects of the iteration under way, by number.
    objects: FirstUse,
    uses: Vec<Use>,
    /// The visits of the iteration under way: object, worker and place.
    log: Vec<(u32, WorkerId, Place)>,
    /// By worker: the locks that it holds.
    held: Vec<Vec<ObjectId>>,
    /// The workers that have ever been at a key point, sorted.
    workers: Vec<u32>,
}

/// The site's address with the operation's code in front: addresses have 47 bits.
type Place = u64;

/// The uses of an object.
#[derive(Clone, Default, Debug)]
struct Use {
    worker: Option<WorkerId>,
    is_shared: bool,
    is_changed: bool,
    /// Somebody tried to lock it, and may have seen that it was taken.
    is_tried: bool,
    /// The locks that were held at each access.
    guards: Vec<ObjectId>,
}

impl Keys {
    /// An iteration begins.
    pub(super) fn begin(&mut self) {
        self.objects.clear();
        self.uses.clear();
        self.log.clear();
        self.held.iter_mut().for_each(Vec::clear);
    }

    /// True if the action is at a key point.
    pub(super) fn contains(&self, action: &Action) -> bool {
        self.places.find(place(action)).is_some()
    }

    /// The workers that have key points, in order of creation.
    pub(super) fn workers(&self) -> &[u32] {
        &self.workers
    }

    /// The worker carries out the action.
    pub(super) fn note(&mut self, worker: WorkerId, action: &Action) {
        let index = worker.0 as usize;
        if self.held.len() <= index {
            self.held.resize(index + 1, Vec::new());
        }
        if !can_be_key(action.operation) {
            return;
        }
        for (object, access) in action.accesses() {
            if object.is_none() {
                continue;
            }
            let number = self.objects.number(object.key());
            self.log.push((number, worker, place(action)));
            let held = &self.held[index];
            if number as usize == self.uses.len() {
                self.uses.push(Use {
                    guards: held.clone(),
                    ..Use::default()
                });
            }
            let seen = &mut self.uses[number as usize];
            seen.is_shared |= *seen.worker.get_or_insert(worker) != worker;
            seen.is_changed |= access != Access::Reads;
            seen.is_tried |= action.operation.tries_lock();
            seen.guards.retain(|lock| held.contains(lock));
        }
        let held = &mut self.held[index];
        if action.operation.takes_lock() && !held.contains(&action.object) {
            held.push(action.object);
        } else if action.operation.releases() {
            held.retain(|&lock| lock != action.object);
        }
    }

    /// The iteration has ended: learns from it.
    pub(super) fn end(&mut self) {
        for &(number, worker, place) in &self.log {
            let seen = &self.uses[number as usize];
            let is_release =
                Operation::from_code((place >> 56) as u8).is_some_and(Operation::releases);
            if !seen.is_shared
                || !seen.is_changed
                || !seen.guards.is_empty()
                || (is_release && !seen.is_tried)
            {
                continue;
            }
            self.places.number(place);
            if let Err(index) = self.workers.binary_search(&worker.0) {
                self.workers.insert(index, worker.0);
            }
        }
    }
}

fn place(action: &Action) -> Place {
    let site = std::ptr::from_ref(action.site) as u64;
    site | (action.operation as u64) << 56
}

/// Workers come and go, wait for each other's end and for time, in every plan at the same places.
fn can_be_key(operation: Operation) -> bool {
    !operation.is_of_workers() && !operation.gives_way()
}
