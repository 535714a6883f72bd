//! The messages between the manager and extent nodes.

use std::collections::BTreeSet;

/// The number of an extent node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub usize);

/// The number of an extent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExtentId(pub u32);

/// A message of an extent node to the manager.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// The node lives.
    Heartbeat(NodeId),
    /// The node holds these extents.
    SyncReport {
        /// The node.
        node: NodeId,
        /// All of its extents.
        extents: BTreeSet<ExtentId>,
    },
}

/// The manager's order to copy an extent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repair {
    /// The extent.
    pub extent: ExtentId,
    /// A node that holds it.
    pub source: NodeId,
}
