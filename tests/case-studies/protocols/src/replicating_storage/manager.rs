//! The manager.

use std::collections::BTreeMap;
use std::time::Duration;

use cct::actor::{ActorRef, Context};

use super::scenario::REPLICAS;
use super::{Data, Environment, NodeId, StorageNode, StoreRequest, SyncRequest};

/// The time between repairs.
const REPAIR: Duration = Duration::from_secs(2);

/// The store's behaviour: mended, or with one of its two bugs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// It has no bug.
    Mended,
    /// The manager believes every report, also of nodes that are gone.
    BelievesEveryReport,
    /// A node believes that the manager's data is later than its own, and loses a command.
    SyncsBackwards,
}

/// A client's command.
#[derive(Debug)]
pub struct Request(pub Data);

/// A node's report of its data.
#[derive(Debug)]
pub struct SyncReport {
    /// The node.
    pub node: NodeId,
    /// Its data.
    pub data: Data,
}

/// The word that a node has failed.
#[derive(Debug)]
pub struct NotifyFailure(pub NodeId);

/// The tick at which the manager looks for nodes that lag behind.
#[derive(Clone, Debug)]
pub struct RepairIsDue;

/// The state of a manager at work.
#[derive(Debug)]
pub struct Serving;

/// A manager of storage nodes.
#[derive(Debug)]
pub struct NodeManager {
    variant: Variant,
    environment: ActorRef<Environment>,
    /// The nodes that live.
    nodes: BTreeMap<NodeId, ActorRef<StorageNode>>,
    /// The data that nodes have reported.
    data: BTreeMap<NodeId, Data>,
    next_id: usize,
}

impl NodeManager {
    /// A manager in this environment.
    #[must_use]
    pub fn new(variant: Variant, environment: ActorRef<Environment>) -> NodeManager {
        NodeManager {
            variant,
            environment,
            nodes: BTreeMap::new(),
            data: BTreeMap::new(),
            next_id: 0,
        }
    }

    fn create_node(&mut self, cx: &Context<NodeManager>) {
        let id = NodeId(self.next_id);
        self.next_id += 1;
        let node = StorageNode::new(self.variant, id, cx.me().clone(), self.environment.clone());
        self.nodes.insert(id, cx.create(node));
    }

    fn believes(&self, node: NodeId) -> bool {
        match self.variant {
            Variant::BelievesEveryReport => true,
            _ => self.nodes.contains_key(&node),
        }
    }
}

#[cct::machine(start = Serving)]
impl NodeManager {
    #[entry]
    fn begin(&mut self, _: &mut Serving, cx: &mut Context<Self>) {
        for _ in 0..REPLICAS {
            self.create_node(cx);
        }
        cx.start_periodic_timer(REPAIR, REPAIR, RepairIsDue);
    }

    #[on]
    fn request(&mut self, _: &mut Serving, Request(command): Request, cx: &mut Context<Self>) {
        for node in self.nodes.values() {
            cx.send(node, StoreRequest(command));
        }
    }

    #[on]
    fn note(&mut self, _: &mut Serving, report: SyncReport) {
        if self.believes(report.node) {
            self.data.insert(report.node, report.data);
        }
    }

    #[on]
    fn replace(
        &mut self,
        _: &mut Serving,
        NotifyFailure(id): NotifyFailure,
        cx: &mut Context<Self>,
    ) {
        self.nodes.remove(&id);
        self.data.remove(&id);
        self.create_node(cx);
    }

    #[on]
    fn repair(&mut self, _: &mut Serving, _: RepairIsDue, cx: &mut Context<Self>) {
        let Some(latest) = self.data.values().copied().max() else {
            return;
        };
        let holders = self.data.values().filter(|data| **data == latest);
        let missing = REPLICAS.saturating_sub(holders.count());
        let behind = (self.nodes.iter()).filter(|(id, _)| self.data.get(id) != Some(&latest));
        for (_, node) in behind.take(missing) {
            cx.send(node, SyncRequest(latest));
        }
    }
}
