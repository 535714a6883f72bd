//! An extent node: a model.

use std::collections::BTreeSet;
use std::time::Duration;

use cct::actor::{ActorRef, Context, Halt};

use super::{Change, Copied, Driver, ManagerMachine, RepairMonitor};
use crate::{ExtentCenter, ExtentId, Message, NodeId};

/// The time between heartbeats, and between sync reports: see the manager's.
const PERIOD: Duration = Duration::from_secs(10);

/// The manager's order to copy an extent from another node.
#[derive(Debug)]
pub struct RepairRequest {
    /// The extent.
    pub extent: ExtentId,
    /// The node that is to have it.
    pub source: ActorRef<ExtentNode>,
}

/// A node's request for an extent.
#[derive(Debug)]
pub struct CopyRequest {
    /// The extent.
    pub extent: ExtentId,
    /// The node that asks.
    pub from: ActorRef<ExtentNode>,
}

/// The answer to a [`CopyRequest`] of a node that has the extent.
#[derive(Debug)]
pub struct CopyResponse(pub ExtentId);

/// A fault: the node is gone, with all that it holds.
#[derive(Debug)]
pub struct Fail;

/// The tick of the heartbeat's timer.
#[derive(Clone, Debug)]
pub struct HeartbeatIsDue;

/// The tick of the sync report's timer.
#[derive(Clone, Debug)]
pub struct SyncIsDue;

/// The state of a node at work.
#[derive(Debug)]
pub struct Working;

/// A node that keeps extents.
#[derive(Debug)]
pub struct ExtentNode {
    id: NodeId,
    manager: ActorRef<ManagerMachine>,
    driver: ActorRef<Driver>,
    /// The node's own books.
    center: ExtentCenter,
}

impl ExtentNode {
    /// A node with these extents.
    #[must_use]
    pub fn new(
        id: NodeId,
        extents: &BTreeSet<ExtentId>,
        manager: ActorRef<ManagerMachine>,
        driver: ActorRef<Driver>,
    ) -> ExtentNode {
        let mut center = ExtentCenter::default();
        center.sync(id, extents);
        ExtentNode {
            id,
            manager,
            driver,
            center,
        }
    }

    fn extents(&self) -> BTreeSet<ExtentId> {
        self.center.extents_of(self.id)
    }
}

#[cct::machine(start = Working)]
impl ExtentNode {
    #[entry]
    fn start_timers(&mut self, _: &mut Working, cx: &mut Context<Self>) {
        cx.start_periodic_timer(PERIOD, PERIOD, HeartbeatIsDue);
        cx.start_periodic_timer(PERIOD, PERIOD, SyncIsDue);
    }

    #[on]
    fn beat(&mut self, _: &mut Working, _: HeartbeatIsDue, cx: &mut Context<Self>) {
        cx.send(&self.manager, Message::Heartbeat(self.id));
    }

    #[on]
    fn report(&mut self, _: &mut Working, _: SyncIsDue, cx: &mut Context<Self>) {
        let (node, extents) = (self.id, self.extents());
        cx.send(&self.manager, Message::SyncReport { node, extents });
    }

    #[on]
    fn repair(&mut self, _: &mut Working, request: RepairRequest, cx: &mut Context<Self>) {
        if !self.extents().contains(&request.extent) {
            let from = cx.me().clone();
            let extent = request.extent;
            cx.send(&request.source, CopyRequest { extent, from });
        }
    }

    #[on]
    fn give(&mut self, _: &mut Working, request: CopyRequest, cx: &mut Context<Self>) {
        if self.extents().contains(&request.extent) {
            cx.send(&request.from, CopyResponse(request.extent));
        }
    }

    #[on]
    fn store(
        &mut self,
        _: &mut Working,
        CopyResponse(extent): CopyResponse,
        cx: &mut Context<Self>,
    ) {
        let mut extents = self.extents();
        extents.insert(extent);
        self.center.sync(self.id, &extents);
        cct::notify::<RepairMonitor>(Change::Copied(self.id));
        cx.send(&self.driver, Copied(self.id));
    }

    #[on]
    fn fail(&mut self, _: &mut Working, _: Fail) -> Halt {
        cct::notify::<RepairMonitor>(Change::Failed(self.id));
        Halt
    }
}
