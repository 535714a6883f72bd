//! The machines around the manager, the specification, and the scenarios.

mod driver;
mod extent_node;
mod manager_machine;
mod mock_network;
mod repair_monitor;
mod scenario;

pub use driver::{Copied, Deliver, Driver, FailureIsDue, Idle, Running, Start};
pub use extent_node::{
    CopyRequest, CopyResponse, ExtentNode, Fail, HeartbeatIsDue, RepairRequest, SyncIsDue, Working,
};
pub use manager_machine::{ExpirationIsDue, ManagerMachine, Managing, RepairIsDue};
pub use mock_network::MockNetwork;
pub use repair_monitor::{Change, RepairMonitor};
pub use scenario::{EXTENT, Scenario, TARGET, run};
