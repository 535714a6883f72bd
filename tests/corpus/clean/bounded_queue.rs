//! A bounded queue with a condition variable for each of its two conditions.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};
use std::thread;

#[derive(Default)]
struct Queue {
    items: Mutex<VecDeque<u32>>,
    not_full: Condvar,
    not_empty: Condvar,
}

impl Queue {
    fn put(&self, item: u32) {
        let items = self.items.lock().unwrap();
        self.not_full
            .wait_while(items, |items| items.len() == 1)
            .unwrap()
            .push_back(item);
        self.not_empty.notify_one();
    }

    fn take(&self) -> u32 {
        let items = self.items.lock().unwrap();
        let mut items = self
            .not_empty
            .wait_while(items, |items| items.is_empty())
            .unwrap();
        let item = items.pop_front().unwrap();
        self.not_full.notify_one();
        item
    }
}

#[test]
fn two_of_each_kind() {
    let queue = Queue::default();
    let sum = thread::scope(|scope| {
        scope.spawn(|| queue.put(1));
        scope.spawn(|| queue.put(2));
        let other = scope.spawn(|| queue.take());
        queue.take() + other.join().unwrap()
    });
    assert_eq!(sum, 3);
}
