//! The accesses to plain memory, of which compiled code tells, and the races among them.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::memory::arena;
use crate::race::{Detector, ThreadNumber};
use crate::strategy::WorkerId;

/// True once somebody looks for races in this process: a word, for those who would have something to tell.
pub(crate) static ARE_LOOKED_FOR: AtomicBool = AtomicBool::new(false);

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
    /// Where these begin and end.
    extent: Range<usize>,
    /// Where the stacks of threads are.
    stacks: Range<usize>,
    /// The threads, by their numbers in clocks.
    threads: Vec<WorkerId>,
}

impl Races {
    /// Looks at these statics, which are in order, and at these stacks. None if there is no address space for
    /// it.
    pub(crate) fn new(statics: Vec<(usize, usize)>, stacks: Range<usize>) -> Option<Races> {
        let detector = Detector::new()?;
        ARE_LOOKED_FOR.store(true, Relaxed);
        Some(Races {
            detector,
            is_hushed: false,
            has_outsiders: false,
            extent: statics.first().map_or(0, |first| first.0)
                ..statics.last().map_or(0, |last| last.0 + last.1),
            statics,
            stacks,
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

    /// True for memory that is the program's own: of the iteration's heap, a stack, or a static. Other memory
    /// is the engine's, or the system's.
    pub(crate) fn concerns(&self, address: usize) -> bool {
        self.may_concern(address) && (!self.extent.contains(&address) || self.is_static(address))
    }

    /// The same, but for the gaps between statics.
    #[inline]
    pub(crate) fn may_concern(&self, address: usize) -> bool {
        arena::contains(address as *mut u8)
            || self.stacks.contains(&address)
            || self.extent.contains(&address)
    }

    fn is_static(&self, address: usize) -> bool {
        let after = self.statics.partition_point(|&(start, _)| start <= address);
        let last = after.checked_sub(1).map(|index| self.statics[index]);
        last.is_some_and(|(start, size)| address - start < size)
    }
}
