//! The server: the real component of this study.

use crate::{Network, NodeId, Value, Variant};

/// How many nodes hold a value that is acknowledged.
pub const TARGET: usize = 3;

/// A server that keeps the latest value, and counts its replicas.
#[derive(Debug)]
pub struct Server<N> {
    variant: Variant,
    network: N,
    data: Option<Value>,
    /// The nodes that have reported the latest value; with a bug one of them may be here several times.
    replicas: Vec<NodeId>,
}

impl<N: Network> Server<N> {
    /// A server without data.
    pub fn new(variant: Variant, network: N) -> Server<N> {
        Server {
            variant,
            network,
            data: None,
            replicas: Vec::new(),
        }
    }

    /// The latest value.
    pub fn data(&self) -> Option<Value> {
        self.data
    }

    /// Takes a client's value and replicates it.
    pub fn handle_request(&mut self, value: Value) {
        self.data = Some(value);
        if self.variant != Variant::KeepsReplicas {
            self.replicas.clear();
        }
        self.network.replicate(value);
    }

    /// Takes the report of a node that holds `stored`.
    pub fn handle_report(&mut self, node: NodeId, stored: Option<Value>) {
        let Some(data) = self.data else { return };
        if stored != Some(data) {
            self.network.replicate_to(node, data);
            return;
        }
        let is_known = self.replicas.contains(&node);
        if is_known && self.variant == Variant::Mended {
            return;
        }
        self.replicas.push(node);
        if self.replicas.len() == TARGET {
            self.network.acknowledge(data);
        }
    }
}
