//! A replicated store whose manager repairs what failed nodes held, as the extent manager of vNext does.
//!
//! Nodes report by heartbeats that they live, and by syncs what they hold. A node that was not heard of for
//! a while is forgotten, with its replica; where replicas are missing, another node is told to copy. A sync
//! that comes late from a forgotten node brings its replica back, and since a forgotten node is not watched
//! any more, this is never corrected: if the node has failed, nothing is repaired, for ever. The liveness
//! monitor is hot while too few nodes that live hold a replica. Mended: a sync of a forgotten node is
//! ignored. (Deligiannis et al.: Uncovering bugs in distributed storage systems during testing, not in
//! production, FAST 2016, section 3.)
//!
//! Machines: the manager, three nodes with replicas and a spare one, and main, which is all the timers and
//! lets one node fail. First a timer runs out that is chosen, and again; then all do for some rounds in step
//! with the machines, so that what will ever be repaired is.

use cct::{Monitor, Temperature};
use cct_shims::std::sync::mpsc::Receiver;

use super::machine::{Address, inbox, inboxes, start};
use crate::programs::flavour::Flavour;
use crate::programs::threads::join;

const NODES: usize = 4;
const REPLICAS: usize = 3;
const FAILING: usize = 0;
/// How often a timer runs out while nobody waits for anybody, and rounds in step.
const LOOSE: usize = 6;
const STRICT: usize = 4;

type Done = Address<()>;

enum ToNode {
    /// Say that you live, and what you hold.
    Report,
    ReportAndConfirm(Done),
    Copy,
    Fail,
}

enum ToManager {
    Heartbeat(usize),
    Sync(usize),
    /// Forget those who were not heard of since the last time.
    Expire,
    /// Repair what is missing.
    Repair,
    Confirm(Done),
}

/// Enough nodes that live hold a replica, again and again.
struct Replicas {
    holds: [bool; NODES],
}

enum Change {
    Failed(usize),
    Copied(usize),
}

impl Monitor for Replicas {
    type Event = Change;

    fn on_event(&mut self, change: Change) -> Temperature {
        match change {
            Change::Failed(node) => self.holds[node] = false,
            Change::Copied(node) => self.holds[node] = true,
        }
        match self.holds.iter().filter(|holds| **holds).count() {
            REPLICAS.. => Temperature::Cold("repaired"),
            _ => Temperature::Hot("repairing"),
        }
    }
}

pub(super) fn repair(flavour: Flavour) {
    let holds = std::array::from_fn(|node| node < REPLICAS);
    cct::register(Replicas { holds });
    let (nodes, node_inboxes) = inboxes(NODES);
    let (manager, manager_inbox) = inbox();
    let mut threads = Vec::new();
    for (node, inbox) in node_inboxes.into_iter().enumerate() {
        let manager = manager.clone();
        threads.push(start(move || store(node, &inbox, &manager)));
    }
    let mut machine = Manager {
        flavour,
        nodes: nodes.clone(),
        known: [true; NODES],
        heard: [true; NODES],
        replicas: holds,
    };
    start(move || machine.run(&manager_inbox));
    for _ in 0..LOOSE {
        match cct::nondet_index(3) {
            0 => nodes.iter().for_each(|node| node.send(ToNode::Report)),
            1 => manager.send(ToManager::Expire),
            _ => manager.send(ToManager::Repair),
        }
    }
    nodes[FAILING].send(ToNode::Fail);
    join([threads.swap_remove(FAILING)]);
    let (done, confirmed) = inbox();
    let wait = || confirmed.recv().expect("a confirmation");
    for _ in 0..STRICT {
        for (_, node) in nodes
            .iter()
            .enumerate()
            .filter(|(node, _)| *node != FAILING)
        {
            node.send(ToNode::ReportAndConfirm(done.clone()));
            wait();
        }
        manager.send(ToManager::Expire);
        manager.send(ToManager::Repair);
        manager.send(ToManager::Confirm(done.clone()));
        wait();
    }
}

/// A node.
fn store(me: usize, inbox: &Receiver<ToNode>, manager: &Address<ToManager>) {
    let mut holds = me < REPLICAS;
    let report = |holds: bool| {
        manager.send(ToManager::Heartbeat(me));
        if holds {
            manager.send(ToManager::Sync(me));
        }
    };
    while let Ok(message) = inbox.recv() {
        match message {
            ToNode::Report => report(holds),
            ToNode::ReportAndConfirm(done) => {
                report(holds);
                done.send(());
            }
            ToNode::Copy => {
                holds = true;
                cct::notify::<Replicas>(Change::Copied(me));
            }
            ToNode::Fail => {
                cct::notify::<Replicas>(Change::Failed(me));
                return;
            }
        }
    }
}

struct Manager {
    flavour: Flavour,
    nodes: Vec<Address<ToNode>>,
    /// The nodes that are not forgotten.
    known: [bool; NODES],
    /// The nodes heard of since the last check.
    heard: [bool; NODES],
    /// The holders of a replica, as far as is known.
    replicas: [bool; NODES],
}

impl Manager {
    fn run(&mut self, inbox: &Receiver<ToManager>) {
        while let Ok(message) = inbox.recv() {
            match message {
                ToManager::Heartbeat(node) => {
                    self.known[node] = true;
                    self.heard[node] = true;
                }
                ToManager::Sync(node) => {
                    if self.flavour.is_buggy() || self.known[node] {
                        self.replicas[node] = true;
                    }
                }
                ToManager::Expire => self.expire(),
                ToManager::Repair => self.repair(),
                ToManager::Confirm(done) => done.send(()),
            }
        }
    }

    fn expire(&mut self) {
        for node in 0..NODES {
            if self.known[node] && !self.heard[node] {
                self.known[node] = false;
                self.replicas[node] = false;
            }
        }
        self.heard = [false; NODES];
    }

    fn repair(&mut self) {
        let held = self.replicas.iter().filter(|holds| **holds).count();
        let can_copy = |node: &usize| self.known[*node] && !self.replicas[*node];
        for node in (0..NODES)
            .filter(can_copy)
            .take(REPLICAS.saturating_sub(held))
        {
            self.nodes[node].send(ToNode::Copy);
        }
    }
}
