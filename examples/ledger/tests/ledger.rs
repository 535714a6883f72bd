//! Two tasks deposit at the same time.

use std::sync::Arc;

use ledger::{HastyLedger, Ledger};

/// Fails under some schedules: one task goes on while the other is at its journal.
#[tokio::test]
async fn hasty_deposits_add_up() {
    let ledger = Arc::new(HastyLedger::default());
    let deposits = [100, 200].map(|amount| {
        let ledger = Arc::clone(&ledger);
        tokio::spawn(async move { ledger.deposit(amount).await })
    });
    for deposit in deposits {
        deposit.await.unwrap();
    }
    assert_eq!(ledger.balance().await, 300);
}

#[tokio::test]
async fn deposits_add_up() {
    let ledger = Arc::new(Ledger::default());
    let deposits = [100, 200].map(|amount| {
        let ledger = Arc::clone(&ledger);
        tokio::spawn(async move { ledger.deposit(amount).await })
    });
    for deposit in deposits {
        deposit.await.unwrap();
    }
    assert_eq!(ledger.balance().await, 300);
}
