//! The specification: replicas that are lost are replaced.

use std::collections::BTreeSet;

use cct::{Monitor, Temperature};

use super::TARGET;
use crate::NodeId;

/// Liveness: again and again, enough nodes that live hold the extent.
#[derive(Debug)]
pub struct RepairMonitor {
    holders: BTreeSet<NodeId>,
}

/// The events of [`RepairMonitor`].
#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// This node has failed.
    Failed(NodeId),
    /// This node has got a copy.
    Copied(NodeId),
}

impl RepairMonitor {
    /// A monitor that begins with these holders.
    pub fn new(holders: impl IntoIterator<Item = NodeId>) -> RepairMonitor {
        RepairMonitor {
            holders: holders.into_iter().collect(),
        }
    }

    fn temperature(&self) -> Temperature {
        if self.holders.len() < TARGET {
            Temperature::Hot("repairing")
        } else {
            Temperature::Cold("repaired")
        }
    }
}

impl Monitor for RepairMonitor {
    type Event = Change;

    fn start(&self) -> Temperature {
        self.temperature()
    }

    fn on_event(&mut self, change: Change) -> Temperature {
        match change {
            Change::Failed(node) => self.holders.remove(&node),
            Change::Copied(node) => self.holders.insert(node),
        };
        self.temperature()
    }
}
