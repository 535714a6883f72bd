//! Two accounts, always locked in the same order.

use std::sync::Mutex;
use std::thread;

#[test]
fn both_ways() {
    let accounts = [Mutex::new(10), Mutex::new(10)];
    let transfer = |amount| {
        let mut first = accounts[0].lock().unwrap();
        let mut second = accounts[1].lock().unwrap();
        *first += amount;
        *second -= amount;
    };
    thread::scope(|scope| {
        scope.spawn(|| transfer(3));
        transfer(-4);
    });
    assert_eq!(
        *accounts[0].lock().unwrap() + *accounts[1].lock().unwrap(),
        20
    );
}
