//! A published library of Raft, [`raft`](https://docs.rs/raft) (`TiKV`'s), unchanged inside of machines, and
//! wrappers that **break the contract it has with its user**.
//!
//! The library is the algorithm alone: it keeps no disk, sends nothing and knows no time. Its user ticks it,
//! brings it messages, and does what its `Ready` says, in the order that its documentation demands: persist,
//! send, apply. That order is where systems on top of it go wrong.
//!
//! A [`Replica`] is a machine with a `RawNode` inside. Its ticks come from a timer, its messages go through a
//! network that loses, duplicates, delays and is split, and it crashes and boots from its [`Disk`]. A
//! [`Client`] proposes numbers until all replicas have applied them.
//!
//! The invariants of Raft are specifications: [`TermsHaveOneLeader`], [`LogsMatch`], [`LeadersAreComplete`]
//! and [`StatesAgree`]; and so is progress once faults have ended: [`ALeaderIsElected`],
//! [`ProposalsAreApplied`].
//! [`Variant`] chooses the wrapper's bug.
//!
//! ```text
//! cargo cct test -p consensus
//! ```

mod client;
mod cluster;
mod disk;
mod ledger;
mod plan;
mod replica;
mod scenario;
mod specification;
mod variant;
mod wire;

pub use client::{Applied, Client, RetryIsDue, Write};
pub use cluster::{Cluster, ReplicaId};
pub use disk::Disk;
pub use ledger::Ledger;
pub use plan::{Change, Moment, Plan};
pub use replica::{Deliver, Propose, Replica, Running, SnapshotIsOverdue, TickIsDue};
pub use scenario::{Scenario, run};
pub use specification::{
    ALeaderIsElected, LeadersAreComplete, Leadership, LogEvent, LogsMatch, Office, Proposal,
    ProposalsAreApplied, StatesAgree, TermsHaveOneLeader,
};
pub use variant::Variant;
pub use wire::Wire;
