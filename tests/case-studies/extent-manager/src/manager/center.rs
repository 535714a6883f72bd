//! The books on extents.

use std::collections::{BTreeMap, BTreeSet};

use super::{ExtentId, NodeId};

/// The nodes that hold each extent.
#[derive(Clone, Default, Debug)]
pub struct ExtentCenter {
    holders: BTreeMap<ExtentId, BTreeSet<NodeId>>,
}

impl ExtentCenter {
    /// Notes that a node holds these extents, and no others.
    pub fn sync(&mut self, node: NodeId, extents: &BTreeSet<ExtentId>) {
        self.remove_node(node);
        for extent in extents {
            self.holders.entry(*extent).or_default().insert(node);
        }
    }

    /// Notes that a node holds nothing. Extents without holders stay known.
    pub fn remove_node(&mut self, node: NodeId) {
        for holders in self.holders.values_mut() {
            holders.remove(&node);
        }
    }

    /// The extents of this node.
    #[must_use]
    pub fn extents_of(&self, node: NodeId) -> BTreeSet<ExtentId> {
        self.iter()
            .filter(|(_, holders)| holders.contains(&node))
            .map(|(extent, _)| extent)
            .collect()
    }

    /// All extents with their holders.
    pub fn iter(&self) -> impl Iterator<Item = (ExtentId, &BTreeSet<NodeId>)> {
        self.holders
            .iter()
            .map(|(extent, holders)| (*extent, holders))
    }
}
