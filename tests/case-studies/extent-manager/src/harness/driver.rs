//! The driver of the test: it relays the manager's messages, and makes a node fail.

use std::collections::BTreeSet;
use std::time::Duration;

use cct::actor::{ActorRef, Context, Halt, Reply};

use super::{EXTENT, ExtentNode, Fail, ManagerMachine, RepairRequest, Scenario};
use crate::{NodeId, Repair};

/// The time of the failure: after the first sync reports, as long as timers run out in their order.
const FAILURE: Duration = Duration::from_secs(20);

/// Begins the scenario.
#[derive(Debug)]
pub struct Start {
    /// The manager.
    pub manager: ActorRef<ManagerMachine>,
    /// Where the end is told.
    pub done: Reply<()>,
}

/// The manager's message to a node.
#[derive(Debug)]
pub struct Deliver {
    /// The node.
    pub to: NodeId,
    /// The message.
    pub repair: Repair,
}

/// A node's word that it has got a copy.
#[derive(Debug)]
pub struct Copied(pub NodeId);

/// The tick at which a node fails.
#[derive(Debug)]
pub struct FailureIsDue;

/// The state before the scenario.
#[derive(Debug)]
pub struct Idle;

/// The state in the scenario.
#[derive(Debug)]
pub struct Running {
    manager: ActorRef<ManagerMachine>,
    nodes: Vec<ActorRef<ExtentNode>>,
    /// The nodes that have to get a copy.
    awaited: BTreeSet<NodeId>,
    done: Option<Reply<()>>,
}

/// A driver of one scenario.
#[derive(Debug)]
pub struct Driver {
    scenario: Scenario,
}

impl Driver {
    /// A driver of this scenario.
    #[must_use]
    pub fn new(scenario: Scenario) -> Driver {
        Driver { scenario }
    }
}

impl Running {
    fn create_node(&mut self, has_extent: bool, cx: &Context<Driver>) {
        let id = NodeId(self.nodes.len());
        let extents = has_extent.then_some(EXTENT).into_iter().collect();
        let node = ExtentNode::new(id, &extents, self.manager.clone(), cx.me().clone());
        self.nodes.push(cx.create(node));
        if !has_extent {
            self.awaited.insert(id);
        }
    }
}

#[cct::machine(start = Idle)]
impl Driver {
    #[on]
    fn begin(&mut self, _: &mut Idle, start: Start, cx: &mut Context<Self>) -> Running {
        let mut running = Running {
            manager: start.manager,
            nodes: Vec::new(),
            awaited: BTreeSet::new(),
            done: Some(start.done),
        };
        for node in 0..self.scenario.nodes() {
            running.create_node(self.scenario.has_extent(NodeId(node)), cx);
        }
        if self.scenario.has_failure() {
            cx.start_timer(FAILURE, FailureIsDue);
        }
        running
    }

    #[on]
    fn replace_one(&mut self, running: &mut Running, _: FailureIsDue, cx: &mut Context<Self>) {
        cx.send(cct::choose(&running.nodes), Fail);
        running.create_node(false, cx);
    }

    #[on]
    fn deliver(&mut self, running: &mut Running, deliver: Deliver, cx: &mut Context<Self>) {
        let Deliver { to, repair } = deliver;
        let request = RepairRequest {
            extent: repair.extent,
            source: running.nodes[repair.source.0].clone(),
        };
        cx.send(&running.nodes[to.0], request);
    }

    #[on]
    fn note_copy(&mut self, running: &mut Running, Copied(node): Copied) -> Option<Halt> {
        running.awaited.remove(&node);
        if !running.awaited.is_empty() {
            return None;
        }
        if let Some(done) = running.done.take() {
            let _ = done.send(());
        }
        Some(Halt)
    }
}
