//! The objects of operations: one number for each thing that a step can be about.
//!
//! Steps of different workers matter to each other only through objects that they have in common, so no two
//! kinds of object may ever share a number. Things in memory have their address. A part of one
//! of them, or of a worker, has a tag above the highest address; a single thing has a number below the
//! lowest.

use crate::strategy::WorkerId;

/// An object of operations, or [none](ObjectId::NONE).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct ObjectId(usize);

/// Addresses begin here: the first page is never mapped.
const FIRST_ADDRESS: usize = 4096;
/// The memory of a process ends here.
const END_OF_MEMORY: usize = 1 << 47;
/// Where the tag begins.
const TAG: u32 = 48;
/// The steps of workers, which need more room than a tag leaves.
const STEPS: usize = 1 << 63;

macro_rules! single_objects {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "they are named as constants")]
        enum Single { $($name,)* }

        impl ObjectId {
            $($(#[$doc])* pub const $name: ObjectId = ObjectId(Single::$name as usize);)*

            #[cfg(test)]
            const SINGLE: &[ObjectId] = &[$(ObjectId::$name,)*];
        }

        const _: () = assert!([$(Single::$name as usize,)*].len() < FIRST_ADDRESS);
    };
}

single_objects! {
    /// Nothing: the operation is about no object.
    NONE,
    /// The numbering of workers, which is in order of creation: every spawn changes it.
    WORKERS,
    /// The virtual clock, which each reading of it moves.
    CLOCK,
    /// The row in which random bytes come.
    RANDOM_BYTES,
    /// The monitors, which see the order of events.
    MONITORS,
    /// The conditions that are evaluated after each step: they can tell the order of any two changes.
    CONDITIONS,
    /// The threads that poll tasks, and the tasks that can go on: the beginning and the end of a poll change
    /// it.
    POLLS,
    /// The iteration: a step that ends it while others could go on is dependent on all others.
    ITERATION,
    /// The test's panic hook, where the panics of all workers go.
    PANIC_HOOK,
    /// The children of the process, for workers that wait for any of them.
    CHILDREN,
    /// The signals that were sent to the process or one of its threads, and wait.
    SIGNALS,
    /// All values without a size: the compiler may put each of them anywhere.
    UNSIZED,
    /// An operation that has succeeded; the same one is then no repetition of it, whatever it is about.
    SUCCEEDED,
    /// The kernel: what one worker hands to it by a descriptor, others may get from it.
    KERNEL,
}

macro_rules! kinds {
    ($($kind:ident,)*) => {
        /// The kinds of which there are several, by tag.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        enum Kind { $($kind,)* }

        const KINDS: &[Kind] = &[$(Kind::$kind,)*];
    };
}

kinds! {
    Memory, Poison, Senders, Writers, End, Park, Sleep, Pause, Descriptor,
}

// Strategies keep two bits below an object, and one in the highest place.
const _: () = assert!(KINDS.len() <= 1 << (61 - TAG));

impl ObjectId {
    /// The thing in memory at this address: an atomic, a lock, a channel, a futex word, a variable. Things
    /// at one address are one object.
    #[inline]
    pub const fn at(address: usize) -> ObjectId {
        debug_assert!(FIRST_ADDRESS <= address && address < END_OF_MEMORY);
        ObjectId(address)
    }

    /// This thing in memory.
    #[inline]
    pub fn of<T: ?Sized>(thing: &T) -> ObjectId {
        let address = std::ptr::from_ref(thing).cast::<()>().addr();
        if size_of_val(thing) == 0 && address < FIRST_ADDRESS {
            return ObjectId::UNSIZED;
        }
        ObjectId::at(address)
    }

    /// The poison flag of a lock: the step that gives the lock back does not look at it.
    #[inline]
    pub const fn poison_of(lock: ObjectId) -> ObjectId {
        lock.part(Kind::Poison)
    }

    /// The order in which the senders of a channel go; nobody waits for it.
    #[inline]
    pub const fn senders_of(channel: ObjectId) -> ObjectId {
        channel.part(Kind::Senders)
    }

    /// The workers that wait to write to the data of a reader-writer lock.
    #[inline]
    pub const fn writers_of(lock: ObjectId) -> ObjectId {
        lock.part(Kind::Writers)
    }

    /// The end of a worker.
    #[inline]
    pub const fn end_of(worker: WorkerId) -> ObjectId {
        ObjectId::tagged(Kind::End, worker.0 as usize)
    }

    /// The park token of a worker.
    #[inline]
    pub const fn park_of(worker: WorkerId) -> ObjectId {
        ObjectId::tagged(Kind::Park, worker.0 as usize)
    }

    /// The sleep of a worker, which nobody ends.
    #[inline]
    pub const fn sleep_of(worker: WorkerId) -> ObjectId {
        ObjectId::tagged(Kind::Sleep, worker.0 as usize)
    }

    /// The pause of a worker until its condition holds.
    #[inline]
    pub const fn pause_of(worker: WorkerId) -> ObjectId {
        ObjectId::tagged(Kind::Pause, worker.0 as usize)
    }

    /// The open file that descriptors stand for, by order of creation.
    #[inline]
    pub const fn descriptor(serial: u32) -> ObjectId {
        ObjectId::tagged(Kind::Descriptor, serial as usize)
    }

    /// The worker's step of this number: what it does depends on what the one before it did.
    #[inline]
    pub const fn step_of(worker: WorkerId, number: u32) -> ObjectId {
        ObjectId(STEPS | (worker.0 as usize) << 32 | number as usize)
    }

    /// True for [`ObjectId::NONE`].
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == ObjectId::NONE.0
    }

    /// The number by which records and tables know it; it can differ from process to process.
    #[inline]
    pub const fn key(self) -> u64 {
        self.0 as u64
    }

    /// The object that a record knows by this number.
    pub const fn of_key(key: u64) -> ObjectId {
        ObjectId(key as usize)
    }

    /// The address of the thing in memory that it is, or is part of.
    pub fn address(self) -> Option<usize> {
        let (tag, address) = (self.0 >> TAG, self.0 & ((1 << TAG) - 1));
        match KINDS.get(tag)? {
            Kind::Memory | Kind::Poison | Kind::Senders | Kind::Writers => {
                (address >= FIRST_ADDRESS).then_some(address)
            }
            Kind::End | Kind::Park | Kind::Sleep | Kind::Pause | Kind::Descriptor => None,
        }
    }

    const fn tagged(kind: Kind, number: usize) -> ObjectId {
        ObjectId((kind as usize) << TAG | number)
    }

    /// A part of the thing in memory.
    const fn part(self, kind: Kind) -> ObjectId {
        debug_assert!(FIRST_ADDRESS <= self.0 && self.0 < END_OF_MEMORY);
        ObjectId::tagged(kind, self.0)
    }

    /// One of some things in memory, by number; none for 0.
    #[cfg(test)]
    pub(crate) const fn sample(number: usize) -> ObjectId {
        match number {
            0 => ObjectId::NONE,
            number => ObjectId::at(number * FIRST_ADDRESS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends of the range of each constructor, by kind.
    fn ends() -> Vec<(String, [ObjectId; 2])> {
        let things = [FIRST_ADDRESS, END_OF_MEMORY - 1].map(ObjectId::at);
        let workers = [0, u32::MAX].map(WorkerId);
        // Workers are far fewer than half of their numbers.
        let steps = [(0, 0), (u32::MAX >> 1, u32::MAX)];
        let steps = steps.map(|(worker, number)| ObjectId::step_of(WorkerId(worker), number));
        let single = ObjectId::SINGLE
            .iter()
            .map(|&id| ("single".to_owned(), [id, id]));
        let tagged = KINDS.iter().map(|kind| {
            let ends = match kind {
                Kind::Memory => things,
                Kind::Poison => things.map(ObjectId::poison_of),
                Kind::Senders => things.map(ObjectId::senders_of),
                Kind::Writers => things.map(ObjectId::writers_of),
                Kind::End => workers.map(ObjectId::end_of),
                Kind::Park => workers.map(ObjectId::park_of),
                Kind::Sleep => workers.map(ObjectId::sleep_of),
                Kind::Pause => workers.map(ObjectId::pause_of),
                Kind::Descriptor => [0, u32::MAX].map(ObjectId::descriptor),
            };
            (format!("{kind:?}"), ends)
        });
        single
            .chain(tagged)
            .chain([("step".to_owned(), steps)])
            .collect()
    }

    #[test]
    fn no_two_kinds_share_a_number() {
        let mut ends = ends();
        ends.sort_by_key(|&(_, [first, _])| first);
        for (name, [first, last]) in &ends {
            assert!(first <= last, "{name} is no range");
        }
        for pair in ends.windows(2) {
            let ((one, [_, last]), (other, [first, _])) = (&pair[0], &pair[1]);
            assert!(last < first, "{one} reaches into {other}");
        }
    }

    #[test]
    fn parts_of_a_thing_have_its_address() {
        let thing = ObjectId::at(0x7FFF_0000_1000);
        for part in [
            ObjectId::poison_of,
            ObjectId::senders_of,
            ObjectId::writers_of,
        ] {
            assert_eq!(part(thing).address(), Some(0x7FFF_0000_1000));
            assert_eq!(ObjectId::of_key(part(thing).key()), part(thing));
        }
        assert_eq!(thing.address(), Some(0x7FFF_0000_1000));
        for other in [
            ObjectId::NONE,
            ObjectId::POLLS,
            ObjectId::end_of(WorkerId(1 << 20)),
        ] {
            assert_eq!(other.address(), None);
        }
    }

    #[test]
    fn values_without_a_size_are_one_object_and_no_other_ones() {
        let nothing: [u64; 0] = [];
        assert_eq!(ObjectId::of(&()), ObjectId::UNSIZED);
        assert_eq!(ObjectId::of(&*Box::new(nothing)), ObjectId::UNSIZED);
        assert_eq!(ObjectId::of::<[u64]>(&[]), ObjectId::UNSIZED);
        let word = 0_u64;
        assert_eq!(
            ObjectId::of(&word).address(),
            Some((&raw const word).addr())
        );
    }
}
