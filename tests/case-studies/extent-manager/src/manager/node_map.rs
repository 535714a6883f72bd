//! The books on nodes.

use std::collections::BTreeMap;

use super::NodeId;

/// The nodes that are believed to live, with the rounds in which they were silent.
#[derive(Clone, Default, Debug)]
pub struct NodeMap {
    silent: BTreeMap<NodeId, u32>,
}

impl NodeMap {
    /// Notes that a node was heard of.
    pub fn heard_of(&mut self, node: NodeId) {
        self.silent.insert(node, 0);
    }

    /// True if the node is believed to live.
    #[must_use]
    pub fn contains(&self, node: NodeId) -> bool {
        self.silent.contains_key(&node)
    }

    /// The nodes that are believed to live.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.silent.keys().copied()
    }

    /// Ends a round: forgets the nodes that were silent in more than `patience` rounds, and returns them.
    pub fn expire(&mut self, patience: u32) -> Vec<NodeId> {
        for silent in self.silent.values_mut() {
            *silent += 1;
        }
        self.silent
            .extract_if(.., |_, silent| *silent > patience)
            .map(|(node, _)| node)
            .collect()
    }
}
