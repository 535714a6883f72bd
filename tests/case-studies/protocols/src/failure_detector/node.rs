//! A node that answers pings.

use cct::actor::{Context, Halt, Recipient};

use super::{PingEvent, PingsAreAnswered, Pong};

/// The number of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub usize);

/// The detector's question.
#[derive(Debug)]
pub struct Ping {
    /// The round in which it was sent.
    pub round: u32,
    /// The one who asks.
    pub from: Recipient<Pong>,
}

/// A fault: the node is gone.
#[derive(Debug)]
pub struct Fail;

/// A node that lives as long as it does not fail.
#[derive(Debug)]
pub struct Node {
    id: NodeId,
}

impl Node {
    /// A node of this number.
    #[must_use]
    pub fn new(id: NodeId) -> Node {
        Node { id }
    }
}

#[cct::actor]
impl Node {
    #[on]
    fn answer(&mut self, ping: Ping, cx: &mut Context<Self>) {
        let (node, round) = (self.id, ping.round);
        cct::notify::<PingsAreAnswered>(PingEvent::Answered(node));
        cx.send(&ping.from, Pong { node, round });
    }

    #[on]
    fn fail(&mut self, _: Fail) -> Halt {
        Halt
    }
}
