//! A register that one server replicates to three storage nodes: a server that **acknowledges too early**,
//! and one that **stops acknowledging**.
//!
//! A client sends a value and waits for its acknowledgement before it sends the next one. The server keeps
//! the value, has each node store it, and acknowledges it once three nodes have reported that they hold it.
//! The nodes report at any time, by their timers.
//!
//! This is the example of Deligiannis et al., *Uncovering Bugs in Distributed Storage Systems during
//! Testing (Not in Production!)*, FAST 2016, section 2. As there, the [`Server`] is a real component: it is
//! a plain struct, knows nothing of actors, and reaches others by the trait [`Network`] alone. The
//! [`harness`] has machines around it: one holds the server and gives it a network that sends events;
//! client and nodes are models.
//!
//! [`Variant`] chooses the server's bug. [`Variant::CountsReports`] breaks the specification
//! [`AcknowledgedIsReplicated`](harness::AcknowledgedIsReplicated), [`Variant::KeepsReplicas`] the
//! specification [`RequestsAreAcknowledged`](harness::RequestsAreAcknowledged).
//!
//! ```text
//! cargo cct test -p replication
//! ```

pub mod harness;
mod network;
mod server;
mod variant;

pub use network::{Network, NodeId, Value};
pub use server::{Server, TARGET};
pub use variant::Variant;
