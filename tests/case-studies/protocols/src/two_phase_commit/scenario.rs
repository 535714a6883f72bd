//! The scenario: two transactions, one after the other.

use cct::actor::Runtime;

use super::{
    Atomicity, Client, Coordinator, Participant, ParticipantId, Run, TransactionsAreDecided,
    Variant,
};

const PARTICIPANTS: usize = 3;
const TRANSACTIONS: u32 = 2;

/// A client has a coordinator of this variant decide transactions.
pub fn run(runtime: &Runtime, variant: Variant) {
    cct::register(Atomicity::default());
    cct::register(TransactionsAreDecided);
    let participants = (0..PARTICIPANTS)
        .map(|id| runtime.create(Participant::new(ParticipantId(id))))
        .collect();
    let coordinator = runtime.create(Coordinator::new(variant, participants));
    let client = runtime.create(Client::new(coordinator));
    client.send(Run(TRANSACTIONS));
}
