//! A value is read under the read lock, and written under the write lock, and changed in between.

use std::sync::RwLock;
use std::thread;

#[test]
fn an_update_in_between() {
    let total = RwLock::new(0);
    let add = |amount| {
        let seen = *total.read().unwrap();
        *total.write().unwrap() = seen + amount;
    };
    thread::scope(|scope| {
        scope.spawn(|| add(1));
        add(2);
    });
    assert_eq!(total.into_inner().unwrap(), 3);
}
