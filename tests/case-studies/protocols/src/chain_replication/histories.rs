//! The specification.

use std::collections::BTreeMap;

use cct::{Monitor, Temperature};

use super::{Sequence, ServerId};

/// Safety: each server's history is in strictly ascending order.
#[derive(Debug, Default)]
pub struct HistoriesAreSorted {
    last: BTreeMap<ServerId, Sequence>,
}

/// A server has recorded an update.
#[derive(Clone, Copy, Debug)]
pub struct Recorded {
    /// The server.
    pub server: ServerId,
    /// The update's number.
    pub sequence: Sequence,
}

impl Monitor for HistoriesAreSorted {
    type Event = Recorded;

    fn on_event(&mut self, Recorded { server, sequence }: Recorded) -> Temperature {
        let last = self.last.insert(server, sequence);
        assert!(
            last < Some(sequence),
            "Sequence is not sorted: {sequence:?} after {last:?}"
        );
        Temperature::Cold("sorted")
    }
}
