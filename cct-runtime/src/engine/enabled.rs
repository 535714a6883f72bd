//! The set of workers that can run: insert, remove, count and n-th in constant time.

use super::worker::Worker;

/// A worker that is not in the set.
const ABSENT: u32 = u32::MAX;

/// Where a worker stands in the set; part of the worker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position(u32);

impl Position {
    pub(super) const NOWHERE: Position = Position(ABSENT);

    pub(super) fn is_enabled(self) -> bool {
        self.0 != ABSENT
    }
}

/// Workers in an order that follows from the insertions and removals so far.
#[derive(Debug, Default)]
pub(super) struct Enabled {
    members: Vec<*mut Worker>,
}

impl Enabled {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    #[inline]
    pub(super) fn members(&self) -> &[*mut Worker] {
        &self.members
    }

    /// # Safety
    ///
    /// All members must be live.
    pub(super) unsafe fn clear(&mut self) {
        for worker in self.members.drain(..) {
            // SAFETY: members are live.
            unsafe { (*worker).position = Position::NOWHERE };
        }
    }

    /// # Safety
    ///
    /// `worker` must be live and not in the set.
    pub(super) unsafe fn insert(&mut self, worker: *mut Worker) {
        // SAFETY: the caller says that it is live.
        unsafe { (*worker).position = Position(self.members.len() as u32) };
        self.members.push(worker);
    }

    /// # Safety
    ///
    /// `worker` must be live and in the set; so must be all other members.
    pub(super) unsafe fn remove(&mut self, worker: *mut Worker) {
        // SAFETY: members are live.
        unsafe {
            let index = (*worker).position.0;
            (*worker).position = Position::NOWHERE;
            self.members.swap_remove(index as usize);
            if let Some(&moved) = self.members.get(index as usize) {
                (*moved).position = Position(index);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::super::state::Engine;
    use super::*;
    use crate::strategy::Rng;

    #[test]
    fn members_know_where_they_are() {
        let mut engine = Engine::private();
        for _ in 0..20 {
            engine
                .add_worker(None, None, Location::caller(), Box::new(|| {}))
                .expect("a stack");
        }
        let workers = engine.live_workers().to_vec();
        let mut rng = Rng::new(1);
        for _ in 0..1000 {
            let worker = workers[rng.below(20) as usize];
            // SAFETY: the engine's workers are live, and the set is told what it holds.
            unsafe {
                if (*worker).position.is_enabled() {
                    engine.enabled.remove(worker);
                } else {
                    engine.enabled.insert(worker);
                }
            }
            let is_member = |worker: &*mut Worker| engine.enabled.members().contains(worker);
            // SAFETY: as above.
            let is_enabled = |worker: &*mut Worker| unsafe { (**worker).position.is_enabled() };
            assert!(
                workers
                    .iter()
                    .all(|worker| is_member(worker) == is_enabled(worker))
            );
        }
        assert!(engine.enabled.len() > 0, "some are left");
        // SAFETY: as above.
        unsafe { engine.enabled.clear() };
        // SAFETY: as above.
        let is_enabled = |worker: &*mut Worker| unsafe { (**worker).position.is_enabled() };
        assert!(!workers.iter().any(is_enabled));
    }
}
