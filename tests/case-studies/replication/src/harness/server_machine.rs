//! The machine that holds the real server.

use cct::actor::{ActorRef, Recipient};

use super::{
    Acknowledged, AcknowledgedIsReplicated, MockNetwork, Progress, Replication,
    RequestsAreAcknowledged, StorageNode,
};
use crate::{NodeId, Server, Value, Variant};

/// Tells the server's machine of the others.
#[derive(Debug)]
pub struct Connect {
    /// The storage nodes, by number.
    pub nodes: Vec<ActorRef<StorageNode>>,
    /// The client.
    pub client: Recipient<Acknowledged>,
}

/// A client's request to write a value.
#[derive(Debug)]
pub struct Request(pub Value);

/// A node's report of the value that it holds.
#[derive(Debug)]
pub struct Report {
    /// The node.
    pub node: NodeId,
    /// Its value, if it has one.
    pub stored: Option<Value>,
}

/// The state without a network.
#[derive(Debug)]
pub struct Starting;

/// The state with the server at work.
#[derive(Debug)]
pub struct Running {
    server: Server<MockNetwork>,
}

/// A machine that passes events to the [`Server`].
#[derive(Debug)]
pub struct ServerMachine {
    variant: Variant,
}

impl ServerMachine {
    /// A machine for a server of this variant.
    #[must_use]
    pub fn new(variant: Variant) -> ServerMachine {
        ServerMachine { variant }
    }
}

#[cct::machine(start = Starting)]
#[defer(Starting: Request, Report)]
impl ServerMachine {
    #[on]
    fn connect(&mut self, _: &mut Starting, connect: Connect) -> Running {
        let network = MockNetwork::new(connect.nodes, connect.client);
        Running {
            server: Server::new(self.variant, network),
        }
    }

    #[on]
    fn request(&mut self, running: &mut Running, Request(value): Request) {
        cct::notify::<AcknowledgedIsReplicated>(Replication::Requested(value));
        cct::notify::<RequestsAreAcknowledged>(Progress::Requested);
        running.server.handle_request(value);
    }

    #[on]
    fn report(&mut self, running: &mut Running, report: Report) {
        running.server.handle_report(report.node, report.stored);
    }
}
