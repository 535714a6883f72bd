//! The specifications of the server.

use std::collections::BTreeSet;

use cct::{Monitor, Temperature};

use crate::{NodeId, TARGET, Value};

/// Safety: as many nodes as demanded hold a value that is acknowledged.
#[derive(Debug, Default)]
pub struct AcknowledgedIsReplicated {
    latest: Option<Value>,
    holders: BTreeSet<NodeId>,
}

/// The events of [`AcknowledgedIsReplicated`].
#[derive(Clone, Copy, Debug)]
pub enum Replication {
    /// The server has got this value.
    Requested(Value),
    /// A node has stored a value.
    Stored {
        /// The node.
        node: NodeId,
        /// The value.
        value: Value,
    },
    /// The server acknowledges its latest value.
    Acknowledged,
}

impl Monitor for AcknowledgedIsReplicated {
    type Event = Replication;

    fn on_event(&mut self, event: Replication) -> Temperature {
        match event {
            Replication::Requested(value) => {
                self.latest = Some(value);
                self.holders.clear();
            }
            Replication::Stored { node, value } => {
                if self.latest == Some(value) {
                    self.holders.insert(node);
                }
            }
            Replication::Acknowledged => assert!(
                self.holders.len() >= TARGET,
                "a value was acknowledged that {} of {TARGET} nodes hold",
                self.holders.len()
            ),
        }
        Temperature::Cold("watching")
    }
}

/// Liveness: each request is acknowledged.
#[derive(Debug, Default)]
pub struct RequestsAreAcknowledged;

/// The events of [`RequestsAreAcknowledged`].
#[derive(Clone, Copy, Debug)]
pub enum Progress {
    /// The server has got a request.
    Requested,
    /// The server has acknowledged it.
    Acknowledged,
}

impl Monitor for RequestsAreAcknowledged {
    type Event = Progress;

    fn on_event(&mut self, event: Progress) -> Temperature {
        match event {
            Progress::Requested => Temperature::Hot("requested"),
            Progress::Acknowledged => Temperature::Cold("acknowledged"),
        }
    }
}
