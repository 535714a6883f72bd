//! Election safety.

use std::collections::BTreeMap;

use cct::{Monitor, Temperature};

use crate::ReplicaId;

/// Safety: a term has one leader at most.
#[derive(Debug, Default)]
pub struct TermsHaveOneLeader {
    leaders: BTreeMap<u64, ReplicaId>,
}

/// The event is a replica that has become the leader of a term.
impl Monitor for TermsHaveOneLeader {
    type Event = (u64, ReplicaId);

    fn on_event(&mut self, (term, replica): (u64, ReplicaId)) -> Temperature {
        let leader = *self.leaders.entry(term).or_insert(replica);
        assert!(
            leader == replica,
            "term {term} has two leaders: {leader} and {replica}"
        );
        Temperature::Cold("watching")
    }
}
