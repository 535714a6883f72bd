//! The scenario: some orders, and some ends of navigators.

use cct::actor::Runtime;
use cct::actor::faults::{Node, crash};

use crate::{
    Begin, CognitiveService, FailoverDriver, Navigator, OrdersAreServed, Recipients, Robot,
    RoutePlanner, Services, Storage, Variant,
};

const ORDERS: u32 = 2;

/// The way in which navigators end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failover {
    /// By a handshake, once an order is stored, so many times.
    Orderly(u32),
    /// By a crash at any moment, so many times.
    Crash(u32),
}

/// A robot serves some orders, while navigators end in this way.
pub fn run(runtime: &Runtime, failover: Failover, variant: Variant) {
    cct::register(OrdersAreServed);
    let driver = match failover {
        Failover::Orderly(times) => Some(runtime.create(FailoverDriver::new(variant, times))),
        Failover::Crash(_) => None,
    };
    let told = driver.as_ref().map(|driver| Recipients {
        ready: driver.recipient(),
        reset: driver.recipient(),
    });
    let services = Services {
        robot: runtime.create(Robot::new(variant, ORDERS, told)),
        storage: runtime.create(Storage::default()),
        cognitive: runtime.create(CognitiveService),
        planner: runtime.create(RoutePlanner),
    };
    match (failover, driver) {
        (Failover::Crash(times), _) => {
            let boot = move || Navigator::new(variant, services.clone());
            let navigator = Node::start(runtime, boot);
            crash(runtime, vec![Box::new(navigator)], times);
        }
        (Failover::Orderly(_), Some(driver)) => driver.send(Begin(services)),
        (Failover::Orderly(_), None) => unreachable!("there is one"),
    }
}
