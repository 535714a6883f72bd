//! Paxos, single decree: three proposers, five acceptors of which two may fail, and a learner.
//!
//! A proposer that hears of values accepted earlier has to propose that of the highest proposal. This one
//! takes the lowest, and may so undo what was chosen. The learner's monitor allows one value.

use cct::{Monitor, Temperature};
use cct_shims::std::sync::mpsc::Receiver;

use super::machine::{Address, inbox, inboxes, start};
use crate::programs::flavour::Flavour;

const PROPOSERS: usize = 3;
const ACCEPTORS: usize = 5;
const MAJORITY: usize = ACCEPTORS / 2 + 1;
const FAILURES: usize = 2;

/// A proposal's number; each proposer has one of its own.
type Number = usize;
type Value = usize;

#[derive(Clone, Copy)]
struct Proposal {
    number: Number,
    value: Value,
}

enum ToAcceptor {
    Prepare(Number),
    Accept(Proposal),
    Fail,
}

struct Promise {
    acceptor: usize,
    accepted: Option<Proposal>,
}

struct Accepted {
    acceptor: usize,
    proposal: Proposal,
}

/// All that is learned is the same value.
#[derive(Default)]
struct OneValue {
    learned: Option<Value>,
}

impl Monitor for OneValue {
    type Event = Value;

    fn on_event(&mut self, value: Value) -> Temperature {
        let learned = *self.learned.get_or_insert(value);
        assert!(learned == value, "conflicting values learned");
        Temperature::Cold("learned")
    }
}

pub(super) fn agree(flavour: Flavour) {
    cct::register(OneValue::default());
    let (acceptors, acceptor_inboxes) = inboxes(ACCEPTORS);
    let (proposers, proposer_inboxes) = inboxes(PROPOSERS);
    let (learner, learner_inbox) = inbox();
    for (acceptor, inbox) in acceptor_inboxes.into_iter().enumerate() {
        let (proposers, learner) = (proposers.clone(), learner.clone());
        start(move || accept(acceptor, &inbox, &proposers, &learner));
    }
    for (number, inbox) in proposer_inboxes.into_iter().enumerate() {
        let acceptors = acceptors.clone();
        start(move || propose(flavour, number, &inbox, &acceptors));
    }
    start(move || learn(&learner_inbox));
    let mut failures = 0;
    for acceptor in acceptors {
        if failures < FAILURES && cct::nondet_bool() {
            acceptor.send(ToAcceptor::Fail);
            failures += 1;
        }
    }
}

/// A proposer, whose own value is its number.
fn propose(
    flavour: Flavour,
    number: Number,
    inbox: &Receiver<Promise>,
    acceptors: &[Address<ToAcceptor>],
) {
    // Each begins with another.
    for acceptor in 0..ACCEPTORS {
        let acceptor = (number * FAILURES + acceptor) % ACCEPTORS;
        acceptors[acceptor].send(ToAcceptor::Prepare(number));
    }
    let mut promises = Vec::new();
    while promises.len() < MAJORITY {
        let Ok(promise) = inbox.recv() else { return };
        promises.push(promise);
    }
    let accepted = promises.iter().filter_map(|promise| promise.accepted);
    let earlier = match flavour {
        Flavour::Fixed => accepted.max_by_key(|proposal| proposal.number),
        Flavour::Buggy => accepted.min_by_key(|proposal| proposal.number),
    };
    let value = earlier.map_or(number, |proposal| proposal.value);
    let proposal = Proposal { number, value };
    for promise in promises {
        acceptors[promise.acceptor].send(ToAcceptor::Accept(proposal));
    }
    while let Ok(promise) = inbox.recv() {
        acceptors[promise.acceptor].send(ToAcceptor::Accept(proposal));
    }
}

/// An acceptor.
fn accept(
    acceptor: usize,
    inbox: &Receiver<ToAcceptor>,
    proposers: &[Address<Promise>],
    learner: &Address<Accepted>,
) {
    let mut promised = None;
    let mut accepted = None;
    while let Ok(message) = inbox.recv() {
        match message {
            ToAcceptor::Prepare(number) => {
                if promised < Some(number) {
                    promised = Some(number);
                    proposers[number].send(Promise { acceptor, accepted });
                }
            }
            ToAcceptor::Accept(proposal) => {
                if promised == Some(proposal.number) {
                    accepted = Some(proposal);
                    learner.send(Accepted { acceptor, proposal });
                }
            }
            ToAcceptor::Fail => return,
        }
    }
}

/// The learner: what a majority has accepted under one number is chosen.
fn learn(inbox: &Receiver<Accepted>) {
    let mut last: [Option<Proposal>; ACCEPTORS] = [None; ACCEPTORS];
    while let Ok(Accepted { acceptor, proposal }) = inbox.recv() {
        last[acceptor] = Some(proposal);
        let same = last
            .iter()
            .flatten()
            .filter(|other| other.number == proposal.number);
        if same.count() >= MAJORITY {
            cct::notify::<OneValue>(proposal.value);
        }
    }
}
