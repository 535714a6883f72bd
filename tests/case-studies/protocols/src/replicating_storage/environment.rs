//! The environment: it makes a node fail, and sees the end.

use std::collections::BTreeMap;
use std::time::Duration;

use cct::actor::{ActorRef, Context, Reply};

use super::scenario::REPLICAS;
use super::{Client, Data, InjectFault, NodeId, NodeManager, NotifyFailure, StorageNode, Variant};

/// The time of the failure.
const FAILURE: Duration = Duration::from_secs(5);

/// Begins the scenario.
#[derive(Debug)]
pub struct Begin {
    /// Whether the manager has the bug.
    pub variant: Variant,
    /// Where the end is told.
    pub done: Reply<()>,
}

/// The word that a node was created.
#[derive(Debug)]
pub struct Created {
    /// Its number.
    pub id: NodeId,
    /// The node.
    pub node: ActorRef<StorageNode>,
}

/// The word that a node has stored data.
#[derive(Debug)]
pub struct Stored {
    /// The node.
    pub node: NodeId,
    /// Its data now.
    pub data: Data,
}

/// The tick at which a node fails.
#[derive(Debug)]
pub struct FailureIsDue;

/// The state before the scenario.
#[derive(Debug)]
pub struct Idle;

/// The state in which all nodes live.
#[derive(Debug)]
pub struct Healthy {
    manager: ActorRef<NodeManager>,
    nodes: BTreeMap<NodeId, ActorRef<StorageNode>>,
}

/// The state after the failure.
#[derive(Debug)]
pub struct Failed(NodeId);

/// The environment of the store.
#[derive(Debug, Default)]
pub struct Environment {
    data: BTreeMap<NodeId, Data>,
    done: Option<Reply<()>>,
}

impl Environment {
    fn store(&mut self, stored: &Stored) {
        self.data.insert(stored.node, stored.data);
    }
}

#[cct::machine(start = Idle)]
#[ignore(Failed: Created)]
impl Environment {
    #[on]
    fn begin(&mut self, _: &mut Idle, begin: Begin, cx: &mut Context<Self>) -> Healthy {
        self.done = Some(begin.done);
        let manager = cx.create(NodeManager::new(begin.variant, cx.me().clone()));
        cx.create(Client::new(manager.clone()));
        Healthy {
            manager,
            nodes: BTreeMap::new(),
        }
    }

    #[on]
    fn note_node(&mut self, healthy: &mut Healthy, created: Created, cx: &mut Context<Self>) {
        healthy.nodes.insert(created.id, created.node);
        if healthy.nodes.len() == REPLICAS {
            cx.start_timer(FAILURE, FailureIsDue);
        }
    }

    #[on]
    fn note_data(&mut self, _: &mut Healthy, stored: Stored) {
        self.store(&stored);
    }

    #[on]
    fn fail_one(
        &mut self,
        healthy: &mut Healthy,
        _: FailureIsDue,
        cx: &mut Context<Self>,
    ) -> Failed {
        let nodes: Vec<_> = healthy.nodes.iter().collect();
        let (&id, node) = *cct::choose(&nodes);
        cx.send(node, InjectFault);
        cx.send(&healthy.manager, NotifyFailure(id));
        self.data.remove(&id);
        Failed(id)
    }

    #[on]
    fn see_repair(&mut self, failed: &mut Failed, stored: Stored) {
        if stored.node == failed.0 {
            return;
        }
        self.store(&stored);
        let same = self.data.values().filter(|data| **data == stored.data);
        if same.count() == REPLICAS
            && let Some(done) = self.done.take()
        {
            let _ = done.send(());
        }
    }
}
