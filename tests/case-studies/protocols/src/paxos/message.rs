//! The messages of the protocol.

use cct::actor::ActorRef;

use super::Proposer;

/// The number of a proposal; each proposer has one of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Number(pub usize);

/// A value that may be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value(pub usize);

/// The number of an acceptor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct AcceptorId(pub usize);

/// A proposal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proposal {
    /// Its number.
    pub number: Number,
    /// Its value.
    pub value: Value,
}

/// Asks an acceptor to take part in a proposal.
#[derive(Clone, Debug)]
pub struct Prepare {
    /// The proposal's number.
    pub number: Number,
    /// The proposer.
    pub from: ActorRef<Proposer>,
}

/// An acceptor's promise to accept no earlier proposal any more.
#[derive(Clone, Copy, Debug)]
pub struct Promise {
    /// The acceptor.
    pub acceptor: AcceptorId,
    /// The last proposal that it has accepted.
    pub accepted: Option<Proposal>,
}

/// Asks an acceptor to accept a proposal.
#[derive(Clone, Copy, Debug)]
pub struct Accept(pub Proposal);

/// An acceptor's word that it has accepted a proposal.
#[derive(Clone, Copy, Debug)]
pub struct Accepted {
    /// The acceptor.
    pub acceptor: AcceptorId,
    /// The proposal.
    pub proposal: Proposal,
}
