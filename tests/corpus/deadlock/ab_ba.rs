//! AB-BA: two transfers lock the same two accounts, each its own source first.

use std::sync::Mutex;
use std::thread;

fn transfer(from: &Mutex<i32>, to: &Mutex<i32>, amount: i32) {
    let mut from = from.lock().unwrap();
    let mut to = to.lock().unwrap();
    *from -= amount;
    *to += amount;
}

#[test]
fn both_ways() {
    let (ours, theirs) = (Mutex::new(10), Mutex::new(10));
    thread::scope(|scope| {
        scope.spawn(|| transfer(&ours, &theirs, 3));
        transfer(&theirs, &ours, 4);
    });
    assert_eq!(*ours.lock().unwrap(), 11);
}
