//! Chord: nodes on a ring of identifiers, each responsible for the keys behind its predecessor.
//!
//! A node that is asked for a key that is not its own asks its successor. One node joins the ring and another
//! leaves; what is in the inbox of the one that leaves is lost, and a client may wait for its answer for
//! ever. The liveness monitor is hot while a request is open. Mended: who has left passes on what still
//! comes.
//!
//! Machines: the nodes, a client that looks up two keys, and main, which lets nodes join and leave. The
//! node that the client asks, and the keys, are choices.

use cct::{Monitor, Temperature};
use cct_shims::std::sync::mpsc::Receiver;

use super::machine::{Address, inbox, inboxes, start};
use crate::programs::flavour::Flavour;

/// Identifiers of nodes, and keys, are below this.
const RING: usize = 8;
/// The nodes at first, in ascending order.
const MEMBERS: [usize; 3] = [0, 3, 6];
const JOINING: usize = 5;
const LEAVING: usize = 3;
const REQUESTS: usize = 2;

type Node = usize;

enum ToNode {
    /// Which node is responsible for this key?
    FindSuccessor {
        key: usize,
        reply: Address<Node>,
    },
    /// To the node that becomes the sender's successor.
    Join {
        node: Node,
        done: Address<()>,
    },
    NewPredecessor(Node),
    NewSuccessor(Node),
    Leave,
}

/// Each request is answered.
struct Requests;

enum Request {
    Sent,
    Answered,
}

impl Monitor for Requests {
    type Event = Request;

    fn on_event(&mut self, event: Request) -> Temperature {
        match event {
            Request::Sent => Temperature::Hot("requested"),
            Request::Answered => Temperature::Cold("answered"),
        }
    }
}

pub(super) fn look_up(flavour: Flavour) {
    cct::register(Requests);
    let (nodes, inboxes) = inboxes(RING);
    let mut inboxes: Vec<_> = inboxes.into_iter().map(Some).collect();
    let mut start_node = |node: Node, predecessor: Option<Node>, successor: Node| {
        let inbox = inboxes[node].take().expect("started once");
        let mut peer = Peer {
            flavour,
            me: node,
            nodes: nodes.clone(),
            predecessor,
            successor,
        };
        start(move || peer.run(&inbox));
    };
    for (place, &node) in MEMBERS.iter().enumerate() {
        let before = MEMBERS[(place + MEMBERS.len() - 1) % MEMBERS.len()];
        let behind = MEMBERS[(place + 1) % MEMBERS.len()];
        start_node(node, Some(before), behind);
    }
    {
        let nodes = nodes.clone();
        start(move || request(&nodes));
    }
    let successor = ask(&nodes[0], JOINING);
    start_node(JOINING, None, successor);
    let (done, joined) = inbox();
    nodes[successor].send(ToNode::Join {
        node: JOINING,
        done,
    });
    joined.recv().expect("the node joins");
    nodes[LEAVING].send(ToNode::Leave);
}

/// The client.
fn request(nodes: &[Address<ToNode>]) {
    for _ in 0..REQUESTS {
        let node = MEMBERS[cct::nondet_index(MEMBERS.len())];
        let key = cct::nondet_index(RING);
        cct::notify::<Requests>(Request::Sent);
        ask(&nodes[node], key);
        cct::notify::<Requests>(Request::Answered);
    }
}

/// Asks a node for the one that is responsible for this key.
fn ask(node: &Address<ToNode>, key: usize) -> Node {
    let (reply, answer) = inbox();
    // The other end stays open: that the request was lost is not to be seen.
    let asked = reply.clone();
    node.send(ToNode::FindSuccessor { key, reply });
    let answer = answer.recv().expect("an open end");
    drop(asked);
    answer
}

struct Peer {
    flavour: Flavour,
    me: Node,
    nodes: Vec<Address<ToNode>>,
    /// None until the node has joined.
    predecessor: Option<Node>,
    successor: Node,
}

impl Peer {
    fn run(&mut self, inbox: &Receiver<ToNode>) {
        while let Ok(message) = inbox.recv() {
            match message {
                ToNode::FindSuccessor { key, reply } => self.find(key, reply),
                ToNode::Join { node, done } => self.let_join(node, &done),
                ToNode::NewPredecessor(node) => self.predecessor = Some(node),
                ToNode::NewSuccessor(node) => self.successor = node,
                ToNode::Leave => return self.leave(inbox),
            }
        }
    }

    fn find(&self, key: usize, reply: Address<Node>) {
        match self.predecessor {
            Some(predecessor) if is_between(key, predecessor, self.me) => reply.send(self.me),
            Some(_) | None => self.pass_on(ToNode::FindSuccessor { key, reply }),
        }
    }

    fn pass_on(&self, message: ToNode) {
        self.nodes[self.successor].send(message);
    }

    /// Lets a node in between this one and its predecessor.
    fn let_join(&mut self, node: Node, done: &Address<()>) {
        if let Some(predecessor) = self.predecessor.replace(node) {
            self.nodes[node].send(ToNode::NewPredecessor(predecessor));
            self.nodes[predecessor].send(ToNode::NewSuccessor(node));
        }
        done.send(());
    }

    fn leave(&mut self, inbox: &Receiver<ToNode>) {
        if let Some(predecessor) = self.predecessor {
            self.nodes[self.successor].send(ToNode::NewPredecessor(predecessor));
            self.nodes[predecessor].send(ToNode::NewSuccessor(self.successor));
        }
        if self.flavour.is_fixed() {
            while let Ok(message) = inbox.recv() {
                self.pass_on(message);
            }
        }
    }
}

/// True if the key is behind `predecessor` and not behind `node`, going round the ring.
fn is_between(key: usize, predecessor: Node, node: Node) -> bool {
    let distance = |from: usize, to: usize| (to + RING - from) % RING;
    let behind = distance(predecessor, key);
    behind != 0 && behind <= distance(predecessor, node)
}
