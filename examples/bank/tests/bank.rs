//! Two people share an account.

use bank::Account;
use std::thread;

#[test]
fn deposits_add_up() {
    let account = Account::new(0);
    thread::scope(|scope| {
        scope.spawn(|| account.deposit(100));
        scope.spawn(|| account.deposit(200));
    });
    assert_eq!(account.balance(), 300);
}

#[test]
fn withdrawals_add_up() {
    let account = Account::new(1000);
    thread::scope(|scope| {
        scope.spawn(|| account.withdraw(100));
        scope.spawn(|| account.withdraw(300));
    });
    assert_eq!(account.balance(), 600);
}
