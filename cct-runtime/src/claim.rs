//! Names what a run could not see, for claims that all was explored.
//!
//! Kept here: the exceptions and sets of them. The engine and the shims note those that show at run time,
//! iteration by iteration; the tool adds what only the build can tell, and makes the claim.

use crate::codec::Wire;

macro_rules! exceptions {
    ($($(#[$doc:meta])* $variant:ident $name:literal $about:ident,)*) => {
        /// Something that a claim leaves out. docs/claims.md explains each.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Exception { $($(#[$doc])* $variant,)* }

        impl Exception {
            /// Every exception, in the order in which they are named.
            pub const ALL: &[Exception] = &[$(Exception::$variant,)*];

            /// The name, for people and programs.
            pub const fn name(self) -> &'static str {
                match self { $(Exception::$variant => $name,)* }
            }

            const fn about(self) -> About {
                match self { $(Exception::$variant => About::$about,)* }
            }
        }
    };
}

exceptions! {
    /// A wait with a time-out ended by it only when nobody could run.
    TimeOuts "time-outs" Order,
    /// A sleep ended only when nobody could run.
    Sleeps "sleeps" Order,
    /// A clock was read, which shows what follows from the schedule.
    Clocks "clocks" Input,
    /// The counts of `Arc` and `Weak` are no steps.
    ReferenceCounts "reference counts" Order,
    /// Accesses to memory that is no atomic and no lock are no steps, and blocks have one address.
    PlainMemory "plain memory" Order,
    /// Inline assembly accesses memory by itself, which nobody sees.
    InlineAssembly "inline assembly" Order,
    /// Orderings weaker than `SeqCst` are as strong.
    WeakOrderings "weak orderings" Order,
    /// Memory was weak, but for stores that are seen before their time: see docs/weak-memory.md.
    LateStores "late stores" Order,
    /// A weak compare-exchange fails only when the values differ.
    SpuriousFailures "spurious failures" Order,
    /// A wait that may end without a reason never does.
    SpuriousWakeUps "spurious wake-ups" Order,
    /// A worker that spins or yields had to let another run.
    Spinning "spinning" Order,
    /// A call into a dependency was one step, with more than one operation in it.
    AtomicDependencies "atomic dependencies" Order,
    /// Somebody asked whether a thread of C code, or a scope's, has ended, which it does with its last step.
    ThreadEnds "thread ends" Order,
    /// A thread that was unparked waited at a scope's end or for a channel, which takes its token in std.
    ParkTokens "park tokens" Order,
    /// The program's global allocator ran, whose operations are no steps.
    Allocators "allocators" Order,
    /// Somebody printed without a step, while the lock of standard output or error was kept over steps.
    Prints "prints" Order,
    /// An await within something that polls by itself was no place for other tasks of its thread.
    NestedAwaits "nested awaits" Order,
    /// An executor's work for a task that had been held back and went on was one step.
    TaskWakeUps "task wake-ups" Order,
    /// Signals were sent or blocked, which are no steps, or handled.
    Signals "signals" Order,
    /// Random numbers were drawn, which follow from the seed.
    RandomNumbers "random numbers" Input,
    /// Standard input was used: what is read, and who takes its lock first, which is no step.
    StandardInput "standard input" Input,
    /// The file system was used.
    Files "files" Input,
    /// The environment was read: its variables, or how many processors there are.
    Environment "environment" Input,
    /// Sockets, pipes, processes or signals were used of which another process may have an end.
    Outside "other processes" Input,
    /// Threads that the engine does not control were at work.
    UncontrolledThreads "uncontrolled threads" Input,
    /// A crate makes system calls past all that is controlled.
    RawSystemCalls "raw system calls" Input,
    /// A crate names items of std that came after the tool, and that nothing controls.
    LaterItems "later items of std" Input,
    /// A schedule may have changed what is not put back before the next one in the same process.
    StateLeftBehind "state left behind" Order,
}

/// The programs that an exception concerns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum About {
    /// The order of steps: a program with one worker has no other order.
    Order,
    /// Input of the program, which may be something else the next time.
    Input,
}

/// A set of exceptions.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Exceptions(u32);

impl Exceptions {
    /// None at all.
    pub const NONE: Exceptions = Exceptions(0);

    /// Just this one.
    pub const fn of(exception: Exception) -> Exceptions {
        Exceptions(1 << exception as u8)
    }

    /// Adds one.
    #[inline]
    pub const fn add(&mut self, exception: Exception) {
        self.0 |= Exceptions::of(exception).0;
    }

    /// Returns the exceptions in either.
    #[must_use]
    pub const fn and(self, other: Exceptions) -> Exceptions {
        Exceptions(self.0 | other.0)
    }

    /// Returns the others.
    #[must_use]
    pub const fn without(self, exception: Exception) -> Exceptions {
        Exceptions(self.0 & !Exceptions::of(exception).0)
    }

    /// True if this one is among them.
    pub const fn has(self, exception: Exception) -> bool {
        self.0 & Exceptions::of(exception).0 != 0
    }

    /// True if there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the exceptions that concern a program with a single worker.
    #[must_use]
    pub fn of_inputs(self) -> Exceptions {
        self.iter()
            .filter(|exception| exception.about() == About::Input)
            .collect()
    }

    /// Each of them, in the order in which they are named.
    pub fn iter(self) -> impl Iterator<Item = Exception> {
        let all = Exception::ALL.iter().copied();
        all.filter(move |&exception| self.has(exception))
    }

    /// Their names.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.iter().map(Exception::name)
    }
}

impl FromIterator<Exception> for Exceptions {
    fn from_iter<I: IntoIterator<Item = Exception>>(exceptions: I) -> Self {
        let mut all = Exceptions::NONE;
        exceptions
            .into_iter()
            .for_each(|exception| all.add(exception));
        all
    }
}

impl std::fmt::Debug for Exceptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Wire for Exceptions {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn take(input: &mut &[u8]) -> Option<Self> {
        let bits = u32::take(input)?;
        (bits >> Exception::ALL.len() == 0).then_some(Exceptions(bits))
    }
}

#[cfg(test)]
impl crate::fuzz::Drawn for Exceptions {
    fn drawn(source: &mut &[u8]) -> Self {
        Exceptions(u32::drawn(source) % (1 << Exception::ALL.len()))
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Exceptions {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.names())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Exceptions {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = Vec::<String>::deserialize(deserializer)?;
        let exception = |word: &String| {
            let mut all = Exception::ALL.iter();
            let found = all.find(|exception| exception.name() == word);
            found.copied().ok_or_else(|| {
                serde::de::Error::custom(format_args!("no exception is called `{word}`"))
            })
        };
        words.iter().map(exception).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_is_read_back_and_a_foreign_one_is_not() {
        // Each with each other one; and many.
        let pairs = Exception::ALL.iter().flat_map(|&one| {
            let with = move |&other| Exceptions::of(one).and(Exceptions::of(other));
            Exception::ALL.iter().map(with)
        });
        let many = (0..1 << Exception::ALL.len()).step_by(97).map(Exceptions);
        for set in pairs.chain(many) {
            assert_eq!(set.iter().collect::<Exceptions>(), set);
            assert_eq!(Exceptions::from_bytes(&set.to_bytes()), Some(set));
        }
        let foreign = (1_u32 << Exception::ALL.len()).to_bytes();
        assert_eq!(Exceptions::from_bytes(&foreign), None);
    }

    #[test]
    fn names_tell_exceptions_apart() {
        let mut names: Vec<_> = Exception::ALL.iter().map(|it| it.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Exception::ALL.len());
    }

    #[test]
    fn a_single_worker_has_no_other_order() {
        let all: Exceptions = Exception::ALL.iter().copied().collect();
        let inputs = all.of_inputs();
        assert!(inputs.has(Exception::Files) && !inputs.has(Exception::WeakOrderings));
    }
}
