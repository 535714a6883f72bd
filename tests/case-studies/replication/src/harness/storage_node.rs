//! A storage node: a model that keeps its value in memory.

use std::time::Duration;

use cct::actor::{ActorRef, Context};

use super::{AcknowledgedIsReplicated, Replication, Report, ServerMachine};
use crate::{NodeId, Value};

/// How often a node reports. Time is virtual, and the order of timers is explored.
const PERIOD: Duration = Duration::from_secs(1);

/// The server's order to store a value.
#[derive(Debug)]
pub struct Replicate(pub Value);

/// The tick of a node's timer.
#[derive(Clone, Debug)]
pub struct ReportIsDue;

/// The state of a node at work.
#[derive(Debug)]
pub struct Storing {
    stored: Option<Value>,
}

/// A node that stores the latest value, and reports it.
#[derive(Debug)]
pub struct StorageNode {
    id: NodeId,
    server: ActorRef<ServerMachine>,
}

impl StorageNode {
    /// An empty node of this server.
    #[must_use]
    pub fn new(id: NodeId, server: ActorRef<ServerMachine>) -> StorageNode {
        StorageNode { id, server }
    }
}

#[cct::machine(start = Storing { stored: None })]
impl StorageNode {
    #[entry]
    fn start_timer(&mut self, _: &mut Storing, cx: &mut Context<Self>) {
        cx.start_periodic_timer(PERIOD, PERIOD, ReportIsDue);
    }

    #[on]
    fn store(&mut self, storing: &mut Storing, Replicate(value): Replicate) {
        storing.stored = Some(value);
        cct::notify::<AcknowledgedIsReplicated>(Replication::Stored {
            node: self.id,
            value,
        });
    }

    #[on]
    fn report(&mut self, storing: &mut Storing, _: ReportIsDue, cx: &mut Context<Self>) {
        let report = Report {
            node: self.id,
            stored: storing.stored,
        };
        cx.send(&self.server, report);
    }
}
