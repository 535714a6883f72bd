//! Values that are dropped once, each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Counts its payloads.
#[derive(Clone, Debug, Default)]
pub struct Payloads(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    made: AtomicU64,
    dropped: AtomicU64,
}

/// A value. It says when it is dropped, and fails when that happens again.
#[derive(Debug)]
pub struct Payload {
    is_alive: Box<bool>,
    counts: Payloads,
}

impl Payloads {
    /// Makes one.
    pub fn make(&self) -> Payload {
        self.0.made.fetch_add(1, Ordering::SeqCst);
        Payload {
            is_alive: Box::new(true),
            counts: self.clone(),
        }
    }

    /// How many were made.
    pub fn made(&self) -> u64 {
        self.0.made.load(Ordering::SeqCst)
    }

    /// Waits until all that were made are dropped. None is made meanwhile.
    pub fn wait_for_drops(&self) {
        while self.0.dropped.load(Ordering::SeqCst) < self.made() {
            thread::yield_now();
        }
        assert_eq!(self.0.dropped.load(Ordering::SeqCst), self.made());
    }
}

impl Clone for Payload {
    fn clone(&self) -> Self {
        self.counts.make()
    }
}

impl Drop for Payload {
    fn drop(&mut self) {
        assert!(std::mem::take(&mut *self.is_alive), "it was dropped before");
        self.counts.0.dropped.fetch_add(1, Ordering::SeqCst);
    }
}
