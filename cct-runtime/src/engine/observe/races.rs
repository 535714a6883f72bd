//! The accesses to plain memory, of which compiled code tells, and the races among them.

use crate::memory::arena;
use crate::race::{Detector, ThreadNumber};
use crate::strategy::WorkerId;

/// Looks for races in each iteration.
#[derive(Debug)]
pub(crate) struct Races {
    pub(crate) detector: Detector,
    /// Set while code of the shims looks after something that they share, on the current worker.
    pub(crate) is_hushed: bool,
    /// There are threads of which nothing is seen: whoever meets one may have met all others.
    pub(crate) has_outsiders: bool,
    /// Where the program's statics are, and their sizes in bytes, in order.
    statics: Vec<(usize, usize)>,
    /// The threads, by their numbers in clocks.
    threads: Vec<WorkerId>,
}

impl Races {
    /// Looks also at these statics, which are in order. None if there is no address space for it.
    pub(crate) fn new(statics: Vec<(usize, usize)>) -> Option<Races> {
        Some(Races {
            detector: Detector::new()?,
            is_hushed: false,
            has_outsiders: false,
            statics,
            threads: Vec::new(),
        })
    }

    /// A new iteration begins, with one thread.
    pub(crate) fn begin(&mut self) {
        self.detector.begin();
        self.is_hushed = false;
        self.threads.clear();
    }

    /// A thread is made by the one with this number, or by nobody; returns its number.
    pub(crate) fn add_thread(
        &mut self,
        id: WorkerId,
        parent: Option<ThreadNumber>,
    ) -> ThreadNumber {
        let number = parent.map_or(0, |parent| self.detector.fork(parent));
        self.threads.truncate(usize::from(number));
        self.threads.push(id);
        number
    }

    /// The thread with this number.
    pub(crate) fn thread(&self, number: ThreadNumber) -> WorkerId {
        self.threads[usize::from(number)]
    }

    /// True for memory that is the program's own, stacks apart: of the iteration's heap, or a static. Other
    /// memory is the engine's, or the system's.
    pub(crate) fn concerns(&self, address: usize) -> bool {
        arena::contains(address as *mut u8) || self.is_static(address)
    }

    fn is_static(&self, address: usize) -> bool {
        let after = self.statics.partition_point(|&(start, _)| start <= address);
        let last = after.checked_sub(1).map(|index| self.statics[index]);
        last.is_some_and(|(start, size)| address - start < size)
    }
}
