//! The server's side of the network, and the values that go over it.

/// The number of a storage node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub usize);

/// The data that a client writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value(pub u32);

/// Sends the server's messages. In production it is a connection to each node, in tests a mock.
pub trait Network {
    /// Has all nodes store a value.
    fn replicate(&mut self, value: Value);

    /// Has one node store a value.
    fn replicate_to(&mut self, node: NodeId, value: Value);

    /// Tells the client that its value is replicated.
    fn acknowledge(&mut self, value: Value);
}
