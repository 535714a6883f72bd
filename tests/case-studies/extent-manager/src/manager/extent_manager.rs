//! The manager.

use super::{ExtentCenter, Message, NetworkEngine, NodeId, NodeMap, Repair, Settings, Variant};

/// The manager of a partition of extents.
#[derive(Debug)]
pub struct ExtentManager<N> {
    settings: Settings,
    network: N,
    center: ExtentCenter,
    nodes: NodeMap,
}

impl<N: NetworkEngine> ExtentManager<N> {
    /// A manager that knows no node.
    pub fn new(settings: Settings, network: N) -> ExtentManager<N> {
        ExtentManager {
            settings,
            network,
            center: ExtentCenter::default(),
            nodes: NodeMap::default(),
        }
    }

    /// Handles a message of a node.
    pub fn process_message(&mut self, message: &Message) {
        match message {
            Message::Heartbeat(node) => self.nodes.heard_of(*node),
            Message::SyncReport { node, extents } => {
                if self.believes(*node) {
                    self.center.sync(*node, extents);
                }
            }
        }
    }

    /// True if the node's reports count.
    fn believes(&self, node: NodeId) -> bool {
        match self.settings.variant {
            Variant::BelievesEveryReport => true,
            Variant::Mended => self.nodes.contains(node),
        }
    }

    /// A round of the expiration loop: forgets nodes that are silent, with their replicas.
    pub fn expire_nodes(&mut self) {
        for node in self.nodes.expire(self.settings.patience) {
            self.center.remove_node(node);
        }
    }

    /// A round of the repair loop: has extents copied that lack replicas.
    pub fn repair_extents(&mut self) {
        for (extent, holders) in self.center.iter() {
            let Some(&source) = holders.first() else {
                continue;
            };
            let missing = self.settings.target.saturating_sub(holders.len());
            let spare = self.nodes.nodes().filter(|node| !holders.contains(node));
            for node in spare.take(missing) {
                self.network.send_repair(node, Repair { extent, source });
            }
        }
    }
}
