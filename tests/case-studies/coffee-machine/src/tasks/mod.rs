//! The firmware as `async` functions on tokio, with a model of the hardware that runs tasks of its own.

mod failover;
mod firmware;
mod mock_sensors;
mod sensors;

pub use failover::run;
pub use firmware::{Firmware, Stuck};
pub use mock_sensors::MockSensors;
pub use sensors::{Interrupt, Sensors};
