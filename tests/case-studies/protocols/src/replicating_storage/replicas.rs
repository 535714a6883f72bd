//! The specification.

use std::collections::BTreeMap;

use cct::{Monitor, Temperature};

use super::scenario::REPLICAS;
use super::{Data, NodeId};

/// Liveness: after a failure, enough nodes come to hold the same data.
#[derive(Debug, Default)]
pub struct LostReplicasAreReplaced {
    data: BTreeMap<NodeId, Data>,
    has_lost: bool,
}

impl LostReplicasAreReplaced {
    /// True if enough nodes hold the same data.
    fn is_replicated(&self) -> bool {
        let holders = |data: &Data| self.data.values().filter(|other| *other == data).count();
        self.data.values().any(|data| holders(data) >= REPLICAS)
    }
}

/// The events of [`LostReplicasAreReplaced`].
#[derive(Clone, Copy, Debug)]
pub enum Replica {
    /// A node has stored data.
    Stored {
        /// The node.
        node: NodeId,
        /// Its data now.
        data: Data,
    },
    /// A node has failed.
    Lost(NodeId),
}

impl Monitor for LostReplicasAreReplaced {
    type Event = Replica;

    fn on_event(&mut self, event: Replica) -> Temperature {
        match event {
            Replica::Stored { node, data } => {
                self.data.insert(node, data);
            }
            Replica::Lost(node) => {
                self.data.remove(&node);
                self.has_lost = true;
            }
        }
        if self.has_lost && !self.is_replicated() {
            Temperature::Hot("repairing")
        } else {
            Temperature::Cold("repaired")
        }
    }
}
