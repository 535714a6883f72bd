//! Log matching.

use std::collections::BTreeMap;

use cct::{Monitor, Temperature};

use crate::{Disk, ReplicaId};

/// Safety: if two logs have an entry of the same index and term, they are the same up to it.
#[derive(Debug, Default)]
pub struct LogsMatch {
    logs: BTreeMap<ReplicaId, BTreeMap<u64, (u64, Vec<u8>)>>,
}

/// The events of [`LogsMatch`].
#[derive(Clone, Debug)]
pub enum LogEvent {
    /// A replica has written its disk.
    Written {
        /// The replica.
        replica: ReplicaId,
        /// The disk as it is now.
        disk: Disk,
    },
}

impl Monitor for LogsMatch {
    type Event = LogEvent;

    fn on_event(&mut self, LogEvent::Written { replica, disk }: LogEvent) -> Temperature {
        let entries = disk.entries().iter();
        let log = entries.map(|entry| (entry.index, (entry.term, entry.data.to_vec())));
        let log: BTreeMap<_, _> = log.collect();
        for (other, theirs) in &self.logs {
            if *other == replica {
                continue;
            }
            // From the end: from the last index on that agrees in its term, all do.
            let mut agrees = false;
            for (index, (term, data)) in log.iter().rev() {
                let Some((their_term, their_data)) = theirs.get(index) else {
                    continue;
                };
                agrees |= term == their_term;
                assert!(
                    !agrees || (term, data) == (their_term, their_data),
                    "logs of {replica} and {other} differ at index {index}, and not after it"
                );
            }
        }
        self.logs.insert(replica, log);
        Temperature::Cold("watching")
    }
}
