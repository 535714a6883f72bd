//! The specifications.

use std::collections::BTreeSet;

use cct::{Monitor, Temperature};

use super::{Decision, Transaction};

/// Safety: no transaction is committed that a participant is against.
#[derive(Debug, Default)]
pub struct Atomicity {
    refused: BTreeSet<Transaction>,
    committed: BTreeSet<Transaction>,
}

/// The events of [`Atomicity`].
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// A participant is against a transaction.
    Refused(Transaction),
    /// The coordinator commits a transaction.
    Committed(Transaction),
}

impl Monitor for Atomicity {
    type Event = Step;

    fn on_event(&mut self, step: Step) -> Temperature {
        let transaction = match step {
            Step::Refused(transaction) => {
                self.refused.insert(transaction);
                transaction
            }
            Step::Committed(transaction) => {
                self.committed.insert(transaction);
                transaction
            }
        };
        let is_both = self.refused.contains(&transaction) && self.committed.contains(&transaction);
        assert!(
            !is_both,
            "{transaction:?} was committed, and a participant is against it"
        );
        Temperature::Cold("watching")
    }
}

/// Liveness: each transaction is decided.
#[derive(Debug, Default)]
pub struct TransactionsAreDecided;

/// The events of [`TransactionsAreDecided`].
#[derive(Clone, Copy, Debug)]
pub enum Progress {
    /// The coordinator has begun a transaction.
    Begun,
    /// The coordinator has decided it.
    Decided(Decision),
}

impl Monitor for TransactionsAreDecided {
    type Event = Progress;

    fn on_event(&mut self, event: Progress) -> Temperature {
        match event {
            Progress::Begun => Temperature::Hot("undecided"),
            Progress::Decided(Decision::Commit) => Temperature::Cold("committed"),
            Progress::Decided(Decision::Abort) => Temperature::Cold("aborted"),
        }
    }
}
