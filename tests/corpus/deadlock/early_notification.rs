//! Bounded queue: the notification comes before the item, so a waiter may look too early.

use std::sync::{Condvar, Mutex};
use std::thread;

#[test]
fn before_the_item() {
    let (items, changed) = (Mutex::new(Vec::new()), Condvar::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut items = items.lock().unwrap();
            while items.is_empty() {
                items = changed.wait(items).unwrap();
            }
            assert_eq!(items.pop(), Some(1));
        });
        changed.notify_one();
        items.lock().unwrap().push(1);
    });
}
