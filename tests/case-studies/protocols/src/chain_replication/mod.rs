//! Chain replication, with a last server that **forwards updates to itself**.
//!
//! Updates enter at the head, pass along the chain, and are acknowledged by the tail. A master repairs the
//! chain around servers that are suspected to have failed. With the bug the only server that is left
//! forwards each update to itself, and takes its sequence number from what it is forwarded: so it falls
//! back behind updates that came meanwhile, and gives a number twice.
//!
//! Machines: three [`ChainServer`]s, two [`Client`]s, and the [`Master`], whose suspicions are choices. A
//! suspected server goes on until it hears that it has failed.

mod client;
mod histories;
mod master;
mod message;
mod scenario;
mod server;

pub use client::{Client, NewHead, UpdateIsDue};
pub use histories::{HistoriesAreSorted, Recorded};
pub use master::{Master, Watch};
pub use message::{
    Acknowledge, BecomeHead, BecomeTail, Connect, Fail, Forward, NewPredecessor, NewSuccessor,
    Sequence, ServerId, Update,
};
pub use scenario::run;
pub use server::{ChainServer, Serving, Starting, Variant};
