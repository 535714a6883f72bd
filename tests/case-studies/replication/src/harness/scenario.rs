//! The test's scenario.

use cct::actor::Runtime;

use super::{
    AcknowledgedIsReplicated, Client, Connect, RequestsAreAcknowledged, ServerMachine, StorageNode,
    Write,
};
use crate::{NodeId, Variant};

/// How many storage nodes there are.
pub const NODES: usize = 3;

/// A client writes so many values to a server of this variant, under both specifications.
pub fn run(runtime: &Runtime, variant: Variant, values: u32) {
    cct::register(AcknowledgedIsReplicated::default());
    cct::register(RequestsAreAcknowledged);
    let server = runtime.create(ServerMachine::new(variant));
    let nodes = (0..NODES)
        .map(|id| runtime.create(StorageNode::new(NodeId(id), server.clone())))
        .collect();
    let client = runtime.create(Client::new(server.clone()));
    server.send(Connect {
        nodes,
        client: client.recipient(),
    });
    client.ask(|done| Write { values, done }).wait();
    // The nodes would report for ever.
    runtime.stop();
}
