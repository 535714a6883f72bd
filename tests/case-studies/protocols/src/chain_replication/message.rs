//! The messages of the protocol.

use cct::actor::{ActorRef, Reply};

use super::ChainServer;

/// The number of an update.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Sequence(pub u32);

/// The number of a server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ServerId(pub usize);

/// Tells a server of all servers, from head to tail.
#[derive(Clone, Debug)]
pub struct Connect(pub Vec<ActorRef<ChainServer>>);

/// A client's update.
#[derive(Debug)]
pub struct Update;

/// An update on its way along the chain.
#[derive(Debug)]
pub struct Forward {
    /// The server that has it already.
    pub from: ServerId,
    /// The update's number.
    pub sequence: Sequence,
}

/// The word that the tail has an update.
#[derive(Debug)]
pub struct Acknowledge(pub Sequence);

/// Makes a server the head.
#[derive(Debug)]
pub struct BecomeHead(pub Reply<()>);

/// Makes a server the tail.
#[derive(Debug)]
pub struct BecomeTail(pub Reply<()>);

/// Gives a server another predecessor; it answers with its last update.
#[derive(Debug)]
pub struct NewPredecessor {
    /// The predecessor.
    pub server: ServerId,
    /// Where the last update is told.
    pub reply: Reply<Sequence>,
}

/// Gives a server another successor.
#[derive(Debug)]
pub struct NewSuccessor {
    /// The successor.
    pub server: ServerId,
    /// The successor's last update.
    pub has: Sequence,
    /// Where the end of the repair is told.
    pub reply: Reply<()>,
}

/// Tells a server that it has failed.
#[derive(Debug)]
pub struct Fail;
