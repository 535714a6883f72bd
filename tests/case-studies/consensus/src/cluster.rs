//! The replicas, by whichever of their lives, and the network between them.

use std::sync::{Arc, OnceLock};

use cct::actor::faults::{Network, Node};
use cct::actor::{ActorRef, Context};
use raft::eraftpb::Message;

use crate::plan::{Change, Moment, Plan};
use crate::{Deliver, Replica, Wire};

/// The number of a replica, from 1.
pub type ReplicaId = u64;

/// All replicas, and the way to them.
#[derive(Clone, Debug)]
pub struct Cluster {
    network: Network,
    plan: Plan,
    known: Arc<OnceLock<Known>>,
}

/// The replicas in order, and a wire to each.
#[derive(Debug)]
struct Known {
    nodes: Vec<Node<Replica>>,
    wires: Vec<ActorRef<Wire>>,
}

impl Cluster {
    /// A cluster whose replicas are not known yet.
    #[must_use]
    pub fn new(network: Network, plan: Plan) -> Cluster {
        Cluster {
            network,
            plan,
            known: Arc::default(),
        }
    }

    /// Makes the replicas known, in order, with a wire to each.
    ///
    /// # Panics
    ///
    /// If they are known.
    pub fn connect(&self, nodes: Vec<Node<Replica>>, wires: Vec<ActorRef<Wire>>) {
        let known = self.known.set(Known { nodes, wires });
        known.expect("replicas are made known once");
    }

    /// The replicas, in order. Nobody is reached before all are known.
    pub fn nodes(&self) -> &[Node<Replica>] {
        self.known.get().map_or(&[], |known| &known.nodes)
    }

    /// Sends a message through the network to the replica that it is for.
    pub fn send(&self, message: Message, cx: &Context<Replica>) {
        let Some(known) = self.known.get() else {
            return;
        };
        match self.plan.next_message() {
            Some(Change::CutOff(replica)) => self.network.cut_off([replica]),
            Some(Change::Heal) => self.network.heal(),
            None => {}
        }
        let (from, to) = (message.from as u32, message.to as u32);
        let end = known.wires[message.to as usize - 1].recipient();
        cx.send(&self.network.link(from, to, end), Deliver(message));
    }

    /// Writes to a disk. The replica may crash at that moment, and boots again at another. True if it has to
    /// [crash](Cluster::crash) once it has told others.
    pub fn write(&self, replica: ReplicaId, write: impl FnOnce()) -> bool {
        let moment = self.plan.next_write();
        if moment == Some(Moment::Before) {
            self.crash(replica);
        }
        write();
        if moment == Some(Moment::After) {
            self.crash(replica);
        }
        moment == Some(Moment::Told)
    }

    /// The replica crashes here, and boots again later.
    pub fn crash(&self, replica: ReplicaId) {
        if let Some(known) = self.known.get() {
            known.nodes[replica as usize - 1].reboot();
        }
    }
}
