//! Two-phase commit, with a coordinator that **counts a vote for another transaction**.
//!
//! The coordinator asks each participant to vote, and commits if all say yes; after a while it aborts. With
//! the bug it does not look which transaction a vote is for: a yes that comes too late counts for the next
//! transaction, which may be committed against a no that is still on its way.
//!
//! Machines: the [`Coordinator`], three [`Participant`]s, whose votes are choices, and a [`Client`].

mod atomicity;
mod client;
mod coordinator;
mod participant;
mod scenario;

pub use atomicity::{Atomicity, Progress, Step, TransactionsAreDecided};
pub use client::{Client, Run};
pub use coordinator::{Begin, Coordinator, Idle, TimeIsUp, Variant, Vote, Voting};
pub use participant::{Decide, Decision, Participant, ParticipantId, Prepare, Transaction};
pub use scenario::run;
