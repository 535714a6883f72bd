//! Elements are pushed to a queue by one thread and popped by another.
//!
//! Each is dropped again when the queue's memory is reclaimed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use crossbeam::queue::MsQueue;

static DROPS: AtomicUsize = AtomicUsize::new(0);

/// Each must be dropped once.
struct Element(usize);

impl Drop for Element {
    fn drop(&mut self) {
        if self.0 == 7 {
            DROPS.fetch_add(1, Relaxed);
        }
    }
}

#[test]
fn test() {
    let queue = Arc::new(MsQueue::new());
    let pushes = queue.clone();
    let thread = thread::spawn(move || (0..100).for_each(|_| pushes.push(Element(7))));
    (0..100).for_each(|_| drop(queue.try_pop()));
    thread.join().unwrap();
    while queue.try_pop().is_some() {}
    for _ in 0..300 {
        drop(queue.try_pop());
    }
    drop(queue);
    assert_eq!(DROPS.load(Relaxed), 100);
}
