//! Distributed protocols as machines, each with a bug that is well known.
//!
//! | protocol | the bug | the specification that sees it |
//! |---|---|---|
//! | [`failure_detector`] | late answers count | at most three pings to a node are unanswered |
//! | [`raft`] | a vote counts twice | a term has one leader |
//! | [`paxos`] | the wrong earlier proposal is taken over | all that is learned is the same value |
//! | [`replicating_storage`] | a late report counts | lost replicas are replaced |
//! | [`chain_replication`] | the last server forwards to itself | histories are sorted |
//! | [`chord`] | a node that leaves loses requests | lookups are answered |
//! | | a node lets others in wherever they belong | predecessors are in order |
//! | [`two_phase_commit`] | late votes count | nothing is committed that was refused |
//!
//! The originals are samples of P# and Coyote, which have served to compare strategies since. The programs
//! here were written anew from descriptions. Each module's `Variant` chooses between the protocol with its
//! bug and without.
//!
//! ```text
//! cargo cct test -p protocols
//! ```

pub mod chain_replication;
pub mod chord;
pub mod failure_detector;
pub mod paxos;
pub mod raft;
pub mod replicating_storage;
pub mod two_phase_commit;
