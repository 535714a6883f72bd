//! A server of the chain.

use cct::actor::{ActorRef, Context, Halt};

use super::{
    Acknowledge, BecomeHead, BecomeTail, Connect, Fail, Forward, HistoriesAreSorted,
    NewPredecessor, NewSuccessor, Recorded, Sequence, ServerId, Update,
};

/// Whether servers have the bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// A server that is head and tail acknowledges by itself.
    Mended,
    /// A server that is head and tail forwards updates to itself.
    ForwardsToItself,
}

/// The state before the chain is known.
#[derive(Debug)]
pub struct Starting;

/// The state of a server in the chain.
#[derive(Debug)]
pub struct Serving {
    servers: Vec<ActorRef<ChainServer>>,
    /// None for the head.
    predecessor: Option<ServerId>,
    /// None for the tail.
    successor: Option<ServerId>,
    /// The last update.
    sequence: Sequence,
    /// The updates that were forwarded and are not acknowledged.
    unacknowledged: Vec<Sequence>,
}

/// A server.
#[derive(Debug)]
pub struct ChainServer {
    variant: Variant,
    id: ServerId,
}

impl ChainServer {
    /// A server that is not in the chain yet.
    #[must_use]
    pub fn new(variant: Variant, id: ServerId) -> ChainServer {
        ChainServer { variant, id }
    }

    fn record(&self, sequence: Sequence) {
        let server = self.id;
        cct::notify::<HistoriesAreSorted>(Recorded { server, sequence });
    }

    /// Passes an update on.
    fn send_on(&self, serving: &Serving, sequence: Sequence, cx: &Context<ChainServer>) {
        let successor = serving.successor.unwrap_or(self.id);
        let from = self.id;
        cx.send(&serving.servers[successor.0], Forward { from, sequence });
    }

    fn forward(&self, serving: &mut Serving, cx: &Context<ChainServer>) {
        serving.unacknowledged.push(serving.sequence);
        self.send_on(serving, serving.sequence, cx);
    }
}

impl Serving {
    fn send_back(&self, sequence: Sequence, cx: &Context<ChainServer>) {
        if let Some(ServerId(server)) = self.predecessor {
            cx.send(&self.servers[server], Acknowledge(sequence));
        }
    }
}

#[cct::machine(start = Starting)]
#[defer(Starting: Update, Forward, Acknowledge, BecomeHead, BecomeTail, NewPredecessor, NewSuccessor)]
#[defer(Starting: Fail)]
impl ChainServer {
    #[on]
    fn connect(&mut self, _: &mut Starting, Connect(servers): Connect) -> Serving {
        let next = self.id.0 + 1;
        Serving {
            predecessor: self.id.0.checked_sub(1).map(ServerId),
            successor: (next < servers.len()).then_some(ServerId(next)),
            servers,
            sequence: Sequence::default(),
            unacknowledged: Vec::new(),
        }
    }

    #[on]
    fn update(&mut self, serving: &mut Serving, _: Update, cx: &mut Context<Self>) {
        if serving.predecessor.is_some() {
            return;
        }
        serving.sequence.0 += 1;
        self.record(serving.sequence);
        if serving.successor.is_some() || self.variant == Variant::ForwardsToItself {
            self.forward(serving, cx);
        }
    }

    #[on]
    fn take_over(&mut self, serving: &mut Serving, forward: Forward, cx: &mut Context<Self>) {
        if forward.from != serving.predecessor.unwrap_or(self.id) {
            return;
        }
        serving.sequence = forward.sequence;
        if serving.predecessor.is_some() {
            self.record(serving.sequence);
        }
        if serving.successor.is_some() {
            self.forward(serving, cx);
        } else {
            serving.send_back(serving.sequence, cx);
        }
    }

    #[on]
    fn acknowledge(
        &mut self,
        serving: &mut Serving,
        Acknowledge(sequence): Acknowledge,
        cx: &mut Context<Self>,
    ) {
        serving.unacknowledged.retain(|open| *open != sequence);
        serving.send_back(sequence, cx);
    }

    #[on]
    fn become_head(&mut self, serving: &mut Serving, BecomeHead(reply): BecomeHead) {
        serving.predecessor = None;
        let _ = reply.send(());
    }

    #[on]
    fn become_tail(
        &mut self,
        serving: &mut Serving,
        BecomeTail(reply): BecomeTail,
        cx: &mut Context<Self>,
    ) {
        serving.successor = None;
        for sequence in std::mem::take(&mut serving.unacknowledged) {
            serving.send_back(sequence, cx);
        }
        let _ = reply.send(());
    }

    #[on]
    fn follow(&mut self, serving: &mut Serving, new: NewPredecessor) {
        serving.predecessor = Some(new.server);
        let _ = new.reply.send(serving.sequence);
    }

    #[on]
    fn lead(&mut self, serving: &mut Serving, new: NewSuccessor, cx: &mut Context<Self>) {
        serving.successor = Some(new.server);
        let missing = serving
            .unacknowledged
            .iter()
            .filter(|open| **open > new.has);
        for sequence in missing {
            self.send_on(serving, *sequence, cx);
        }
        let _ = new.reply.send(());
    }

    #[on]
    fn fail(&mut self, _: &mut Serving, _: Fail) -> Halt {
        Halt
    }
}
