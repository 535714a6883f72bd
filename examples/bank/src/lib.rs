//! Accounts whose balance can be changed by several threads.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// An account.
#[derive(Debug)]
pub struct Account {
    balance: AtomicU64,
}

impl Account {
    /// Opens an account.
    pub fn new(balance: u64) -> Self {
        Account { balance: AtomicU64::new(balance) }
    }

    /// Returns the balance.
    pub fn balance(&self) -> u64 {
        self.balance.load(SeqCst)
    }

    /// Pays `amount` in.
    pub fn deposit(&self, amount: u64) {
        self.balance.fetch_add(amount, SeqCst);
    }

    /// Takes `amount` out. (The bug: a deposit between the load and the store is lost.)
    pub fn withdraw(&self, amount: u64) {
        let balance = self.balance.load(SeqCst);
        self.balance.store(balance - amount, SeqCst);
    }
}
