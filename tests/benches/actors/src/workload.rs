//! The workloads: which there are, and the tools that all libraries use for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Something to measure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Workload {
    /// Actors, of which each handles one event. Their creators are actors, one for each thread.
    Create,
    /// Events in batches; each sender has a batch for each receiver, and goes on when all have answered.
    Flow(Flow),
    /// Pairs of actors that send one event to and fro.
    PingPong { pairs: usize },
    /// One request after the other, awaited in a handler.
    AskByActor,
    /// The same by a thread that is none of the runtime's.
    AskByThread,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flow {
    pub(crate) senders: usize,
    pub(crate) receivers: usize,
    pub(crate) batch: u64,
    /// The receiver goes from one state to the other by each event.
    pub(crate) is_goto: bool,
}

impl Flow {
    /// How often a sender sends its batches, so that there are about so many events.
    pub(crate) fn rounds(self, operations: u64) -> u64 {
        (operations / self.events_of_a_round()).max(1)
    }

    fn events_of_a_round(self) -> u64 {
        self.senders as u64 * self.receivers as u64 * self.batch
    }
}

/// A row of the table.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) workload: Workload,
    pub(crate) operations: u64,
}

const ONE_TO_ONE: Flow = Flow {
    senders: 1,
    receivers: 1,
    batch: 1_000,
    is_goto: false,
};

pub(crate) const ROWS: [Row; 8] = [
    Row {
        name: "create",
        workload: Workload::Create,
        operations: 20_000,
    },
    Row {
        name: "send",
        workload: Workload::Flow(ONE_TO_ONE),
        operations: 1_000_000,
    },
    Row {
        name: "send-many",
        workload: Workload::Flow(Flow {
            senders: 16,
            receivers: 16,
            batch: 8,
            ..ONE_TO_ONE
        }),
        operations: 1_000_000,
    },
    Row {
        name: "ping-pong",
        workload: Workload::PingPong { pairs: 1 },
        operations: 200_000,
    },
    Row {
        name: "ping-pong-many",
        workload: Workload::PingPong { pairs: 16 },
        operations: 400_000,
    },
    Row {
        name: "goto",
        workload: Workload::Flow(Flow {
            is_goto: true,
            ..ONE_TO_ONE
        }),
        operations: 1_000_000,
    },
    Row {
        name: "ask",
        workload: Workload::AskByActor,
        operations: 100_000,
    },
    Row {
        name: "ask-by-thread",
        workload: Workload::AskByThread,
        operations: 20_000,
    },
];

/// Ends when all that were to arrive have.
#[derive(Clone)]
pub(crate) struct Countdown(Arc<(AtomicUsize, Thread)>);

impl Countdown {
    /// The thread that calls is the one that waits.
    pub(crate) fn of(number: usize) -> Countdown {
        Countdown(Arc::new((AtomicUsize::new(number), thread::current())))
    }

    pub(crate) fn arrive(&self) {
        if self.0.0.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.1.unpark();
        }
    }

    /// Runs `begin`, and returns how long it takes until all have arrived.
    pub(crate) fn time(&self, begin: impl FnOnce()) -> Duration {
        let began = Instant::now();
        begin();
        while self.0.0.load(Ordering::Acquire) > 0 {
            thread::park();
        }
        began.elapsed()
    }
}
