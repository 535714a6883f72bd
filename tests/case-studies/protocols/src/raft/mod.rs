//! Raft's election of a leader, with servers that **count a vote twice**.
//!
//! A candidate asks again for votes in the same term while it waits for them, and a server that has voted
//! for it says so again. The candidate counts both answers, and may lead without a majority: then another
//! one may lead in the same term.
//!
//! The machine is the [`Server`]; its states are the roles of the protocol. The log is left out, since the
//! bug is in the election.

mod leaders;
mod message;
mod scenario;
mod server;

pub use leaders::TermsHaveOneLeader;
pub use message::{AppendEntries, Connect, ServerId, Term, Vote, VoteRequest};
pub use scenario::run;
pub use server::{
    AskAgainIsDue, Candidate, ElectionIsDue, Follower, Joining, Leader, Server, Settings, Variant,
};
