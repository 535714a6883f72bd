//! A counter by compare-and-exchange in a loop.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

#[test]
fn nothing_is_lost() {
    let count = AtomicU32::new(0);
    let increment = || {
        let mut seen = count.load(SeqCst);
        while let Err(now) = count.compare_exchange_weak(seen, seen + 1, SeqCst, SeqCst) {
            seen = now;
        }
    };
    thread::scope(|scope| {
        scope.spawn(increment);
        scope.spawn(increment);
        increment();
    });
    assert_eq!(count.into_inner(), 3);
}
