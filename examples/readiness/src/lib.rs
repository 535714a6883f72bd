//! A service that others wait for until it is ready: the **notification before the wait**.
//!
//! [`HastyReadiness::wait`] looks first and begins to wait afterwards. `notify_waiters` wakes those who
//! wait, and is forgotten at once: who looked before it and waits after it waits for ever.
//!
//! [`Readiness::wait`] begins to wait before it looks.
//!
//! ```text
//! cargo cct test -p readiness
//! ```

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use tokio::sync::Notify;

/// Readiness that may be missed.
#[derive(Debug, Default)]
pub struct HastyReadiness {
    is_ready: AtomicBool,
    became_ready: Notify,
}

impl HastyReadiness {
    /// Says that the service is ready.
    pub fn set(&self) {
        self.is_ready.store(true, SeqCst);
        self.became_ready.notify_waiters();
    }

    /// Returns when the service is ready.
    ///
    /// The bug: it may become ready between the look and the wait.
    pub async fn wait(&self) {
        if !self.is_ready.load(SeqCst) {
            self.became_ready.notified().await;
        }
    }
}

/// Readiness that nobody misses.
#[derive(Debug, Default)]
pub struct Readiness {
    is_ready: AtomicBool,
    became_ready: Notify,
}

impl Readiness {
    /// Says that the service is ready.
    pub fn set(&self) {
        self.is_ready.store(true, SeqCst);
        self.became_ready.notify_waiters();
    }

    /// Returns when the service is ready.
    pub async fn wait(&self) {
        let notified = self.became_ready.notified();
        if !self.is_ready.load(SeqCst) {
            notified.await;
        }
    }
}
