//! The scenarios.

use cct::actor::Runtime;

use super::{Driver, ManagerMachine, MockNetwork, RepairMonitor, Start};
use crate::{ExtentId, ExtentManager, NodeId, Settings, Variant};

/// How many replicas the extent is to have, and how many nodes there are at first.
pub const TARGET: usize = 3;

/// The one extent of all scenarios.
pub const EXTENT: ExtentId = ExtentId(1);

/// A scenario with one extent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scenario {
    /// One of three nodes holds the extent; it is copied to the others.
    Replicate,
    /// All of three nodes hold the extent; one fails and another one starts, which gets a copy.
    Replace,
}

impl Scenario {
    /// How many nodes there are at first.
    #[must_use]
    pub fn nodes(self) -> usize {
        TARGET
    }

    /// True if this one of them holds the extent.
    #[must_use]
    pub fn has_extent(self, node: NodeId) -> bool {
        self == Scenario::Replace || node.0 == 0
    }

    /// True if a node fails.
    #[must_use]
    pub fn has_failure(self) -> bool {
        self == Scenario::Replace
    }
}

/// Runs the scenario with a manager of this variant, until the extent is where it should be.
pub fn run(runtime: &Runtime, scenario: Scenario, variant: Variant) {
    let holders = (0..scenario.nodes()).map(NodeId);
    cct::register(RepairMonitor::new(
        holders.filter(|node| scenario.has_extent(*node)),
    ));
    let driver = runtime.create(Driver::new(scenario));
    let settings = Settings {
        variant,
        target: TARGET,
        patience: 1,
    };
    let manager = ExtentManager::new(settings, MockNetwork::new(driver.clone()));
    let manager = runtime.create(ManagerMachine::new(manager));
    driver.ask(|done| Start { manager, done }).wait();
    // Nodes and manager would go on for ever.
    runtime.stop();
}
