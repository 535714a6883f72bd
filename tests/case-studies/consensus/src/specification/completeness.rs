//! Leader completeness: committed entries are never lost.

use cct::{Monitor, Temperature};

/// Safety: the log of a new leader has all that was applied before.
#[derive(Debug, Default)]
pub struct LeadersAreComplete {
    applied: u64,
}

/// The events of [`LeadersAreComplete`].
#[derive(Clone, Copy, Debug)]
pub enum Office {
    /// A replica has applied the entry of this index.
    Applied(u64),
    /// A replica has become the leader.
    Taken {
        /// Of this term.
        term: u64,
        /// Its log ends with this index.
        last: u64,
    },
}

impl Monitor for LeadersAreComplete {
    type Event = Office;

    fn on_event(&mut self, event: Office) -> Temperature {
        match event {
            Office::Applied(index) => self.applied = self.applied.max(index),
            Office::Taken { term, last } => assert!(
                last >= self.applied,
                "the leader of term {term} has a log up to {last}, and {} was applied",
                self.applied
            ),
        }
        Temperature::Cold("watching")
    }
}
