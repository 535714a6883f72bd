//! The client.

use cct::actor::{ActorRef, Context};

use super::{FindSuccessor, Found, Key, Lookup, LookupsAreAnswered, Node, RING};

/// Looks up so many keys, one after another.
#[derive(Debug)]
pub struct LookUp(pub u32);

/// A client, which asks any of these nodes.
#[derive(Debug)]
pub struct Client {
    nodes: Vec<ActorRef<Node>>,
    /// How many keys are left to look up.
    left: u32,
}

impl Client {
    /// A client of these nodes.
    #[must_use]
    pub fn new(nodes: Vec<ActorRef<Node>>) -> Client {
        Client { nodes, left: 0 }
    }

    fn look_up_next(&mut self, cx: &Context<Client>) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let node = cct::choose(&self.nodes);
        let key = Key(cct::nondet_index(RING));
        let from = cx.me().recipient();
        cct::notify::<LookupsAreAnswered>(Lookup::Requested);
        cx.send(node, FindSuccessor { key, from });
    }
}

#[cct::actor]
impl Client {
    #[on]
    fn begin(&mut self, LookUp(count): LookUp, cx: &mut Context<Self>) {
        self.left = count;
        self.look_up_next(cx);
    }

    #[on]
    fn go_on(&mut self, _: Found, cx: &mut Context<Self>) {
        cct::notify::<LookupsAreAnswered>(Lookup::Answered);
        self.look_up_next(cx);
    }
}
