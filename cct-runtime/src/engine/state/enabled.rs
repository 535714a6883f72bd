//! The set of workers that can run: insert, remove, count and n-th in constant time.

use super::worker::Worker;

/// A worker that is not in the set.
const ABSENT: u32 = u32::MAX;

/// Where a worker stands in the set; part of the worker.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position(u32);

impl Position {
    pub(crate) const NOWHERE: Position = Position(ABSENT);

    pub(crate) fn is_enabled(self) -> bool {
        self.0 != ABSENT
    }
}

/// Workers in an order that follows from the insertions and removals so far.
#[derive(Debug, Default)]
pub(crate) struct Enabled {
    members: Vec<*mut Worker>,
}

impl Enabled {
    #[inline]
    pub(crate) fn members(&self) -> &[*mut Worker] {
        &self.members
    }

    /// # Safety
    ///
    /// All members must be live.
    pub(crate) unsafe fn clear(&mut self) {
        for worker in self.members.drain(..) {
            // SAFETY: members are live.
            unsafe { (*worker).position = Position::NOWHERE };
        }
    }

    /// # Safety
    ///
    /// `worker` must be live and not in the set.
    pub(crate) unsafe fn insert(&mut self, worker: *mut Worker) {
        // SAFETY: the caller says that it is live.
        unsafe { (*worker).position = Position(self.members.len() as u32) };
        self.members.push(worker);
    }

    /// # Safety
    ///
    /// `worker` must be live and in the set; so must be all other members.
    pub(crate) unsafe fn remove(&mut self, worker: *mut Worker) {
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
