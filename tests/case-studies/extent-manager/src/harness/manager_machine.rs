//! The machine that holds the real manager.

use std::time::Duration;

use cct::actor::Context;

use super::MockNetwork;
use crate::{ExtentManager, Message};

/// The time between rounds of either loop. It is the same for both, so that either may come first: nothing
/// may depend on their rates.
const PERIOD: Duration = Duration::from_secs(10);

/// The tick of the expiration loop.
#[derive(Clone, Debug)]
pub struct ExpirationIsDue;

/// The tick of the repair loop.
#[derive(Clone, Debug)]
pub struct RepairIsDue;

/// The state of a manager at work.
#[derive(Debug)]
pub struct Managing;

/// A machine that passes messages to an [`ExtentManager`], and drives its loops.
#[derive(Debug)]
pub struct ManagerMachine {
    manager: ExtentManager<MockNetwork>,
}

impl ManagerMachine {
    /// A machine for this manager.
    #[must_use]
    pub fn new(manager: ExtentManager<MockNetwork>) -> ManagerMachine {
        ManagerMachine { manager }
    }
}

#[cct::machine(start = Managing)]
impl ManagerMachine {
    #[entry]
    fn start_timers(&mut self, _: &mut Managing, cx: &mut Context<Self>) {
        cx.start_periodic_timer(PERIOD, PERIOD, ExpirationIsDue);
        cx.start_periodic_timer(PERIOD, PERIOD, RepairIsDue);
    }

    #[on]
    fn process(&mut self, _: &mut Managing, message: Message) {
        self.manager.process_message(&message);
    }

    #[on]
    fn expire(&mut self, _: &mut Managing, _: ExpirationIsDue) {
        self.manager.expire_nodes();
    }

    #[on]
    fn repair(&mut self, _: &mut Managing, _: RepairIsDue) {
        self.manager.repair_extents();
    }
}
