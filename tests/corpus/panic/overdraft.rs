//! Check, then act: both find enough money before either takes any; the lock is then poisoned.

use std::sync::Mutex;
use std::thread;

#[test]
fn a_poisoned_account() {
    let account = Mutex::new(10_u32);
    let withdraw = |amount: u32| {
        let is_enough = *account.lock().unwrap() >= amount;
        if is_enough {
            let mut balance = account.lock().unwrap();
            *balance = balance.checked_sub(amount).expect("enough money");
        }
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| withdraw(7));
        withdraw(7);
        other.join().unwrap();
    });
}
