//! The messages of the protocol.

use cct::actor::ActorRef;

use super::Server;

/// A term of office.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Term(pub u32);

/// The number of a server.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ServerId(pub usize);

/// Tells a server of all servers, itself among them.
#[derive(Clone, Debug)]
pub struct Connect(pub Vec<ActorRef<Server>>);

/// A candidate's request.
#[derive(Clone, Copy, Debug)]
pub struct VoteRequest {
    /// The term that it stands for.
    pub term: Term,
    /// The candidate.
    pub candidate: ServerId,
}

/// The answer to a [`VoteRequest`].
#[derive(Clone, Copy, Debug)]
pub struct Vote {
    /// The voter's term.
    pub term: Term,
    /// The voter.
    pub voter: ServerId,
    /// Whether the candidate has the vote.
    pub is_granted: bool,
}

/// A leader's heartbeat.
#[derive(Clone, Copy, Debug)]
pub struct AppendEntries {
    /// The leader's term.
    pub term: Term,
}
