//! A proposer.

use cct::actor::{ActorRef, Context};

use super::{Accept, Acceptor, Number, Prepare, Promise, Proposal, Value};

/// Whether proposers have the bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// They take over the latest proposal that was accepted.
    Mended,
    /// They take over the earliest proposal that was accepted.
    TakesOverTheEarliest,
}

/// The state in which promises are gathered.
#[derive(Debug, Default)]
pub struct Preparing {
    promises: Vec<Promise>,
}

/// The state in which the proposal is made.
#[derive(Debug)]
pub struct Accepting {
    proposal: Proposal,
    /// The promises of a majority.
    promises: Vec<Promise>,
}

/// A proposer with a value of its own.
#[derive(Debug)]
pub struct Proposer {
    variant: Variant,
    number: Number,
    value: Value,
    /// The acceptors, by number.
    acceptors: Vec<ActorRef<Acceptor>>,
}

impl Proposer {
    /// A proposer of this value.
    #[must_use]
    pub fn new(
        variant: Variant,
        number: Number,
        value: Value,
        acceptors: Vec<ActorRef<Acceptor>>,
    ) -> Proposer {
        Proposer {
            variant,
            number,
            value,
            acceptors,
        }
    }

    fn is_majority(&self, promises: usize) -> bool {
        promises > self.acceptors.len() / 2
    }

    /// The value that a majority with these promises leaves to it.
    fn value(&self, promises: &[Promise]) -> Value {
        let accepted = promises.iter().filter_map(|promise| promise.accepted);
        let earlier = match self.variant {
            Variant::Mended => accepted.max_by_key(|proposal| proposal.number),
            Variant::TakesOverTheEarliest => accepted.min_by_key(|proposal| proposal.number),
        };
        earlier.map_or(self.value, |proposal| proposal.value)
    }

    fn ask_to_accept(&self, promise: &Promise, proposal: Proposal, cx: &Context<Proposer>) {
        cx.send(&self.acceptors[promise.acceptor.0], Accept(proposal));
    }
}

#[cct::machine(start = Preparing::default())]
impl Proposer {
    #[entry]
    fn prepare(&mut self, _: &mut Preparing, cx: &mut Context<Self>) {
        // Each begins with another acceptor.
        let count = self.acceptors.len();
        let first = 2 * self.number.0 % count;
        for acceptor in self.acceptors.iter().cycle().skip(first).take(count) {
            let from = cx.me().clone();
            let number = self.number;
            cx.send(acceptor, Prepare { number, from });
        }
    }

    #[on]
    fn gather(&mut self, preparing: &mut Preparing, promise: Promise) -> Option<Accepting> {
        preparing.promises.push(promise);
        if !self.is_majority(preparing.promises.len()) {
            return None;
        }
        let promises = std::mem::take(&mut preparing.promises);
        let proposal = Proposal {
            number: self.number,
            value: self.value(&promises),
        };
        Some(Accepting { proposal, promises })
    }

    #[entry]
    fn propose(&mut self, accepting: &mut Accepting, cx: &mut Context<Self>) {
        for promise in &accepting.promises {
            self.ask_to_accept(promise, accepting.proposal, cx);
        }
    }

    #[on]
    fn propose_to_one_more(
        &mut self,
        accepting: &mut Accepting,
        promise: Promise,
        cx: &mut Context<Self>,
    ) {
        self.ask_to_accept(&promise, accepting.proposal, cx);
    }
}
