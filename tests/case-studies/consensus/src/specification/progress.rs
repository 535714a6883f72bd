//! Progress.

use cct::{Monitor, Temperature};

use crate::ReplicaId;

/// Liveness: there is a leader in the end.
#[derive(Debug, Default)]
pub struct ALeaderIsElected {
    leader: Option<ReplicaId>,
    is_over: bool,
}

/// The events of [`ALeaderIsElected`].
#[derive(Clone, Copy, Debug)]
pub enum Leadership {
    /// A replica leads.
    Taken(ReplicaId),
    /// A replica has booted: it does not lead.
    Lost(ReplicaId),
    /// All is written: nobody has to lead any more.
    NotNeeded,
}

impl Monitor for ALeaderIsElected {
    type Event = Leadership;

    fn on_event(&mut self, event: Leadership) -> Temperature {
        match event {
            Leadership::Taken(replica) => self.leader = Some(replica),
            Leadership::Lost(replica) => self.leader = self.leader.filter(|it| *it != replica),
            Leadership::NotNeeded => self.is_over = true,
        }
        if self.is_over {
            Temperature::Cold("over")
        } else if self.leader.is_some() {
            Temperature::Cold("led")
        } else {
            Temperature::Hot("without a leader")
        }
    }
}

/// Liveness: all replicas have applied all proposals in the end.
#[derive(Debug, Default)]
pub struct ProposalsAreApplied;

/// The events of [`ProposalsAreApplied`].
#[derive(Clone, Copy, Debug)]
pub enum Proposal {
    /// The client begins.
    Made,
    /// All replicas have applied all of its proposals.
    Applied,
}

impl Monitor for ProposalsAreApplied {
    type Event = Proposal;

    fn on_event(&mut self, event: Proposal) -> Temperature {
        match event {
            Proposal::Made => Temperature::Hot("proposed"),
            Proposal::Applied => Temperature::Cold("applied"),
        }
    }
}
