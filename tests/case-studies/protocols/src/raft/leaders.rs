//! The specification.

use std::collections::BTreeMap;

use cct::{Monitor, Temperature};

use super::{ServerId, Term};

/// Safety: a term has one leader at most.
#[derive(Debug, Default)]
pub struct TermsHaveOneLeader {
    leaders: BTreeMap<Term, ServerId>,
}

/// The event is a server that has become the leader of a term.
impl Monitor for TermsHaveOneLeader {
    type Event = (Term, ServerId);

    fn on_event(&mut self, (term, server): (Term, ServerId)) -> Temperature {
        let leader = *self.leaders.entry(term).or_insert(server);
        assert!(
            leader == server,
            "Detected more than one leader in {term:?}: {leader:?} and {server:?}"
        );
        Temperature::Cold("watching")
    }
}
