//! The learner.

use std::collections::BTreeMap;

use super::{Accepted, AcceptorId, OneValueIsLearned, Proposal};

/// A learner: a proposal that a majority has accepted is chosen.
#[derive(Debug)]
pub struct Learner {
    majority: usize,
    accepted: BTreeMap<AcceptorId, Proposal>,
}

impl Learner {
    /// A learner to whom so many acceptors are a majority.
    #[must_use]
    pub fn new(majority: usize) -> Learner {
        Learner {
            majority,
            accepted: BTreeMap::new(),
        }
    }
}

#[cct::actor]
impl Learner {
    #[on]
    fn note(&mut self, Accepted { acceptor, proposal }: Accepted) {
        self.accepted.insert(acceptor, proposal);
        let same = self.accepted.values().filter(|it| **it == proposal);
        if same.count() >= self.majority {
            cct::notify::<OneValueIsLearned>(proposal.value);
        }
    }
}
