//! A replicated store whose manager **counts the report of a node that is gone**.
//!
//! Storage nodes report what they hold, and the manager has the latest data copied to nodes that lag
//! behind. It hears of a failed node at once, forgets it and creates another one. A report that the failed
//! node has sent before is handled afterwards: the node is in the books again, seems to hold a replica for
//! ever, and the new one gets none.
//!
//! This is the small version of the [extent manager](https://www.usenix.org/conference/fast16) that P# and
//! Coyote have among their samples.
//!
//! Another bug, which the published program has as well, came to light when this one was mended: the
//! manager may send data that is older than a command that is on its way to the same node. The node takes
//! it, and the command is lost.
//!
//! Machines: the [`NodeManager`], its [`StorageNode`]s, a client, and the [`Environment`], which makes a
//! node fail.

mod client;
mod environment;
mod manager;
mod replicas;
mod scenario;
mod storage_node;

pub use client::{Client, Requesting};
pub use environment::{Begin, Created, Environment, Failed, FailureIsDue, Healthy, Idle, Stored};
pub use manager::{NodeManager, NotifyFailure, RepairIsDue, Request, Serving, SyncReport, Variant};
pub use replicas::{LostReplicasAreReplaced, Replica};
pub use scenario::run;
pub use storage_node::{
    Data, InjectFault, NodeId, StorageNode, StoreRequest, SyncIsDue, SyncRequest, Working,
};
