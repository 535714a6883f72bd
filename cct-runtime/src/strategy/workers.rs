//! The workers as strategies are told about them.

use crate::trace::WorkerKind;

/// A worker's number, in order of creation; the test's body is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WorkerId(pub u32);

/// Where a worker comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The worker that created it; none for the test's body.
    pub parent: Option<WorkerId>,
    /// Its chain: work of which each piece made the next one runnable. A thread is a chain of its own; a
    /// continuation belongs to the chain of the work that it goes on with.
    pub chain: ChainId,
    /// Its kind.
    pub kind: WorkerKind,
}

/// A chain's number, in order of creation; that of the test's body is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChainId(pub u32);
