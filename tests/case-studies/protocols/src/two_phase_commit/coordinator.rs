//! The coordinator.

use std::collections::BTreeSet;
use std::time::Duration;

use cct::actor::{ActorRef, Context, Reply, Timer};

use super::{
    Atomicity, Decide, Decision, Participant, ParticipantId, Prepare, Progress, Step, Transaction,
    TransactionsAreDecided,
};

/// How long a vote may take.
const PATIENCE: Duration = Duration::from_millis(500);

/// Whether the coordinator has the bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// A vote counts for its own transaction alone.
    Mended,
    /// A vote counts for the transaction under way.
    CountsLateVotes,
}

/// A client's request for a transaction.
#[derive(Debug)]
pub struct Begin(pub Reply<Decision>);

/// A participant's vote.
#[derive(Debug)]
pub struct Vote {
    /// The participant.
    pub participant: ParticipantId,
    /// The transaction.
    pub transaction: Transaction,
    /// Whether it is for it.
    pub is_for: bool,
}

/// The tick at which a vote has taken too long.
#[derive(Debug)]
pub struct TimeIsUp(Transaction);

/// The state without a transaction.
#[derive(Debug)]
pub struct Idle;

/// The state in which votes are counted.
#[derive(Debug)]
pub struct Voting {
    client: Option<Reply<Decision>>,
    /// The participants that are for the transaction.
    votes: BTreeSet<ParticipantId>,
    timer: Option<Timer>,
}

/// A coordinator of transactions, one at a time.
#[derive(Debug)]
pub struct Coordinator {
    variant: Variant,
    participants: Vec<ActorRef<Participant>>,
    /// The latest transaction.
    transaction: Transaction,
}

impl Coordinator {
    /// A coordinator of these participants.
    #[must_use]
    pub fn new(variant: Variant, participants: Vec<ActorRef<Participant>>) -> Coordinator {
        Coordinator {
            variant,
            participants,
            transaction: Transaction::default(),
        }
    }

    fn counts(&self, vote: &Vote) -> bool {
        match self.variant {
            Variant::Mended => vote.transaction == self.transaction,
            Variant::CountsLateVotes => true,
        }
    }

    fn decide(&self, decision: Decision, voting: &mut Voting, cx: &Context<Coordinator>) -> Idle {
        let transaction = self.transaction;
        if decision == Decision::Commit {
            cct::notify::<Atomicity>(Step::Committed(transaction));
        }
        cct::notify::<TransactionsAreDecided>(Progress::Decided(decision));
        for participant in &self.participants {
            cx.send(
                participant,
                Decide {
                    transaction,
                    decision,
                },
            );
        }
        if let Some(client) = voting.client.take() {
            let _ = client.send(decision);
        }
        Idle
    }
}

#[cct::machine(start = Idle)]
#[defer(Voting: Begin)]
#[ignore(Idle: Vote, TimeIsUp)]
impl Coordinator {
    #[on]
    fn begin(&mut self, _: &mut Idle, Begin(client): Begin) -> Voting {
        self.transaction.0 += 1;
        cct::notify::<TransactionsAreDecided>(Progress::Begun);
        Voting {
            client: Some(client),
            votes: BTreeSet::new(),
            timer: None,
        }
    }

    #[entry]
    fn ask_for_votes(&mut self, voting: &mut Voting, cx: &mut Context<Self>) {
        let transaction = self.transaction;
        for participant in &self.participants {
            let from = cx.me().recipient();
            cx.send(participant, Prepare { transaction, from });
        }
        voting.timer = Some(cx.start_timer(PATIENCE, TimeIsUp(transaction)));
    }

    #[on]
    fn count(&mut self, voting: &mut Voting, vote: Vote, cx: &mut Context<Self>) -> Option<Idle> {
        if !self.counts(&vote) {
            return None;
        }
        if !vote.is_for {
            return Some(self.decide(Decision::Abort, voting, cx));
        }
        voting.votes.insert(vote.participant);
        let is_unanimous = voting.votes.len() == self.participants.len();
        is_unanimous.then(|| self.decide(Decision::Commit, voting, cx))
    }

    #[on]
    fn give_up(
        &mut self,
        voting: &mut Voting,
        up: TimeIsUp,
        cx: &mut Context<Self>,
    ) -> Option<Idle> {
        let is_this = up.0 == self.transaction;
        is_this.then(|| self.decide(Decision::Abort, voting, cx))
    }

    #[exit]
    fn stop_timer(&mut self, voting: &mut Voting) {
        if let Some(timer) = &voting.timer {
            timer.stop();
        }
    }
}
