//! The real component: it knows nothing of actors.

mod center;
mod extent_manager;
mod message;
mod network;
mod node_map;
mod settings;

pub use center::ExtentCenter;
pub use extent_manager::ExtentManager;
pub use message::{ExtentId, Message, NodeId, Repair};
pub use network::NetworkEngine;
pub use node_map::NodeMap;
pub use settings::{Settings, Variant};
