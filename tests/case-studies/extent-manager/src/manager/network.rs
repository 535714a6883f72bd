//! The manager's side of the network.

use super::{NodeId, Repair};

/// Sends the manager's messages. In production it is a connection to each node, in tests a mock.
pub trait NetworkEngine {
    /// Has this node copy an extent.
    fn send_repair(&mut self, to: NodeId, repair: Repair);
}
