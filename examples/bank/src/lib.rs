//! An account whose balance several threads change: the **lost update**.
//!
//! [`Account::deposit`] adds in one atomic step. [`Account::withdraw`] reads the balance, computes,
//! and writes the result back: two atomic steps with a gap between them. Whatever another thread
//! writes in that gap is overwritten, and its money with it.
//!
//! The gap is a few nanoseconds wide, so `cargo test` passes practically always. A tool that may
//! choose who runs in the gap needs a handful of schedules:
//!
//! ```text
//! cargo cct test -p bank
//! ```
//!
//! The remedy is one step instead of two: `fetch_sub`, or a `compare_exchange` loop when the new
//! balance depends on the old one in a way for which there is no ready-made operation.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// An account.
#[derive(Debug)]
pub struct Account {
    balance: AtomicU64,
}

impl Account {
    /// Opens an account.
    pub fn new(balance: u64) -> Self {
        Account {
            balance: AtomicU64::new(balance),
        }
    }

    /// Returns the balance.
    pub fn balance(&self) -> u64 {
        self.balance.load(SeqCst)
    }

    /// Pays `amount` in.
    pub fn deposit(&self, amount: u64) {
        self.balance.fetch_add(amount, SeqCst);
    }

    /// Takes `amount` out.
    ///
    /// The bug: what others do between the load and the store is lost.
    pub fn withdraw(&self, amount: u64) {
        let balance = self.balance.load(SeqCst);
        self.balance.store(balance - amount, SeqCst);
    }
}
