//! The end of the network at a replica: messages that are on it survive a crash.

use cct::actor::Context;
use cct::actor::faults::Node;

use crate::{Deliver, Replica};

/// Passes messages to a replica, in whichever of its lives.
#[derive(Debug)]
pub struct Wire {
    node: Node<Replica>,
}

impl Wire {
    /// A wire to this replica.
    #[must_use]
    pub fn new(node: Node<Replica>) -> Wire {
        Wire { node }
    }
}

#[cct::actor]
impl Wire {
    #[on]
    fn pass(&mut self, deliver: Deliver, cx: &mut Context<Self>) {
        cx.send(&self.node, deliver);
    }
}
