//! The specification.

use cct::{Monitor, Temperature};

/// Liveness: the robot serves each order that it asks for.
#[derive(Debug, Default)]
pub struct OrdersAreServed;

/// The events of [`OrdersAreServed`].
#[derive(Clone, Copy, Debug)]
pub enum Service {
    /// The robot has something to do.
    Busy,
    /// An order is served.
    Idle,
}

impl Monitor for OrdersAreServed {
    type Event = Service;

    fn on_event(&mut self, event: Service) -> Temperature {
        match event {
            Service::Busy => Temperature::Hot("busy"),
            Service::Idle => Temperature::Cold("idle"),
        }
    }
}
