//! An account whose balance is read before an await and written after it: the **lost update**, in one thread.
//!
//! [`HastyLedger::deposit`] takes the lock twice and writes the journal in between. Each step is locked, and
//! the runtime may have one thread only; but at an await another task may go on, and then both start from
//! the same balance.
//!
//! [`Ledger::deposit`] keeps the lock over the await.
//!
//! ```text
//! cargo cct test -p ledger
//! ```

use tokio::sync::Mutex;

/// A ledger that may lose deposits.
#[derive(Debug, Default)]
pub struct HastyLedger {
    balance: Mutex<i64>,
    journal: Mutex<Vec<i64>>,
}

impl HastyLedger {
    /// Adds to the balance.
    ///
    /// The bug: another deposit may come between the two times that the balance is locked.
    pub async fn deposit(&self, amount: i64) {
        let before = *self.balance.lock().await;
        self.journal.lock().await.push(amount);
        *self.balance.lock().await = before + amount;
    }

    /// The balance.
    pub async fn balance(&self) -> i64 {
        *self.balance.lock().await
    }
}

/// A ledger that loses nothing.
#[derive(Debug, Default)]
pub struct Ledger {
    balance: Mutex<i64>,
    journal: Mutex<Vec<i64>>,
}

impl Ledger {
    /// Adds to the balance.
    pub async fn deposit(&self, amount: i64) {
        let mut balance = self.balance.lock().await;
        self.journal.lock().await.push(amount);
        *balance += amount;
    }

    /// The balance.
    pub async fn balance(&self) -> i64 {
        *self.balance.lock().await
    }
}
