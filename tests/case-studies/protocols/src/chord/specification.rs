//! The specifications.

use cct::{Monitor, Temperature};

use super::Key;

/// Liveness: each lookup is answered.
#[derive(Debug, Default)]
pub struct LookupsAreAnswered;

/// The events of [`LookupsAreAnswered`].
#[derive(Clone, Copy, Debug)]
pub enum Lookup {
    /// A client asks for a key.
    Requested,
    /// The client has got the answer.
    Answered,
}

impl Monitor for LookupsAreAnswered {
    type Event = Lookup;

    fn on_event(&mut self, event: Lookup) -> Temperature {
        match event {
            Lookup::Requested => Temperature::Hot("requested"),
            Lookup::Answered => Temperature::Cold("answered"),
        }
    }
}

/// Safety: a node that joins comes between its successor and the predecessor of that.
#[derive(Debug, Default)]
pub struct PredecessorsAreInOrder;

/// A node has got another predecessor, which joins.
#[derive(Clone, Copy, Debug)]
pub struct Joined {
    /// The node.
    pub node: Key,
    /// The predecessor that it had.
    pub before: Key,
    /// The node that joins.
    pub joins: Key,
}

impl Monitor for PredecessorsAreInOrder {
    type Event = Joined;

    fn on_event(&mut self, event: Joined) -> Temperature {
        assert!(
            event.joins.is_between(event.before, event.node),
            "Predecessor is corrupted: {event:?}"
        );
        Temperature::Cold("watching")
    }
}
