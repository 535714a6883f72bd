//! The machines around the server, and the specifications.

mod client;
mod mock_network;
mod scenario;
mod server_machine;
mod specification;
mod storage_node;

pub use client::{Acknowledged, Client, Write};
pub use mock_network::MockNetwork;
pub use scenario::{NODES, run};
pub use server_machine::{Connect, Report, Request, Running, ServerMachine, Starting};
pub use specification::{AcknowledgedIsReplicated, Progress, Replication, RequestsAreAcknowledged};
pub use storage_node::{Replicate, ReportIsDue, StorageNode, Storing};
