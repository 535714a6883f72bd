//! Two people share an account.

use std::thread;

use bank::Account;

#[test]
fn deposits_add_up() {
    let account = Account::new(0);
    thread::scope(|scope| {
        scope.spawn(|| account.deposit(100));
        scope.spawn(|| account.deposit(200));
    });
    assert_eq!(account.balance(), 300);
}

/// Fails under some schedules: both read 1000, and the later store wins.
#[test]
fn withdrawals_add_up() {
    let account = Account::new(1000);
    thread::scope(|scope| {
        scope.spawn(|| account.withdraw(100));
        account.withdraw(300);
    });
    assert_eq!(account.balance(), 600);
}
