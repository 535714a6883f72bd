//! A counter by load and store: one of two increments is lost.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

#[test]
fn by_load_and_store() {
    let count = AtomicU32::new(0);
    let increment = || count.store(count.load(SeqCst) + 1, SeqCst);
    thread::scope(|scope| {
        scope.spawn(increment);
        increment();
    });
    assert_eq!(count.into_inner(), 2);
}
