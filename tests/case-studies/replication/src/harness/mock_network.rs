//! The network of the server under test: events instead of packets.

use cct::actor::{ActorRef, Recipient};

use super::{
    Acknowledged, AcknowledgedIsReplicated, Progress, Replicate, Replication,
    RequestsAreAcknowledged, StorageNode,
};
use crate::{Network, NodeId, Value};

/// A network that turns each message into an event.
#[derive(Debug)]
pub struct MockNetwork {
    nodes: Vec<ActorRef<StorageNode>>,
    client: Recipient<Acknowledged>,
}

impl MockNetwork {
    /// A network of these nodes, numbered in this order, and this client.
    #[must_use]
    pub fn new(nodes: Vec<ActorRef<StorageNode>>, client: Recipient<Acknowledged>) -> MockNetwork {
        MockNetwork { nodes, client }
    }
}

impl Network for MockNetwork {
    fn replicate(&mut self, value: Value) {
        for node in &self.nodes {
            node.send(Replicate(value));
        }
    }

    fn replicate_to(&mut self, NodeId(node): NodeId, value: Value) {
        self.nodes[node].send(Replicate(value));
    }

    fn acknowledge(&mut self, value: Value) {
        cct::notify::<AcknowledgedIsReplicated>(Replication::Acknowledged);
        cct::notify::<RequestsAreAcknowledged>(Progress::Acknowledged);
        self.client.send(Acknowledged(value));
    }
}
