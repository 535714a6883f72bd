//! The network of the manager under test: events instead of packets.

use cct::actor::ActorRef;

use super::{Deliver, Driver};
use crate::{NetworkEngine, NodeId, Repair};

/// A network that hands each message to the test's driver.
#[derive(Debug)]
pub struct MockNetwork {
    driver: ActorRef<Driver>,
}

impl MockNetwork {
    /// A network of this driver.
    #[must_use]
    pub fn new(driver: ActorRef<Driver>) -> MockNetwork {
        MockNetwork { driver }
    }
}

impl NetworkEngine for MockNetwork {
    fn send_repair(&mut self, to: NodeId, repair: Repair) {
        self.driver.send(Deliver { to, repair });
    }
}
