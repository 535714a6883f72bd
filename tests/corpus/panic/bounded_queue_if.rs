//! Bounded queue: `if` where `while` is due; two consumers wake for one item.

use std::sync::{Condvar, Mutex};
use std::thread;

#[test]
fn one_item_for_two() {
    let (items, changed) = (Mutex::new(Vec::new()), Condvar::new());
    let take = || {
        let mut items = items.lock().unwrap();
        if items.is_empty() {
            items = changed.wait(items).unwrap();
        }
        items.pop().expect("an item after the wait")
    };
    let put = |item| {
        items.lock().unwrap().push(item);
        changed.notify_all();
    };
    thread::scope(|scope| {
        scope.spawn(take);
        scope.spawn(take);
        put(1);
        put(2);
    });
}
