//! The bugs of the wrapper.

/// The wrapper's behaviour: as the library's documentation demands, or with a bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// It has no bug.
    Proper,
    /// It sends the messages that are to be sent after the state is persisted before it is.
    SendsBeforePersisting,
    /// After a crash it knows its term, and not for whom it has voted.
    ForgetsItsVote,
    /// After a crash it lacks the end of its log.
    LosesItsLastEntry,
    /// It applies entries when they are written, and not when they are committed.
    AppliesUncommitted,
    /// It takes over where a snapshot ends, and not what it contains.
    DropsSnapshotData,
    /// It never tells the library that a snapshot may have been lost.
    ForgetsSnapshots,
}
