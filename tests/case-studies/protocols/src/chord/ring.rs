//! The ring of identifiers.

use cct::actor::ActorRef;

use super::Node;

/// How many identifiers there are.
pub const RING: usize = 8;

/// An identifier of a node, or a key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key(pub usize);

impl Key {
    /// True if it comes after `from` and not after `to`, going round the ring.
    #[must_use]
    pub fn is_between(self, from: Key, to: Key) -> bool {
        let way = |to: Key| (to.0 + RING - from.0 - 1) % RING;
        way(self) <= way(to)
    }
}

/// A node with its identifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// The identifier.
    pub id: Key,
    /// The node.
    pub node: ActorRef<Node>,
}
