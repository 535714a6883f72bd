//! A participant.

use cct::actor::{Context, Recipient};

use super::{Atomicity, Step, Vote};

/// The number of a participant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ParticipantId(pub usize);

/// The number of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Transaction(pub u32);

/// The fate of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// It takes place.
    Commit,
    /// It does not.
    Abort,
}

/// Asks a participant for its vote.
#[derive(Debug)]
pub struct Prepare {
    /// The transaction.
    pub transaction: Transaction,
    /// The coordinator.
    pub from: Recipient<Vote>,
}

/// Tells a participant of a decision.
#[derive(Debug)]
pub struct Decide {
    /// The transaction.
    pub transaction: Transaction,
    /// Its fate.
    pub decision: Decision,
}

/// A participant, with the transactions that it has committed.
#[derive(Debug)]
pub struct Participant {
    id: ParticipantId,
    committed: Vec<Transaction>,
}

impl Participant {
    /// A participant without transactions.
    #[must_use]
    pub fn new(id: ParticipantId) -> Participant {
        Participant {
            id,
            committed: Vec::new(),
        }
    }
}

#[cct::actor]
impl Participant {
    #[on]
    fn vote(&mut self, Prepare { transaction, from }: Prepare, cx: &mut Context<Self>) {
        let is_for = !cct::nondet_bool();
        if !is_for {
            cct::notify::<Atomicity>(Step::Refused(transaction));
        }
        let vote = Vote {
            participant: self.id,
            transaction,
            is_for,
        };
        cx.send(&from, vote);
    }

    #[on]
    fn decide(
        &mut self,
        Decide {
            transaction,
            decision,
        }: Decide,
    ) {
        if decision == Decision::Commit {
            self.committed.push(transaction);
        }
    }
}
