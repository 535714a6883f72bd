//! A storage node.

use std::time::Duration;

use cct::actor::{ActorRef, Context, Halt};

use super::{
    Created, Environment, LostReplicasAreReplaced, NodeManager, Replica, Stored, SyncReport,
    Variant,
};

/// The time between reports.
const SYNC: Duration = Duration::from_secs(1);

/// The number of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NodeId(pub usize);

/// The data of a node: the sum of the commands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Data(pub usize);

/// Adds a command to the data.
#[derive(Debug)]
pub struct StoreRequest(pub Data);

/// Replaces data that is older.
#[derive(Debug)]
pub struct SyncRequest(pub Data);

/// A fault: the node is gone.
#[derive(Debug)]
pub struct InjectFault;

/// The tick at which a node reports.
#[derive(Clone, Debug)]
pub struct SyncIsDue;

/// The state of a node at work.
#[derive(Debug, Default)]
pub struct Working {
    data: Data,
}

/// A storage node.
#[derive(Debug)]
pub struct StorageNode {
    variant: Variant,
    id: NodeId,
    manager: ActorRef<NodeManager>,
    environment: ActorRef<Environment>,
}

impl StorageNode {
    /// A node without data.
    #[must_use]
    pub fn new(
        variant: Variant,
        id: NodeId,
        manager: ActorRef<NodeManager>,
        environment: ActorRef<Environment>,
    ) -> StorageNode {
        StorageNode {
            variant,
            id,
            manager,
            environment,
        }
    }

    fn tell_stored(&self, data: Data, cx: &Context<StorageNode>) {
        let node = self.id;
        cct::notify::<LostReplicasAreReplaced>(Replica::Stored { node, data });
        cx.send(&self.environment, Stored { node, data });
    }
}

#[cct::machine(start = Working::default())]
impl StorageNode {
    #[entry]
    fn begin(&mut self, _: &mut Working, cx: &mut Context<Self>) {
        let node = cx.me().clone();
        cx.send(&self.environment, Created { id: self.id, node });
        cx.start_periodic_timer(SYNC, SYNC, SyncIsDue);
    }

    #[on]
    fn store(&mut self, working: &mut Working, store: StoreRequest, cx: &mut Context<Self>) {
        working.data.0 += store.0.0;
        self.tell_stored(working.data, cx);
    }

    #[on]
    fn sync(&mut self, working: &mut Working, sync: SyncRequest, cx: &mut Context<Self>) {
        working.data = match self.variant {
            Variant::SyncsBackwards => sync.0,
            _ => working.data.max(sync.0),
        };
        self.tell_stored(working.data, cx);
    }

    #[on]
    fn report(&mut self, working: &mut Working, _: SyncIsDue, cx: &mut Context<Self>) {
        let report = SyncReport {
            node: self.id,
            data: working.data,
        };
        cx.send(&self.manager, report);
    }

    #[on]
    fn fail(&mut self, _: &mut Working, _: InjectFault) -> Halt {
        cct::notify::<LostReplicasAreReplaced>(Replica::Lost(self.id));
        Halt
    }
}
