//! The order of accesses to memory: the races among those of which compiled code tells, and the stores that
//! loads of atomics may read where memory is weak.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use super::calls::Calls;
use crate::memory::{arena, mappings};
use crate::race::known::{self, BEAT};
use crate::race::{Detector, ThreadNumber};
use crate::strategy::{Rng, WorkerId, derive};
use crate::trace::Schedule;

/// The number, among those that follow from an iteration's seed, for the stores that loads read.
const STALE: u64 = 7;

/// True once somebody looks for races in this process: a word, for those who would have something to tell.
pub(crate) static ARE_LOOKED_FOR: AtomicBool = AtomicBool::new(false);
/// An access to plain memory that is fewer than so many bytes above the stack pointer is none that anybody
/// looks at, at the moment.
pub static UNSEEN: AtomicUsize = AtomicUsize::new(EVERYWHERE);
/// Nobody looks for races.
const EVERYWHERE: usize = usize::MAX;
/// Threads' own stacks are left out, or there is one thread: all that it does before it makes another one is
/// before whatever that does, and only what has been freed is of interest. Above a stack, a page is not
/// accessible, and the next one ends where few threads come to.
const ON_THE_STACK: usize = 64 << 10;

/// Nobody looks from here on, until the next iteration.
pub(crate) fn look_at_nothing() {
    UNSEEN.store(EVERYWHERE, Relaxed);
}

/// An access that is fewer than so many bytes above the stack pointer is its function's own.
const OF_THE_FUNCTION: usize = 512;

/// Accesses of threads that nobody controls are looked at from here on, in this process.
pub(crate) fn see_natively() {
    known::own([0..usize::MAX, 0..0, 0..0]);
    UNSEEN.store(OF_THE_FUNCTION, Relaxed);
}

/// Releases and acquires of threads that nobody controls are told from here on, in this process.
pub(crate) fn hear_of_order() {
    ARE_LOOKED_FOR.store(true, Relaxed);
}

/// The pieces of stacks that these bytes are of, as [`Schedule::shared_stacks`] has them.
#[inline]
pub(crate) fn pieces_of_stacks(address: usize, size: usize) -> u64 {
    let (first, last) = (address >> 8, (address + size.max(1) - 1) >> 8);
    let bit = |piece: usize| 1 << (piece % 64);
    match last - first {
        0 => bit(first),
        1..64 => (first..=last).fold(0, |bits, piece| bits | bit(piece)),
        _ => u64::MAX,
    }
}

/// So many signs of life without a step are as many accesses as a program makes in ten seconds, where nobody
/// looks at them.
const ENOUGH: u32 = (1 << 30) / BEAT;

/// True if compiled code tells of its accesses to memory.
static IS_SEEN: AtomicBool = AtomicBool::new(false);

/// Compiled code of this process tells of its accesses to memory.
pub(crate) fn see_memory() {
    IS_SEEN.store(true, Relaxed);
}

/// True if it does, so that races can be looked for.
pub(crate) fn memory_is_seen() -> bool {
    IS_SEEN.load(Relaxed)
}

/// Which accesses to memory are looked at, of those that compiled code tells of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an aim of its own")]
pub(crate) struct Aims {
    /// Any at all.
    pub(crate) at_memory: bool,
    /// Whether they race.
    pub(crate) for_races: bool,
    /// Whether calls of functions that are not thread-safe do.
    pub(crate) for_calls: bool,
    /// Some of them are scheduling points.
    pub(crate) for_points: bool,
}

/// Keeps order in each iteration.
#[derive(Debug)]
pub(crate) struct Races {
    pub(crate) detector: Detector,
    pub(crate) aims: Aims,
    pub(crate) weak: Weak,
    /// The value of [`UNSEEN`] in this iteration, once there are several threads.
    unseen: usize,
    /// See [`Schedule::shared_stacks`].
    shared: u64,
    /// Where a thread has accessed the stack of another one, likewise.
    pub(crate) found_shared: u64,
    /// See [`Schedule::race_at`].
    told_at: u64,
    /// Set while code of the shims looks after something that they share, on the current worker.
    pub(crate) is_hushed: bool,
    /// There are threads of which nothing is seen: whoever meets one may have met all others.
    pub(crate) has_outsiders: bool,
    /// How many signs of life there were since that many steps.
    beats: u32,
    beats_since: u32,
    /// Where the program's statics are, and their sizes in bytes, in order.
    statics: Vec<(usize, usize)>,
    /// Where these begin and end.
    extent: Range<usize>,
    /// Where the stacks of threads are.
    stacks: Range<usize>,
    /// Such functions go about things at addresses.
    pub(crate) has_things: bool,
    /// Calls of functions that are not thread-safe.
    pub(crate) calls: Calls,
    /// The threads, by their numbers in clocks.
    threads: Vec<WorkerId>,
}

impl Races {
    /// Looks at these statics, which are in order, and at these stacks, if at memory at all. None if there is
    /// no address space for it.
    pub(crate) fn new(
        statics: Vec<(usize, usize)>,
        stacks: Range<usize>,
        aims: Aims,
    ) -> Option<Races> {
        let detector = Detector::new()?;
        ARE_LOOKED_FOR.store(true, Relaxed);
        Some(Races {
            detector,
            aims,
            weak: Weak::begin(&Schedule::default(), false),
            unseen: EVERYWHERE,
            shared: 0,
            found_shared: 0,
            told_at: 0,
            beats: 0,
            beats_since: 0,
            is_hushed: false,
            has_outsiders: false,
            extent: statics.first().map_or(0, |first| first.0)
                ..statics.last().map_or(0, |last| last.0 + last.1),
            statics,
            stacks,
            has_things: false,
            calls: Calls::default(),
            threads: Vec::new(),
        })
    }

    /// A new iteration begins, with one thread, of a strategy that `makes_all` choices of stores, or not.
    pub(crate) fn begin(&mut self, head: &Schedule, makes_all: bool) {
        self.detector.begin();
        known::own([heap(), self.extent.clone(), self.stacks.clone()]);
        self.weak = Weak::begin(head, makes_all);
        self.unseen = match head.shared_stacks {
            _ if !self.aims.at_memory => EVERYWHERE,
            0 => ON_THE_STACK,
            _ => 0,
        };
        (self.shared, self.found_shared) = (head.shared_stacks, 0);
        self.told_at = head.race_at;
        self.beats = 0;
        self.is_hushed = false;
        self.threads.clear();
        self.has_things = false;
        self.calls.begin();
        self.look_from_here();
    }

    /// Accesses are looked at as long as there is one thread.
    fn look_from_here(&self) {
        UNSEEN.store(self.unseen.max(ON_THE_STACK), Relaxed);
    }

    /// There was one thread only while nobody looked: all that it did is before whatever comes, and nobody
    /// need know of it.
    pub(crate) fn begin_anew(&mut self) {
        self.detector.begin();
        self.look_from_here();
    }

    /// There is something to do in this iteration.
    pub(crate) fn is_on(&self) -> bool {
        self.aims.at_memory || self.weak.staleness > 0
    }

    /// The program has memory of its own from here on, which may be a stack: above the stack pointer there is
    /// memory of others, soon.
    #[cold]
    pub(crate) fn mapped(&mut self) {
        if self.unseen == ON_THE_STACK {
            self.unseen = 0;
            if self.threads.len() > 1 {
                UNSEEN.store(0, Relaxed);
            }
        }
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
        if number > 0 {
            UNSEEN.store(self.unseen, Relaxed);
        }
        number
    }

    /// True if a thread's access to its own stack is looked at there.
    #[inline]
    pub(crate) fn are_shared(&self, address: usize, size: usize) -> bool {
        self.shared != 0 && self.shared & pieces_of_stacks(address, size) != 0
    }

    /// An access is looked at, after so many steps. True if it is time for a sign of life: work on memory
    /// takes longer when it is looked at, and a loop that waits for memory is not to go on for ever.
    #[inline]
    pub(crate) fn shows_life(&mut self, steps: u32) -> bool {
        known::is_time_for_a_beat() && self.is_at_work(steps)
    }

    #[cold]
    fn is_at_work(&mut self, steps: u32) -> bool {
        if self.beats_since != steps {
            (self.beats, self.beats_since) = (0, steps);
        }
        self.beats += 1;
        self.beats < ENOUGH
    }

    /// True if a record tells accesses to the eight bytes around this address.
    pub(crate) fn tells(&self, address: usize) -> bool {
        self.told_at == Schedule::ANYWHERE || (self.told_at ^ address as u64) < 8
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
            || mappings::contains(address)
    }

    /// True for an address on the stack of a thread.
    #[inline]
    pub(crate) fn is_on_a_stack(&self, address: usize) -> bool {
        self.stacks.contains(&address)
    }

    /// True for an address in a static of the program.
    pub(crate) fn is_static(&self, address: usize) -> bool {
        let after = self.statics.partition_point(|&(start, _)| start <= address);
        let last = after.checked_sub(1).map(|index| self.statics[index]);
        last.is_some_and(|(start, size)| address - start < size)
    }
}

/// Where the program's heap and its mappings may be.
fn heap() -> Range<usize> {
    let (heap, mapped) = (arena::region(), mappings::region());
    let end = if mapped.start == heap.end {
        mapped.end
    } else {
        heap.end
    };
    heap.start..end
}

/// Weak memory of an iteration, as far as it is no matter of a single atomic.
#[derive(Debug)]
pub(crate) struct Weak {
    /// See [`Schedule::staleness`].
    pub(crate) staleness: u32,
    /// The strategy makes schedules for all stores that loads may read.
    makes_all: bool,
    /// Some of these were not among the choices.
    pub(crate) is_cut: bool,
    rng: Rng,
}

impl Weak {
    /// Of an iteration with this head, of a strategy that `makes_all` choices of stores, or not.
    fn begin(head: &Schedule, makes_all: bool) -> Weak {
        Weak {
            staleness: head.staleness,
            makes_all: makes_all && head.staleness == Schedule::ALL_STORES,
            is_cut: false,
            rng: Rng::new(derive(head.seed, STALE)),
        }
    }

    /// Weak orderings are left out for nothing but late stores.
    pub(crate) fn leaves_out_late_stores(&self) -> bool {
        self.makes_all && !self.is_cut
    }

    /// One of `n` stores that a load may read, from the latest on, at random.
    pub(crate) fn draw(&mut self, n: u32) -> u32 {
        if self.rng.below(Schedule::ALL_STORES) < self.staleness {
            1 + self.rng.below(n - 1)
        } else {
            0
        }
    }
}
