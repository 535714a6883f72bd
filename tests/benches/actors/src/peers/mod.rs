//! The libraries, each with the same actors, written as its manual has them.

mod actix;
mod cct;
mod ractor;

use std::time::Duration;

use crate::workload::Workload;

/// A library.
#[derive(Clone, Copy)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    /// Runs a workload on so many threads with so many operations; the time without the set-up and the end.
    pub(crate) run: fn(Workload, usize, u64) -> Duration,
}

/// This one first.
pub(crate) const ALL: [Peer; 3] = [
    Peer {
        name: "cct",
        run: cct::run,
    },
    Peer {
        name: "actix",
        run: actix::run,
    },
    Peer {
        name: "ractor",
        run: ractor::run,
    },
];
