//! How an execution of a program came out.

use std::collections::BTreeMap;
use std::fmt;

/// The part of an execution that is the same for all that nobody in the program could tell apart.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Outcome {
    /// The body has returned.
    Passed {
        /// By thread, as far as it came.
        threads: Vec<Seen>,
        /// The atomics in the end.
        atomics: Vec<u32>,
    },
    /// The body has panicked; what it saw.
    Panicked(Vec<u32>),
    /// Nobody can go on, and the body has not returned.
    Deadlock {
        threads: Vec<Seen>,
        atomics: Vec<u32>,
        /// The threads that wait, and in which operation.
        waits: BTreeMap<usize, &'static str>,
    },
    /// Threads wait for each other in a circle: who they are and what they saw. Others were cut short.
    Cycle(BTreeMap<usize, Vec<u32>>),
    /// Anything else, which the oracle knows of no program.
    Other(String),
}

/// The observations of a thread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Seen {
    pub(crate) end: End,
    /// The results of its operations, in their order.
    pub(crate) log: Vec<u32>,
}

/// How far a thread came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum End {
    /// It did not come to the end of its closure.
    Open,
    Returned,
    Panicked,
}

/// The results of operations that have no number to show.
pub(crate) mod seen {
    /// Something went well; a lock was taken that is not poisoned.
    pub(crate) const YES: u32 = 1;
    /// Something did not.
    pub(crate) const NO: u32 = 2;
    /// A lock was taken, or not given, that is poisoned.
    pub(crate) const POISONED: u32 = 3;
    /// The other side of a channel is gone.
    pub(crate) const GONE: u32 = 4;
    /// The time was over.
    pub(crate) const LATE: u32 = 5;
    /// It panicked.
    pub(crate) const PANIC: u32 = 6;
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = |threads: &[Seen]| {
            let threads = threads.iter().map(|seen| match seen.end {
                End::Returned => format!("{:?}", seen.log),
                End::Panicked => format!("{:?} panicked", seen.log),
                End::Open => format!("{:?} …", seen.log),
            });
            threads.collect::<Vec<_>>().join(", ")
        };
        match self {
            Outcome::Passed { threads, atomics } => {
                write!(f, "passed: {}; atomics {atomics:?}", all(threads))
            }
            Outcome::Panicked(log) => write!(f, "the body panicked, having seen {log:?}"),
            Outcome::Deadlock {
                threads,
                atomics,
                waits,
            } => write!(
                f,
                "deadlock: {waits:?}; {}; atomics {atomics:?}",
                all(threads)
            ),
            Outcome::Cycle(threads) => write!(f, "circle of waiting: {threads:?}"),
            Outcome::Other(what) => write!(f, "{what}"),
        }
    }
}
