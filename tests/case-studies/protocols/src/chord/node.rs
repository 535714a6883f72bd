//! A node of the ring.

use cct::actor::{Context, Recipient, Reply, Then};

use super::{Joined, Key, Member, PredecessorsAreInOrder};

/// Whether nodes have one of the bugs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// They have no bug.
    Mended,
    /// A node that leaves loses the requests in its inbox.
    LosesRequests,
    /// A node lets others in wherever they belong.
    LetsAnyoneIn,
}

/// Asks for the node that is responsible for a key.
#[derive(Clone, Debug)]
pub struct FindSuccessor {
    /// The key.
    pub key: Key,
    /// The one who asks.
    pub from: Recipient<Found>,
}

/// The answer to [`FindSuccessor`].
#[derive(Clone, Debug)]
pub struct Found(pub Member);

/// Has a node join the ring, which it asks this member for.
#[derive(Debug)]
pub struct JoinVia {
    /// The member.
    pub member: Member,
    /// Where the end is told.
    pub done: Reply<()>,
}

/// A node's request to be its successor's predecessor.
#[derive(Clone, Debug)]
pub struct Join(pub Member);

/// Takes a node into the ring.
#[derive(Debug)]
pub struct Welcome {
    /// Its predecessor.
    pub predecessor: Member,
    /// Its successor.
    pub successor: Member,
}

/// Gives a node another predecessor.
#[derive(Clone, Debug)]
pub struct NewPredecessor(pub Member);

/// Gives a node another successor.
#[derive(Clone, Debug)]
pub struct NewSuccessor(pub Member);

/// Has a node leave the ring.
#[derive(Debug)]
pub struct Leave;

/// The state before a node has joined.
#[derive(Debug)]
pub struct Outside;

/// The state of a member of the ring.
#[derive(Debug)]
pub struct InRing {
    predecessor: Member,
    successor: Member,
}

/// The state of a node that has left, and passes on what still comes.
#[derive(Debug)]
pub struct Left {
    successor: Member,
}

/// A node.
#[derive(Debug)]
pub struct Node {
    variant: Variant,
    id: Key,
    done: Option<Reply<()>>,
}

impl Node {
    /// A node with this identifier, which is not in the ring.
    #[must_use]
    pub fn new(variant: Variant, id: Key) -> Node {
        Node {
            variant,
            id,
            done: None,
        }
    }

    fn member(&self, cx: &Context<Node>) -> Member {
        let node = cx.me().clone();
        Member { id: self.id, node }
    }
}

#[cct::machine(start = Outside)]
#[defer(Outside: FindSuccessor, Join, NewPredecessor, NewSuccessor, Leave)]
impl Node {
    #[on]
    fn ask_to_join(&mut self, _: &mut Outside, join: JoinVia, cx: &mut Context<Self>) {
        self.done = Some(join.done);
        let (key, from) = (self.id, cx.me().recipient());
        cx.send(&join.member.node, FindSuccessor { key, from });
    }

    #[on]
    fn join(&mut self, _: &mut Outside, Found(successor): Found, cx: &mut Context<Self>) {
        cx.send(&successor.node, Join(self.member(cx)));
    }

    #[on]
    fn enter(&mut self, _: &mut Outside, welcome: Welcome) -> InRing {
        if let Some(done) = self.done.take() {
            let _ = done.send(());
        }
        InRing {
            predecessor: welcome.predecessor,
            successor: welcome.successor,
        }
    }

    #[on]
    fn find(&mut self, ring: &mut InRing, request: FindSuccessor, cx: &mut Context<Self>) {
        if request.key.is_between(ring.predecessor.id, self.id) {
            cx.send(&request.from, Found(self.member(cx)));
        } else {
            cx.send(&ring.successor.node, request);
        }
    }

    #[on]
    fn let_in(&mut self, ring: &mut InRing, Join(joins): Join, cx: &mut Context<Self>) {
        let before = ring.predecessor.clone();
        let is_in_order = joins.id.is_between(before.id, self.id);
        if !is_in_order && self.variant != Variant::LetsAnyoneIn {
            // Another one has joined meanwhile.
            cx.send(&before.node, Join(joins));
            return;
        }
        cct::notify::<PredecessorsAreInOrder>(Joined {
            node: self.id,
            before: before.id,
            joins: joins.id,
        });
        ring.predecessor = joins.clone();
        cx.send(&before.node, NewSuccessor(joins.clone()));
        let welcome = Welcome {
            predecessor: before,
            successor: self.member(cx),
        };
        cx.send(&joins.node, welcome);
    }

    #[on]
    fn follow(&mut self, ring: &mut InRing, NewPredecessor(predecessor): NewPredecessor) {
        ring.predecessor = predecessor;
    }

    #[on]
    fn lead(&mut self, ring: &mut InRing, NewSuccessor(successor): NewSuccessor) {
        ring.successor = successor;
    }

    #[on]
    fn leave(&mut self, ring: &mut InRing, _: Leave, cx: &mut Context<Self>) -> Then<Self> {
        let InRing {
            predecessor,
            successor,
        } = ring;
        cx.send(&successor.node, NewPredecessor(predecessor.clone()));
        cx.send(&predecessor.node, NewSuccessor(successor.clone()));
        match self.variant {
            Variant::LosesRequests => Then::halt(),
            _ => Then::goto(Left {
                successor: successor.clone(),
            }),
        }
    }

    #[on]
    fn pass_on(&mut self, left: &mut Left, request: FindSuccessor, cx: &mut Context<Self>) {
        cx.send(&left.successor.node, request);
    }
}
