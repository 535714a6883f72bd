//! Chord: nodes on a ring of identifiers, each responsible for the keys between its predecessor and itself.
//!
//! A node that is asked for a key that is not its own asks its successor. There are two bugs:
//!
//! - A node that leaves **loses the requests in its inbox**, and a client waits for ever.
//! - A node lets another one in **without a look at its place**: of two that join at a time, the one that
//!   comes second may not belong between the node and its predecessor, which has changed meanwhile.
//!
//! Machines: the [`Node`]s, and a [`Client`] that looks up keys.

mod client;
mod node;
mod ring;
mod scenario;
mod specification;

pub use client::{Client, LookUp};
pub use node::{
    FindSuccessor, Found, InRing, Join, JoinVia, Leave, Left, NewPredecessor, NewSuccessor, Node,
    Outside, Variant, Welcome,
};
pub use ring::{Key, Member, RING};
pub use scenario::{Scenario, run};
pub use specification::{Joined, Lookup, LookupsAreAnswered, PredecessorsAreInOrder};
