//! State machine safety.

use std::collections::BTreeMap;

use cct::{Monitor, Temperature};

use crate::Ledger;

/// Safety: all replicas have the same ledger after the same index.
#[derive(Debug, Default)]
pub struct StatesAgree {
    ledgers: BTreeMap<u64, Ledger>,
}

/// The event is a ledger after an index.
impl Monitor for StatesAgree {
    type Event = (u64, Ledger);

    fn on_event(&mut self, (index, ledger): (u64, Ledger)) -> Temperature {
        let first = self.ledgers.entry(index).or_insert_with(|| ledger.clone());
        assert!(
            *first == ledger,
            "replicas differ after index {index}: {first:?} and {ledger:?}"
        );
        Temperature::Cold("watching")
    }
}
